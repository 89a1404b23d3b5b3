//! Who hears of long work: a terminal's progress bar, or nobody.

/// Is told how far work has come. A crate does not print; programs do.
pub trait Monitor: Sync {
    /// Something a person wants to know before it happens.
    fn note(&self, text: &str);
    /// Work of `total` units starts; 0 if nobody knows how much it is.
    fn start(&self, what: &str, total: u64);
    /// So many units are done. Called now and then, from any thread.
    fn advance(&self, done: u64);
    /// The work has ended, well or not.
    fn finish(&self);
}

/// Nobody listens.
pub struct Silent;

impl Monitor for Silent {
    fn note(&self, _: &str) {}
    fn start(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn finish(&self) {}
}
