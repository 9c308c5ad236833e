//! A histogram of depths as an SVG picture, for papers and reports.
//!
//! Written by hand, since a plot of bars needs no library. Invariant: the picture depends on the
//! numbers alone, so that it may be kept under version control.

use super::Histogram;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;
/// Told apart also by those who do not see red and green.
const WINS: &str = "#0072b2";
const LOSSES: &str = "#d55e00";
const GRID: &str = "#dddddd";

/// Draws the number of classes by depth on a logarithmic scale, wins and losses in two colours.
pub fn histogram_svg(title: &str, histogram: &Histogram) -> String {
    let scale = Scale::of(histogram);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    draw_classes_axis(&mut svg, &scale);
    draw_depth_axis(&mut svg, &scale);
    for (&plies, &classes) in histogram.iter().filter(|(_, classes)| **classes > 0) {
        draw_bar(&mut svg, &scale, plies, classes);
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    text(&mut svg, (middle, 24.0), "middle", title);
    text(&mut svg, (middle, HEIGHT - 14.0), "middle", "depth in plies");
    let _ = writeln!(
        svg,
        "<text transform=\"translate(20 {:.1}) rotate(-90)\" text-anchor=\"middle\">position classes</text>",
        (TOP + HEIGHT - BOTTOM) / 2.0
    );
    draw_legend(&mut svg);
    svg + "</svg>\n"
}

/// Where depths and numbers of classes lie in the picture.
struct Scale {
    /// The axis goes from depth 0 to this one.
    deepest: u32,
    /// The axis goes from 1 class to 10 to this power.
    decades: u32,
}

impl Scale {
    fn of(histogram: &Histogram) -> Scale {
        let deepest = histogram.keys().last().copied().unwrap_or(0);
        let most = histogram.values().max().copied().unwrap_or(0).max(1);
        Scale { deepest, decades: most.ilog10() + 1 }
    }

    /// Width of a bar with its gap.
    fn step(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / f64::from(self.deepest + 1)
    }

    fn x(&self, plies: u32) -> f64 {
        LEFT + self.step() * f64::from(plies)
    }

    /// Zero and one class cannot share a place: a bar of one class has a little height.
    fn y(&self, classes: u64) -> f64 {
        let bottom = HEIGHT - BOTTOM - 6.0;
        let share = (classes as f64).log10() / f64::from(self.decades);
        bottom - share * (bottom - TOP)
    }
}

fn draw_bar(svg: &mut String, scale: &Scale, plies: u32, classes: u64) {
    let (outcome, color) = if plies % 2 == 1 { ("win", WINS) } else { ("loss", LOSSES) };
    let (y, width) = (scale.y(classes), 0.85 * scale.step());
    let _ = writeln!(
        svg,
        "<rect x=\"{:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{:.2}\" fill=\"{color}\">\
         <title>{outcome} in {plies}: {classes}</title></rect>",
        scale.x(plies),
        HEIGHT - BOTTOM - y
    );
}

fn draw_classes_axis(svg: &mut String, scale: &Scale) {
    for decade in 0..=scale.decades {
        let y = scale.y(10u64.pow(decade));
        line(svg, (LEFT, y), (WIDTH - RIGHT, y), GRID);
        let label = match decade {
            0 => "1".to_string(),
            1 => "10".to_string(),
            _ => format!("10<tspan dy=\"-5\" font-size=\"10\">{decade}</tspan>"),
        };
        let (x, y) = (LEFT - 8.0, y + 4.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
    }
}

fn draw_depth_axis(svg: &mut String, scale: &Scale) {
    let bottom = HEIGHT - BOTTOM;
    line(svg, (LEFT, bottom), (WIDTH - RIGHT, bottom), "black");
    for plies in (0..=scale.deepest).step_by(label_step(scale.deepest)) {
        let x = scale.x(plies) + 0.425 * scale.step();
        line(svg, (x, bottom), (x, bottom + 5.0), "black");
        text(svg, (x, bottom + 20.0), "middle", &plies.to_string());
    }
}

/// The first round step that leaves room for labels.
fn label_step(deepest: u32) -> usize {
    let steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
    let fits = |step: &usize| deepest as usize / step <= 25;
    steps.into_iter().find(fits).unwrap_or(5000)
}

fn draw_legend(svg: &mut String) {
    for (index, (name, color)) in [("wins", WINS), ("losses", LOSSES)].into_iter().enumerate() {
        let x = WIDTH - RIGHT - 150.0 + 80.0 * index as f64;
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"14\" width=\"12\" height=\"12\" fill=\"{color}\"/>"
        );
        text(svg, (x + 18.0, 24.5), "start", name);
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), color: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ =
        writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_every_depth_has_a_bar_of_its_colour() {
        let histogram = Histogram::from([(0, 1), (1, 40), (4, 1234), (7, 9)]);
        let svg = histogram_svg("three & <four>", &histogram);
        assert!(svg.starts_with("<svg xmlns") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("three &amp; &lt;four>"));
        for title in ["loss in 0: 1<", "win in 1: 40<", "loss in 4: 1234<", "win in 7: 9<"] {
            assert!(svg.contains(title), "{title}");
        }
        assert_eq!(svg.matches(WINS).count(), 3);
        assert_eq!(svg.matches(LOSSES).count(), 3);
        assert!(svg.contains("depth in plies") && svg.contains("position classes"));
    }

    #[test]
    fn test_more_classes_make_a_higher_bar_within_the_frame() {
        let scale = Scale::of(&Histogram::from([(0, 1), (200, 999_999)]));
        assert!(scale.y(1) > scale.y(2) && scale.y(999_999) >= TOP);
        assert!(scale.x(200) + scale.step() <= WIDTH - RIGHT + 0.01);
        assert!(Scale::of(&Histogram::new()).decades == 1);
    }
}
