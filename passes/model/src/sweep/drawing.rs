//! The pipeline of a sweep, drawn as text: what every level does in every iteration. Those of
//! several statements are drawn by [`statements`].
//!
//! An iteration takes one plane of level 0. Level `l` then has the plane `ahead * l` planes back,
//! and with lazy skew `l` further: it computes it from the level below, if it is a plane of the
//! domain. Planes next to the domain, as far as the stencil reaches, are not computed on any level;
//! they come from memory, each level's from its boundary source. In the *prolog* some levels have
//! not begun; in the *steady state* all of them compute; in the *epilog* some have nothing left.
//!
//! Every chunk begins as many planes early as all levels reach behind. Those before the planes that
//! are read are drawn as iterations in which nothing happens. Where several lines arrive in an
//! iteration, each is drawn by itself, with the number of its iteration.
//!
//! The slots are those of the [queue](super::queue), counted modulo the slots that there are, as
//! [`check`](super::check) plays them; scatter form has no queue and is drawn with the planes whose
//! sums an arriving plane is added to. Neither have [whole planes](super::planes), which are drawn
//! with the planes that are read.

use super::{Reach, check::Sweep, planes::PlaneStorage, queue::SlotPlace};
use crate::plan::{Form, Skew, Storage};
use std::ops::Range;

pub mod statements;
#[cfg(test)]
mod tests;

/// Draws a sweep over the planes of a domain: a head, then a line for each plane that arrives. Of a
/// long steady state so many are drawn as slots have different roles, at least one.
pub fn drawing(sweep: &Sweep, planes: Range<i64>) -> String {
    let pipeline = Pipeline::of(sweep, planes);
    let steady = pipeline.steady();
    let shown = steady.start.saturating_add(pipeline.period()).min(steady.end);
    let mut table = vec![pipeline.titles()];
    for arrival in (0..pipeline.arrivals()).filter(|i| *i < shown || *i >= steady.end) {
        if arrival == steady.end && shown < steady.end {
            table.push(vec!["...".to_owned()]);
        }
        table.push(pipeline.line(arrival));
    }
    let mut lines = pipeline.head(&steady);
    lines.push(String::new());
    lines.extend(aligned(&table));
    lines.join("\n") + "\n"
}

/// Iterations of a sweep over the planes of a domain, or of a chunk, until the last level has
/// computed its last plane.
pub fn iterations(sweep: &Sweep, planes: Range<i64>) -> i64 {
    let pipeline = Pipeline::of(sweep, planes);
    (pipeline.arrivals() + pipeline.lines - 1) / pipeline.lines
}

/// Slots of the queue of a sweep in gather form: those decided on, or as many as it needs.
pub fn slots(sweep: &Sweep) -> usize {
    Pipeline::of(sweep, 0..0).slots() as usize
}

/// The numbers that a drawing is made from. What happens is counted by the planes that arrive.
struct Pipeline<'a> {
    reach: Reach,
    steps: i64,
    form: Form,
    skew: Skew,
    /// Planes that arrive in an iteration.
    lines: i64,
    storage: Storage,
    /// Planes that every level computes.
    planes: Range<i64>,
    /// Where the slots lie, if that is decided.
    places: Option<&'a [SlotPlace]>,
}

impl<'a> Pipeline<'a> {
    fn of(sweep: &'a Sweep, planes: Range<i64>) -> Self {
        Self {
            // The only plane of one dimension waits for no other.
            reach: match sweep.rank {
                0 | 1 => Reach::symmetric(0),
                _ => sweep.reach[0],
            },
            steps: sweep.steps.into(),
            form: sweep.form,
            skew: sweep.skew,
            lines: sweep.lines.max(1).into(),
            storage: sweep.storage,
            planes,
            places: sweep.slots.as_deref(),
        }
    }

    fn behind(&self) -> i64 {
        self.reach.behind.into()
    }

    fn ahead(&self) -> i64 {
        self.reach.ahead.into()
    }

    fn span(&self) -> i64 {
        self.reach.span().into()
    }

    /// Planes that a level is late: those of so many iterations.
    fn delay(&self, level: i64) -> i64 {
        i64::from(self.skew.lag()) * self.lines * level
    }

