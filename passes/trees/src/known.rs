//! The codes that orders were found for last.
//!
//! A program has the same code in several kernels (each variant of a sweep, each function that
//! calls it), and a comparison of plans compiles it once a plan. Finding its orders again would
//! take seconds. What is found depends on the code and the options alone, so that nothing else is
//! compared, and nothing is ever wrong.

use crate::schedule::{Options, Ways};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stencil_code::Dag;

/// Codes that are remembered: more than a program has, few megabytes.
const CODES: usize = 16;

/// A code, and what was found.
pub struct Known {
    code: Dag,
    options: Options,
    ways: Ways,
}

/// What was asked for last is first.
pub struct KnownCodes(Mutex<VecDeque<Known>>);

/// Those of this process.
pub static KNOWN: KnownCodes = KnownCodes(Mutex::new(VecDeque::new()));

impl KnownCodes {
    /// The ways of a code: those known, or what `find` finds.
    pub fn ways(
        &self,
        code: &Dag,
        options: &Options,
        find: impl FnOnce(&Dag, &Options) -> Ways,
    ) -> Ways {
        if let Some(ways) = self.recall(code, options) {
            return ways;
        }
        let ways = find(code, options);
        let known = Known { code: code.clone(), options: options.clone(), ways: ways.clone() };
        let mut all = self.all();
        all.push_front(known);
        all.truncate(CODES);
        ways
    }

    fn recall(&self, code: &Dag, options: &Options) -> Option<Ways> {
        let mut all = self.all();
        let at = all.iter().position(|known| known.code == *code && known.options == *options)?;
        let known = all.remove(at)?;
        let ways = known.ways.clone();
        all.push_front(known);
        Some(ways)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Statistics;
    use std::cell::Cell;
    use stencil_code::{Item, Kind};

    /// So many loads, stored one after the other.
    fn code(loads: usize) -> Dag {
        let mut dag = Dag::default();
        for _ in 0..loads {
            let load = dag.push(Item::new(Kind::Load, Vec::new(), 1));
            dag.push(Item::new(Kind::Store, vec![load], 0));
        }
        dag
    }

    #[test]
    fn a_code_is_searched_once_until_as_many_others_were() {
        let (known, searches) = (KnownCodes(Mutex::default()), Cell::new(0));
        let ask = |loads, options: &Options| {
            known.ways(&code(loads), options, |_, _| {
                searches.set(searches.get() + 1);
                Ways { ways: Vec::new(), statistics: Statistics::default() }
            });
            searches.get()
        };
        let options = Options { states: 1, ..Options::default() };
        assert_eq!([ask(1, &options), ask(1, &options)], [1, 1]);
        assert_eq!(ask(1, &Options { states: 2, ..options.clone() }), 2, "other options");
        assert_eq!((2..=CODES).map(|loads| ask(loads, &options)).max(), Some(CODES + 1));
        assert_eq!(ask(CODES, &options), CODES + 1, "the last one is known");
        assert_eq!(ask(1, &options), CODES + 2, "the first one is not any more");
    }
}
