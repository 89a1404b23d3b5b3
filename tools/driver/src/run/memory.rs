//! How much memory is left, so that a run that does not fit is refused before it starts.
//!
//! Linux hands out more memory than it has, and ends the process that touches it: asking the
//! allocator is not enough.

use crate::DriverError;
use std::fs;

/// Bytes that can still be used; `None` where the system does not tell.
pub fn available() -> Option<u64> {
    let system = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_in(&text));
    match (system, group_limit()) {
        (Some(system), Some(group)) => Some(system.min(group)),
        (system, group) => system.or(group),
    }
}

/// Refuses a need that is larger than what is left.
pub fn check(needed: u64) -> Result<(), DriverError> {
    match available() {
        Some(available) if needed > available => Err(DriverError::Memory { needed, available }),
        _ => Ok(()),
    }
}

/// `MemAvailable` in the text of `/proc/meminfo`.
fn available_in(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}

/// What the control group of this process (a container, usually) leaves it.
fn group_limit() -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?.trim().parse().ok()
    };
    Some(number("memory.max")?.saturating_sub(number("memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_text_is_read() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:   12000000 kB\n";
        assert_eq!(available_in(text), Some(12_000_000 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn what_no_machine_has_is_refused() {
        if available().is_some() {
            let message = check(u64::MAX).unwrap_err().to_string();
            assert!(message.contains("needs 18446744073709551615 bytes"), "{message}");
        }
        assert!(check(1).is_ok());
    }
}