    /// Slots of the queue: those decided on, or as many as the schedule needs.
    fn slots(&self) -> i64 {
        match self.places {
            Some(places) => places.len().max(1) as i64,
            None => self.span() * self.steps + 1 + self.delay(self.steps),
        }
    }

    /// Arrivals after which every slot has the role that it had.
    fn period(&self) -> i64 {
        match self.form {
            Form::Gather if self.storage == Storage::Queue => self.slots(),
            Form::Gather => self.whole_planes().map_or(1, |(_, planes)| planes.into()),
            // The sums that are open at once go round in the same way.
            Form::Scatter => self.span() + 1,
        }
    }

    /// The plane of level 0 that arrives.
    fn arriving(&self, arrival: i64) -> i64 {
        self.planes.start - self.behind() * self.steps + arrival
    }

    /// The plane that a level has then.
    fn plane(&self, arrival: i64, level: i64) -> i64 {
        self.arriving(arrival) - self.ahead() * level - self.delay(level)
    }

    /// Planes that arrive until the last level has computed its last one.
    fn arrivals(&self) -> i64 {
        let more = self.span() * self.steps + self.delay(self.steps);
        match self.planes.is_empty() {
            true => 0,
            false => self.planes.end - self.planes.start + more,
        }
    }

    /// The arrivals with which every level computes a plane; empty where there are none.
    fn steady(&self) -> Range<i64> {
        let computes = |arrival: &i64| {
            (1..=self.steps).all(|level| self.planes.contains(&self.plane(*arrival, level)))
        };
        let mut all = (0..self.arrivals()).filter(computes);
        match (all.next(), all.next_back()) {
            (Some(first), last) => first..last.unwrap_or(first) + 1,
            (None, _) => self.arrivals()..self.arrivals(),
        }
    }

    /// Planes that are read and not computed, on either side of the domain, are of no level in
    /// particular: each level reads them from its boundary source.
    fn is_read(&self, plane: i64) -> bool {
        (self.planes.start - self.behind()..self.planes.end + self.ahead()).contains(&plane)
    }

    fn head(&self, steady: &Range<i64>) -> Vec<String> {
        let Range { start, end } = &self.planes;
        let mut lines = vec![format!(
            "{} steps over the planes {start} to {}, {} form, {} skew; reach {} behind, {} ahead",
            self.steps,
            end - 1,
            self.form.word(),
            self.skew.word(),
            self.behind(),
            self.ahead(),
        )];
        lines.push(match (self.storage.planes(), self.form) {
            (Some(storage), _) => self.stored(storage),
            (None, Form::Gather) => self.queue(),
            (None, Form::Scatter) => {
                format!("sums: {} of each level are open at once", self.span() + 1)
            }
        });
        let count = self.arrivals();
        let counted = match self.lines {
            1 => "iterations".to_owned(),
            lines => format!("lines, {lines} in each iteration"),
        };
        lines.push(match steady.is_empty() {
            true => format!("{count} {counted}, in none of which every level computes"),
            false => format!(
                "prolog {}, steady state {}, epilog {} {counted}; roles come again every {}",
                steady.start,
                steady.end - steady.start,
                count - steady.end,
                self.period(),
            ),
        });
        lines
    }

    fn queue(&self) -> String {
        let count = self.slots();
        let Some(places) = self.places else {
            return format!("queue: {count} slots, it is not decided where they lie");
        };
        let lying = |wanted: SlotPlace| {
            let slots = places.iter().enumerate().filter(|(_, place)| **place == wanted);
            slots.map(|(slot, _)| format!(" {slot}")).collect::<String>()
        };
        let parts = [(SlotPlace::Register, "registers"), (SlotPlace::Shared, "shared memory")]
            .map(|(place, name)| (lying(place), name));
        let parts = parts.iter().filter(|(slots, _)| !slots.is_empty());
        let parts = parts.map(|(slots, name)| format!("in {name}{slots}")).collect::<Vec<_>>();
        format!("queue: {count} slots, {}", parts.join(", "))
    }

