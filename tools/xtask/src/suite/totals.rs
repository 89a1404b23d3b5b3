//! Counting tests.

/// How many tests did what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that ran and passed.
    pub passed: u64,
    /// Tests that ran and failed.
    pub failed: u64,
    /// Tests that could not run here, as those for a device.
    pub not_run: u64,
}

impl Totals {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            not_run: self.not_run + other.not_run,
        }
    }

    /// The closing line.
    pub fn line(self, of: &str) -> String {
        let Self { passed, failed, not_run } = self;
        let rest = if not_run == 0 { String::new() } else { format!(", {not_run} skipped") };
        format!("{of}: {passed} passed, {failed} failed{rest}")
    }
}

/// The counts in libtest's `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
pub fn closing_line(line: &str) -> Option<Totals> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let count = |what: &str| {
        let mut parts = counts.split("; ").filter_map(|part| part.split_once(' '));
        parts.find(|(_, name)| *name == what)?.0.parse().ok()
    };
    Some(Totals { passed: count("passed")?, failed: count("failed")?, not_run: count("ignored")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_read_and_others_are_not() {
        let line = "test result: ok. 35 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; \
                    finished in 0.12s";
        assert_eq!(closing_line(line), Some(Totals { passed: 35, failed: 2, not_run: 1 }));
        let failed = "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured";
        assert_eq!(closing_line(failed), Some(Totals { passed: 0, failed: 1, not_run: 0 }));
        assert_eq!(closing_line("test tests::a ... ok"), None);
        assert_eq!(closing_line("test result: ok"), None);
    }

    #[test]
    fn the_last_line_counts_everything() {
        let totals = Totals { passed: 3, failed: 1, not_run: 0 };
        assert_eq!(totals.line("total"), "total: 3 passed, 1 failed");
        let some = Totals { not_run: 2, ..totals };
        assert_eq!(some.line("lit"), "lit: 3 passed, 1 failed, 2 skipped");
        let sum = totals.plus(some);
        assert_eq!(sum, Totals { passed: 6, failed: 2, not_run: 2 });
    }
}
