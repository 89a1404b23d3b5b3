//! Where the time of a run of the tests went.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How many of the slowest tests are listed.
const LISTED: usize = 15;

/// Wall time by phase, by test binary and by lit test.
#[derive(Default)]
pub struct Times {
    phases: Vec<(&'static str, Duration)>,
    binaries: Vec<(String, Duration)>,
    lit: Vec<(String, Duration)>,
}

impl Times {
    /// Does something and notes how long it took.
    pub fn phase<T>(&mut self, name: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let done = work(self);
        self.phases.push((name, start.elapsed()));
        done
    }

    /// Notes what a test binary took.
    pub fn binary(&mut self, name: &str, wall: Duration) {
        self.binaries.push((name.to_owned(), wall));
    }

    /// Notes what a lit test took.
    pub fn lit(&mut self, name: &str, wall: Duration) {
        self.lit.push((name.to_owned(), wall));
    }

    /// Adds what was noted elsewhere.
    pub fn add(&mut self, other: Self) {
        self.phases.extend(other.phases);
        self.binaries.extend(other.binaries);
        self.lit.extend(other.lit);
    }

    /// One line a phase, in the order in which they ended.
    pub fn phases(&self) -> String {
        let sum = self.phases.iter().map(|(_, wall)| *wall).sum();
        let lines = self.phases.iter().map(|(name, wall)| row(*wall, name));
        lines.chain([row(sum, "together")]).collect()
    }

    /// The slowest test binaries and lit tests.
    pub fn slowest(&self) -> String {
        let list = |title: &str, times: &[(String, Duration)]| {
            let mut times = times.to_vec();
            times.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let rows = times.iter().take(LISTED).map(|(name, wall)| row(*wall, name));
            format!("slowest {title}:\n{}", rows.collect::<String>())
        };
        list("test binaries", &self.binaries) + &list("lit tests", &self.lit)
    }

    /// Keeps what binaries took, for [`remembered`] of a later run; what did not run stays.
    pub fn remember(&self, file: &Path) -> Result<()> {
        let mut seconds = remembered(file);
        let ran = self.binaries.iter().map(|(name, wall)| (name.clone(), wall.as_secs_f64()));
        seconds.extend(ran);
        let text = serde_json::to_string_pretty(&seconds).context("times are JSON")?;
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    }
}

/// Seconds that binaries took in an earlier run; nothing if there was none.
pub fn remembered(file: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn row(wall: Duration, name: &str) -> String {
    format!("{:>8.1} s  {name}\n", wall.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_and_tests_are_listed_slowest_first() {
        let mut times = Times::default();
        assert_eq!(times.phase("build", |_| 7), 7);
        times.binary("model", Duration::from_millis(1500));
        times.binary("driver", Duration::from_secs(12));
        let mut of_lit = Times::default();
        of_lit.lit("a.mlir", Duration::from_millis(300));
        times.add(of_lit);
        assert!(times.phases().starts_with("     0.0 s  build\n"), "{}", times.phases());
        assert!(times.phases().ends_with(" s  together\n"), "{}", times.phases());
        assert_eq!(
            times.slowest(),
            "slowest test binaries:\n    12.0 s  driver\n     1.5 s  model\n\
             slowest lit tests:\n     0.3 s  a.mlir\n"
        );
    }

    #[test]
    fn times_are_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("times.json");
        assert!(remembered(&file).is_empty());
        let mut times = Times::default();
        times.binary("driver", Duration::from_secs(12));
        times.remember(&file).unwrap();
        assert_eq!(remembered(&file), BTreeMap::from([("driver".to_owned(), 12.0)]));
    }
}
