//! The smallest windows that are right for so many time steps.

use super::{coordinates, options::Options};
use crate::{
    analysis::{
        decomposition::{Decomposition, Margins, Window, even_cuts, windows},
        domain::Domain,
        margins::Shift,
        plane_flow::{Answer, CUT, Needs, Program, Question, follow, needs},
    },
    framework::{Failed, refuse},
};
use melior::ir::OperationRef;
use std::{iter, ops::Range};

/// The program with its domain, while windows are searched.
#[derive(Clone, Copy)]
pub(super) struct Search<'p, 'c, 'a> {
    pub(super) program: &'p Program<'c, 'a>,
    pub(super) domain: &'p Domain<'c, 'a>,
    pub(super) options: &'p Options,
}

/// Windows that are right for so many iterations, or what stands against them.
pub(super) enum Found {
    Windows {
        extent: i64,
        margins: Margins,
        windows: Vec<Window>,
    },
    /// They would be larger than the domain.
    Thin,
    /// However large they are.
    Wrong(Answer),
}

impl Found {
    /// Planes that windows have beyond those of their devices, at a cut.
    fn halo(&self) -> Option<i64> {
        match self {
            Found::Windows { margins, .. } => Some(margins.halo),
            Found::Thin | Found::Wrong(_) => None,
        }
    }
}

impl<'c: 'a, 'a> Search<'_, 'c, 'a> {
    /// The iterations of so many time steps.
    pub(super) fn iterations(&self, steps: Option<i64>) -> i64 {
        steps.unwrap_or(0) / self.program.time_loop.map_or(1, |time_loop| time_loop.step)
    }

    /// The smallest windows, and the writers that have to become ones of all planes for them: those
    /// of few planes apart from both ends of the domain, which are at another place in each window,
    /// so that halos would have to be as wide as they are far from the end.
    pub(super) fn best(&self, whole: &Range<i64>, iterations: i64) -> (Found, Vec<usize>) {
        let found = self.windows(whole.clone(), iterations);
        let mut apart = coordinates::apart(self.program, self.domain);
        if apart.is_empty() {
            return (found, Vec::new());
        }
        let widened = |apart: &[(usize, Range<i64>)]| {
            let program = self.program.writing(apart);
            Search { program: &program, ..*self }.windows(whole.clone(), iterations).halo()
        };
        let wide = widened(&apart);
        let is_better = match (wide, found.halo()) {
            (Some(wide), Some(halo)) => wide < halo,
            (wide, _) => wide.is_some(),
        };
        if !is_better {
            return (found, Vec::new());
        }
        // Those near an end, such as fills of ghost cells, need no wider halos, and read more.
        for place in (0..apart.len()).rev() {
            let mut others = apart.clone();
            others.remove(place);
            if widened(&others) == wide {
                apart = others;
            }
        }
        (found, apart.into_iter().map(|(writer, _)| writer).collect())
    }

    /// The smallest windows of a domain of these planes.
    fn windows(&self, whole: Range<i64>, iterations: i64) -> Found {
        let apart = self.grown(&whole, iterations, |halo| Margins { halo, other_end: 0 });
        if let Found::Windows { .. } = apart {
            return apart;
        }
        match self.grown(&whole, iterations, |halo| Margins { halo, other_end: halo }) {
            // What is missing in windows of one end is the reason that a reader understands.
            Found::Thin | Found::Wrong(_) => apart,
            found => found,
        }
    }

    /// Windows with margins that grow until they are large enough.
    fn grown(&self, whole: &Range<i64>, iterations: i64, of: impl Fn(i64) -> Margins) -> Found {
        let most = self.program.reach_most(iterations, &self.own());
        let (mut halo, mut untried) = (0, 0);
        loop {
            let margins = of(halo);
            let Some((extent, windows)) = self.cut(whole, margins) else {
                // The step may have been too long.
                if halo <= untried {
                    return Found::Thin;
                }
                halo -= 1;
                continue;
            };
            let answer = self.worst(whole, extent, &windows, iterations);
            if answer.is_right() {
                return self.shrunk(whole, iterations, Found::Windows { extent, margins, windows });
            }
            // What goes wrong at a cut does not get further. A field that ends before the domain
            // may have the planes at a cut in larger windows.
            if halo > most {
                return Found::Wrong(answer);
            }
            untried = halo + 1;
            halo += answer.deficit().max(1);
        }
    }

