//! Amounts of memory: as text, and as the machine has it.
//!
//! Invariant: [`default_memory`] never asks for more than a limit that Linux control groups set.

use super::CliError;

/// Share of the memory a solve takes unless told: the rest is for the system and its file cache.
const SHARE: (u64, u64) = (3, 4);

/// Assumed where the system does not tell.
const UNKNOWN: u64 = 4 << 30;

/// Reads `8GiB`, `500MB`, `2G`, `65536`: powers of 1024 with `i` or a bare letter, of 1000 with `B`
/// alone.
///
/// # Errors
/// What would have been understood.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let error = || "expected a size such as 8GiB, 500MB or a number of bytes from 1".to_string();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return Err(error()),
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).filter(|bytes| *bytes > 0).ok_or_else(error);
    }
    let fraction: f64 = number.parse().map_err(|_| error())?;
    let bytes = fraction * factor as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(error()) }
}

/// Memory a solve may use unless told.
pub fn default_memory() -> u64 {
    machine_memory().unwrap_or(UNKNOWN) / SHARE.1 * SHARE.0
}

/// Memory a command may use: what was asked for, or the default.
///
/// # Errors
/// The machine has less.
pub fn allowed_memory(asked: Option<u64>) -> Result<u64, CliError> {
    match (asked, machine_memory()) {
        (Some(asked), Some(there)) if asked > there => Err(CliError::Memory { asked, there }),
        (asked, _) => Ok(asked.unwrap_or_else(default_memory)),
    }
}

/// Memory that this process can have at most, as far as known.
fn machine_memory() -> Option<u64> {
    [physical_memory(), group_limit()].into_iter().flatten().min()
}

/// The machine's memory, as Linux tells it.
fn physical_memory() -> Option<u64> {
    proc_kilobytes("/proc/meminfo", "MemTotal:")
}

/// The most memory this process has held, as Linux tells it.
pub fn peak_memory() -> Option<u64> {
    proc_kilobytes("/proc/self/status", "VmHWM:")
}

fn group_limit() -> Option<u64> {
    std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}

fn proc_kilobytes(path: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(field))?;
    value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_sizes_are_read() {
        let cases = [("8GiB", 8 << 30), ("500MB", 500_000_000), ("2G", 2 << 30), ("65536", 65536)];
        for (text, bytes) in cases {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse_size("1.5 kib"), Ok(1536));
        for bad in [
            "",
            "0",
            "0GiB",
            "0.5",
            "GiB",
            "-1",
            "8 parsecs",
            "1.2.3G",
            "99999999999T",
            "NaN",
            "1e400",
        ] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn test_the_default_leaves_something() {
        assert!(default_memory() > 0);
        assert!(physical_memory().is_none_or(|all| default_memory() < all));
    }
}
