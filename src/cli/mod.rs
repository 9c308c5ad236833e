//! The command line: parse, one library call, print.
//!
//! Each command is a file with its `Arguments` and a `run`; what they share lies in `options`
//! (what was asked for), `output` (where answers go), `error` (what is said when it fails) and
//! `text` (numbers for people). Invariant: the exit status is 0 for yes, 1 where the answer is no,
//! 2 for an error, which is one line on stderr; a reader that closes the pipe is no error.

mod bench;
mod error;
mod export;
mod inspect;
mod options;
mod output;
mod perft;
mod plan;
mod progress;
mod query;
mod reproduce;
mod size;
mod solve;
mod stats;
mod text;
mod verify;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use error::CliError;
use options::Globals;
use output::Output;
use std::ffi::OsString;
use std::process::ExitCode;

/// What a command that did its work found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
}

/// Every command's outcome.
type Outcome = Result<Answer, CliError>;

/// Solves nine men's morris and its family exactly, and answers questions about them.
#[derive(Parser)]
#[command(
    name = "merels",
    bin_name = "merels",
    version,
    propagate_version = true,
    after_help = "Example: merels solve --rules three && merels query start --rules three\n\
                  Exit status: 0 yes or done, 1 the answer is no, 2 error."
)]
struct Cli {
    #[command(flatten)]
    globals: Globals,
    /// Change one rule; may be repeated (men=4, flying=always)
    #[arg(long = "rule", value_name = "KEY=VALUE", help_heading = options::HEADING)]
    rule: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Plan(Job<plan::Arguments>),
    Solve(Job<solve::Arguments>),
    Query(Job<query::Arguments>),
    Inspect(Job<inspect::Arguments>),
    Verify(Job<verify::Arguments>),
    Stats(Job<stats::Arguments>),
    Export(Job<export::Arguments>),
    Reproduce(Job<reproduce::Arguments>),
    Perft(Job<perft::Arguments>),
    Bench(Job<bench::Arguments>),
}

// A command's own arguments beside the rule options, which may stand before and after the command:
// clap would let the later ones replace the earlier ones if they were global. No doc comment: clap
// would show it instead of the command's.
#[derive(Args)]
struct Job<A: Args> {
    #[command(flatten)]
    arguments: A,
    /// Change one rule; may be repeated (men=4, flying=always)
    #[arg(long = "rule", value_name = "KEY=VALUE", help_heading = options::HEADING)]
    rule: Vec<String>,
}

/// Runs the command line `arguments`, the program's name first.
pub fn run<T: Into<OsString>>(arguments: impl IntoIterator<Item = T>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().map(T::into).collect();
    let outcome = match Cli::try_parse_from(&arguments) {
        Ok(cli) => run_command(cli),
        Err(error) => refuse(&error, &arguments),
    };
    match outcome {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

fn run_command(cli: Cli) -> Outcome {
    let Cli { globals, rule, command } = cli;
    let with = |later: &[String]| globals.context(&[&rule[..], later].concat());
    match &command {
        Command::Plan(job) => with(&job.rule)?.run(|context| plan::run(context, &job.arguments)),
        Command::Solve(job) => with(&job.rule)?.run(|context| solve::run(context, &job.arguments)),
        Command::Query(job) => with(&job.rule)?.run(|context| query::run(context, &job.arguments)),
        Command::Inspect(job) => {
            with(&job.rule)?.run(|context| inspect::run(context, &job.arguments))
        }
        Command::Verify(job) => {
            with(&job.rule)?.run(|context| verify::run(context, &job.arguments))
        }
        Command::Stats(job) => with(&job.rule)?.run(|context| stats::run(context, &job.arguments)),
        Command::Export(job) => {
            with(&job.rule)?.run(|context| export::run(context, &job.arguments))
        }
        Command::Reproduce(job) => {
            with(&job.rule)?.run(|context| reproduce::run(context, &job.arguments))
        }
        Command::Perft(job) => with(&job.rule)?.run(|context| perft::run(context, &job.arguments)),
        Command::Bench(job) => with(&job.rule)?.run(|context| bench::run(context, &job.arguments)),
    }
}

/// Help and version are answers; everything else clap refuses is one line like any error.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> Outcome {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Output.print(&text)?;
            Ok(Answer::Yes)
        }
        ErrorKind::MissingSubcommand => {
            Err(CliError::Usage("no command given: see `merels --help`".to_string()))
        }
        _ => Err(CliError::Usage(usage_line(&text, arguments))),
    }
}

/// Clap's paragraphs as one line: what is wrong, its tips, and where the help is.
fn usage_line(text: &str, arguments: &[OsString]) -> String {
    let lines = text.lines().map(str::trim);
    let is_end = |line: &&str| line.starts_with("Usage:") || line.starts_with("For more");
    let said = lines.take_while(|line| !is_end(line)).filter(|line| !line.is_empty());
    let said = said.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    let commands = Cli::command();
    let command = arguments.iter().skip(1).find_map(|word| commands.find_subcommand(word));
    let command = command.map_or(String::new(), |command| format!(" {}", command.get_name()));
    format!("{said}; see `merels{command} --help`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn test_rule_options_on_both_sides_of_the_command_add_up() {
        let words = "merels --rule men=4 plan --rule flying=always --rules six";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap();
        let Command::Plan(job) = &cli.command else { panic!("another command") };
        let rules = [&cli.rule[..], &job.rule].concat();
        let context = cli.globals.context(&rules).unwrap();
        assert_eq!(context.rules.name(), "six+men=4+flying=always");
    }

    #[test]
    fn test_usage_errors_are_one_line_with_the_way_to_help() {
        let words = ["merels", "plan", "--frob"].map(OsString::from);
        let error = Cli::try_parse_from(&words).err().unwrap();
        let line = usage_line(&error.render().to_string(), &words);
        assert!(line.starts_with("unexpected argument '--frob' found"), "{line}");
        assert!(line.ends_with("see `merels plan --help`") && !line.contains('\n'), "{line}");
    }
}