    /// With whole planes: values of a point in registers and planes in shared memory, of a level.
    fn whole_planes(&self) -> Option<(u32, u32)> {
        let lines = u32::try_from(self.lines).unwrap_or(u32::MAX);
        let (storage, lag) = (self.storage.planes()?, self.skew.lag().saturating_mul(lines));
        let (values, planes) = storage.per_level(self.reach, lag);
        Some((values, planes.saturating_add(lines - 1)))
    }

    fn stored(&self, storage: PlaneStorage) -> String {
        let (values, planes) = self.whole_planes().unwrap_or_default();
        let name = if self.lines == 1 { "plane" } else { "line" };
        let s = if planes == 1 { "" } else { "s" };
        let shared = format!("{planes} {name}{s} of each level in shared memory");
        match storage {
            PlaneStorage::Shared => shared,
            PlaneStorage::DiagonalFree => format!("{shared}, {values} in registers"),
            PlaneStorage::Retimed => format!("{shared}, {values} sums in registers"),
        }
    }

    fn titles(&self) -> Vec<String> {
        let levels = (1..=self.steps).map(|level| format!("level {level}"));
        ["iteration".to_owned(), "arrives".to_owned()].into_iter().chain(levels).collect()
    }

    fn line(&self, arrival: i64) -> Vec<String> {
        let levels = (1..=self.steps).map(|level| match self.form {
            Form::Gather if self.storage == Storage::Queue => self.gathered(arrival, level),
            Form::Gather => self.computed_of_planes(arrival, level),
            Form::Scatter => self.scattered(arrival, level),
        });
        let iteration = (arrival / self.lines).to_string();
        [iteration, self.arrived(arrival)].into_iter().chain(levels).collect()
    }

    fn arrived(&self, arrival: i64) -> String {
        let plane = self.arriving(arrival);
        match self.form {
            _ if !self.is_read(plane) => String::new(),
            Form::Gather if self.storage == Storage::Queue => {
                format!("{plane} -> {}", self.slot(arrival))
            }
            Form::Gather | Form::Scatter => plane.to_string(),
        }
    }

    /// `3: 1 2 3 -> 1` is plane 3 from what is in three slots, into the lowest of them.
    fn gathered(&self, arrival: i64, level: i64) -> String {
        let plane = self.plane(arrival, level);
        let lowest = arrival - self.delay(level) - self.span() * level;
        let writes = self.slot(lowest);
        if self.planes.contains(&plane) {
            let reads = (lowest..=lowest + self.span()).map(|slot| self.slot(slot).to_string());
            return format!("{plane}: {} -> {writes}", reads.collect::<Vec<_>>().join(" "));
        }
        // The last level's neighbours are read by nothing.
        match level < self.steps && self.is_read(plane) {
            true => format!("{plane}: halo -> {writes}"),
            false => String::new(),
        }
    }

    /// `3 from 2 to 4` is plane 3, computed of those planes of the level below.
    fn computed_of_planes(&self, arrival: i64, level: i64) -> String {
        let plane = self.plane(arrival, level);
        if self.planes.contains(&plane) {
            return format!("{plane} from {} to {}", plane - self.behind(), plane + self.ahead());
        }
        match level < self.steps && self.is_read(plane) {
            true => format!("{plane} from halo"),
            false => String::new(),
        }
    }

    /// `4 into 3 4 5, 3 done` is plane 4 of the level below, added to the sums of three planes, one
    /// of which that completes.
    fn scattered(&self, arrival: i64, level: i64) -> String {
        let done = self.plane(arrival, level);
        let source = done + self.ahead();
        let sums = (done..=source + self.behind()).filter(|plane| self.planes.contains(plane));
        let sums = sums.map(|plane| format!(" {plane}")).collect::<String>();
        match (sums.is_empty(), self.planes.contains(&done)) {
            (true, _) => String::new(),
            (false, true) => format!("{source} into{sums}, {done} done"),
            (false, false) => format!("{source} into{sums}"),
        }
    }

    fn slot(&self, number: i64) -> i64 {
        number.rem_euclid(self.slots())
    }
}

/// The cells of each line in columns, without blanks at its end.
fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = table.iter().filter_map(|line| line.get(column));
        cells.map(String::len).max().unwrap_or(0)
    };
    let widths = (0..columns).map(width).collect::<Vec<_>>();
    table
        .iter()
        .map(|line| {
            let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}