    /// The planes of the program as it is written.
    fn own(&self) -> Range<i64> {
        self.domain.bounds.lower[CUT]..self.domain.bounds.upper[CUT]
    }

    /// The same with a halo that is as small as it can be: it grew by what was missing where it was
    /// missing most, and a cut may need less than the other end.
    fn shrunk(&self, whole: &Range<i64>, iterations: i64, mut best: Found) -> Found {
        while let Found::Windows { margins, .. } = best
            && margins.halo > 0
        {
            let margins = Margins { halo: margins.halo - 1, ..margins };
            let Some((extent, windows)) = self.cut(whole, margins) else { break };
            if !self.worst(whole, extent, &windows, iterations).is_right() {
                break;
            }
            best = Found::Windows { extent, margins, windows };
        }
        best
    }

    fn cut(&self, whole: &Range<i64>, margins: Margins) -> Option<(i64, Vec<Window>)> {
        let Options { devices, cuts, .. } = self.options;
        match cuts.is_empty() {
            true => windows(whole.clone(), &even_cuts(whole.clone(), *devices, margins)?, margins),
            false => windows(whole.clone(), cuts, margins),
        }
    }

    /// What is asked of a window.
    fn question<'w>(
        &self,
        whole: &Range<i64>,
        extent: i64,
        window: &'w Window,
        iterations: i64,
    ) -> Question<'w> {
        let Range { start: lower, end: upper } = self.own();
        let shift = |extent: i64| Shift { lower, upper, by: extent - (upper - lower) };
        let (whole, local) = (shift(whole.end - whole.start), shift(extent));
        Question { whole, local, window, iterations }
    }

    /// What each device needs for its time steps between exchanges.
    pub(super) fn needs(&self, made: &Decomposition) -> Vec<Needs> {
        let (Some(steps), Some(time_loop)) = (made.steps, self.program.time_loop) else {
            return Vec::new();
        };
        let of_window = |window| {
            let iterations = steps / time_loop.step;
            let question = self.question(&made.whole, made.extent, window, iterations);
            let mut needs = needs(self.program, question);
            if !self.options.overlap {
                needs.early.clear();
            }
            needs
        };
        made.windows.iter().map(of_window).collect()
    }

    /// The answer for the window that misses most.
    fn worst(
        &self,
        whole: &Range<i64>,
        extent: i64,
        windows: &[Window],
        iterations: i64,
    ) -> Answer {
        let answers = windows
            .iter()
            .map(|window| follow(self.program, self.question(whole, extent, window, iterations)));
        let worst = answers.max_by_key(|answer| (answer.is_incomplete, answer.deficit()));
        worst.expect("there is a device")
    }

    /// The least planes that devices could share.
    fn least_planes(&self, whole: &Range<i64>, iterations: i64) -> Option<i64> {
        if !self.options.cuts.is_empty() {
            return None;
        }
        let fits = |planes: i64| {
            let found = self.windows(whole.start..whole.start + planes, iterations);
            matches!(found, Found::Windows { .. })
        };
        let extent = whole.end - whole.start;
        let mut above = iter::successors(Some(extent), |planes| planes.checked_mul(2)).take(24);
        let mut high = above.find(|planes| fits(*planes))?;
        let mut low = extent;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if fits(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }

    pub(super) fn refuse_thin(
        &self,
        function: OperationRef<'c, 'a>,
        whole: Range<i64>,
        steps: Option<i64>,
    ) -> Failed {
        let devices = self.options.devices;
        let least = self.least_planes(&whole, self.iterations(steps));
        let planes = whole.end - whole.start;
        let (exchanges, fewer) = match steps {
            Some(steps) => (
                format!(", exchanging after every {steps} time steps"),
                "give fewer devices, or fewer steps between exchanges",
            ),
            None => (String::new(), "give fewer devices"),
        };
        let what = format!(
            "has {planes} planes along dimension {CUT}, too few for {devices} devices with their \
             halos{exchanges}"
        );
        let remedy = match least {
            Some(least) => format!("{fewer}; {least} planes would be enough"),
            None => fewer.to_owned(),
        };
        refuse(&function, what, remedy)
    }
}
