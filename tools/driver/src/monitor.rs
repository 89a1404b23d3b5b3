//! Progress of long work: a terminal's progress bar, or nothing.

/// Is told how far work has come. A crate does not print; programs do.
pub trait Monitor: Sync {
    /// Something a person wants to know before it happens.
    fn note(&self, text: &str);
    /// Work of `total` units starts; 0 if the amount is not known.
    fn start(&self, what: &str, total: u64);
    /// So many units are done. Called now and then, from any thread.
    fn advance(&self, done: u64);
    /// The work has ended, well or not.
    fn finish(&self);
}

/// Shows nothing.
pub struct Silent;

impl Monitor for Silent {
    fn note(&self, _: &str) {}
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}
