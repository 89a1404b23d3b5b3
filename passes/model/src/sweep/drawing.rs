//! The pipeline of a sweep, drawn as text: what every level does in every iteration.
//!
//! An iteration takes one plane of level 0. Level `l` then has the plane `ahead * l` planes back,
//! and with lazy skew `l - 1` further: it computes it from the level below, if it is a plane of the
//! domain. Planes next to the domain, as far as the stencil reaches, are not computed on any level;
//! they come from memory, each level's from its home. In the *prolog* some levels have not begun;
//! in the *steady state* all of them compute; in the *epilog* some have nothing left.
//!
//! The slots are those of the [queue](super::queue), counted modulo the slots that there are, as
//! [`check`](super::check) plays them; scatter form has no queue and is drawn with the planes whose
//! sums an arriving plane is added to. Neither have [whole planes](super::planes), which are drawn
//! with the planes that are read.

use super::{Reach, check::Sweep, planes::PlaneStorage, queue::SlotPlace};
use crate::plan::{Form, Skew, Storage};
use std::ops::Range;

/// Draws a sweep over the planes of a domain: a head, then a line for each iteration. Of a long
/// steady state so many iterations are drawn as slots have different roles, at least one.
pub fn drawing(sweep: &Sweep, planes: Range<i64>) -> String {
    let pipeline = Pipeline::of(sweep, planes);
    let steady = pipeline.steady();
    let shown = steady.start.saturating_add(pipeline.period()).min(steady.end);
    let mut table = vec![pipeline.titles()];
    for iteration in (0..pipeline.iterations()).filter(|i| *i < shown || *i >= steady.end) {
        if iteration == steady.end && shown < steady.end {
            table.push(vec!["...".to_owned()]);
        }
        table.push(pipeline.line(iteration));
    }
    let mut lines = pipeline.head(&steady);
    lines.push(String::new());
    lines.extend(aligned(&table));
    lines.join("\n") + "\n"
}

/// Slots of the queue of a sweep in gather form: those decided on, or as many as it needs.
pub fn slots(sweep: &Sweep) -> usize {
    Pipeline::of(sweep, 0..0).slots() as usize
}

/// The numbers that a drawing is made from.
struct Pipeline<'a> {
    reach: Reach,
    steps: i64,
    form: Form,
    skew: Skew,
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

    /// Iterations that a level is late.
    fn delay(&self, level: i64) -> i64 {
        match self.skew {
            Skew::Tight => 0,
            Skew::Lazy => (level - 1).max(0),
        }
    }

    /// Slots of the queue: those decided on, or as many as the schedule needs.
    fn slots(&self) -> i64 {
        match self.places {
            Some(places) => places.len().max(1) as i64,
            None => self.span() * self.steps + 1 + self.delay(self.steps),
        }
    }

    /// Iterations after which every slot has the role that it had.
    fn period(&self) -> i64 {
        match self.form {
            Form::Gather if self.storage == Storage::Queue => self.slots(),
            Form::Gather => self.whole_planes().map_or(1, |(_, planes)| planes.into()),
            // The sums that are open at once go round in the same way.
            Form::Scatter => self.span() + 1,
        }
    }

    /// The plane of level 0 that an iteration takes.
    fn arriving(&self, iteration: i64) -> i64 {
        self.planes.start - self.behind() + iteration
    }

    /// The plane that a level has in an iteration.
    fn plane(&self, iteration: i64, level: i64) -> i64 {
        self.arriving(iteration) - self.ahead() * level - self.delay(level)
    }

    /// Iterations until the last level has computed its last plane.
    fn iterations(&self) -> i64 {
        let last = self.behind() + self.ahead() * self.steps + self.delay(self.steps);
        match self.planes.is_empty() {
            true => 0,
            false => self.planes.end - self.planes.start + last,
        }
    }

    /// The iterations in which every level computes a plane; empty where there are none.
    fn steady(&self) -> Range<i64> {
        let computes = |iteration: &i64| {
            (1..=self.steps).all(|level| self.planes.contains(&self.plane(*iteration, level)))
        };
        let mut all = (0..self.iterations()).filter(computes);
        match (all.next(), all.next_back()) {
            (Some(first), last) => first..last.unwrap_or(first) + 1,
            (None, _) => self.iterations()..self.iterations(),
        }
    }

    /// Planes that are read and not computed, on either side of the domain, are of no level in
    /// particular: each level takes them from its home.
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
        let count = self.iterations();
        lines.push(match steady.is_empty() {
            true => format!("{count} iterations, in none of which every level computes"),
            false => format!(
                "prolog {}, steady state {}, epilog {} iterations; roles come again every {}",
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
        let lag = u32::from(self.skew == Skew::Lazy);
        self.storage.planes().map(|storage| storage.per_level(self.reach, lag))
    }

    fn stored(&self, storage: PlaneStorage) -> String {
        let (values, planes) = self.whole_planes().unwrap_or_default();
        let s = if planes == 1 { "" } else { "s" };
        let shared = format!("{planes} plane{s} of each level in shared memory");
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

    fn line(&self, iteration: i64) -> Vec<String> {
        let levels = (1..=self.steps).map(|level| match self.form {
            Form::Gather if self.storage == Storage::Queue => self.gathered(iteration, level),
            Form::Gather => self.computed_of_planes(iteration, level),
            Form::Scatter => self.scattered(iteration, level),
        });
        [iteration.to_string(), self.arrival(iteration)].into_iter().chain(levels).collect()
    }

    fn arrival(&self, iteration: i64) -> String {
        let plane = self.arriving(iteration);
        match self.form {
            _ if !self.is_read(plane) => String::new(),
            Form::Gather if self.storage == Storage::Queue => {
                format!("{plane} -> {}", self.slot(iteration))
            }
            Form::Gather | Form::Scatter => plane.to_string(),
        }
    }

    /// `3: 1 2 3 -> 1` is plane 3 from what is in three slots, into the lowest of them.
    fn gathered(&self, iteration: i64, level: i64) -> String {
        let plane = self.plane(iteration, level);
        let lowest = iteration - self.delay(level) - self.span() * level;
        let writes = self.slot(lowest);
        if self.planes.contains(&plane) {
            let reads = (lowest..=lowest + self.span()).map(|slot| self.slot(slot).to_string());
            return format!("{plane}: {} -> {writes}", reads.collect::<Vec<_>>().join(" "));
        }
        // The last level's neighbours are read by nothing.
        match level < self.steps && self.is_read(plane) {
            true => format!("{plane}: home -> {writes}"),
            false => String::new(),
        }
    }

    /// `3 from 2 to 4` is plane 3, computed of those planes of the level below.
    fn computed_of_planes(&self, iteration: i64, level: i64) -> String {
        let plane = self.plane(iteration, level);
        if self.planes.contains(&plane) {
            return format!("{plane} from {} to {}", plane - self.behind(), plane + self.ahead());
        }
        match level < self.steps && self.is_read(plane) {
            true => format!("{plane} from home"),
            false => String::new(),
        }
    }

    /// `4 into 3 4 5, 3 done` is plane 4 of the level below, added to the sums of three planes, one
    /// of which that completes.
    fn scattered(&self, iteration: i64, level: i64) -> String {
        let done = self.plane(iteration, level);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::check::Limits;

    fn sweep(reach: Reach, steps: u32) -> Sweep {
        let offsets = (-i64::from(reach.behind)..=i64::from(reach.ahead)).map(|d| vec![d, 0]);
        Sweep {
            rank: 2,
            carried: vec![offsets.collect()],
            reach: vec![reach, Reach::symmetric(0)],
            steps,
            form: Form::Gather,
            skew: Skew::Tight,
            storage: Storage::Queue,
            slots: None,
            terms: Vec::new(),
            tile: Vec::new(),
            limits: Limits {
                value_bytes: 8,
                points: 1,
                threads: 32,
                registers: 255,
                shared_bytes: 49152,
            },
        }
    }

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn two_steps_of_radius_one_are_drawn_whole() {
        use SlotPlace::{Register, Shared};
        let slots = Some(vec![Shared, Shared, Shared, Register, Register]);
        let drawn = drawing(&Sweep { slots, ..sweep(Reach::symmetric(1), 2) }, 1..5);
        let expected = "\
2 steps over the planes 1 to 4, gather form, tight skew; reach 1 behind, 1 ahead
queue: 5 slots, in registers 3 4, in shared memory 0 1 2
prolog 3, steady state 3, epilog 1 iterations; roles come again every 5

iteration  arrives  level 1        level 2
0          0 -> 0
1          1 -> 1   0: home -> 4
2          2 -> 2   1: 0 1 2 -> 0
3          3 -> 3   2: 1 2 3 -> 1  1: 4 0 1 -> 4
4          4 -> 4   3: 2 3 4 -> 2  2: 0 1 2 -> 0
5          5 -> 0   4: 3 4 0 -> 3  3: 1 2 3 -> 1
6                   5: home -> 4   4: 2 3 4 -> 2
";
        assert_eq!(drawn, expected);
    }

    /// Of a long steady state one round of the queue is drawn.
    #[test]
    fn a_long_steady_state_is_cut_short() {
        let drawn = drawing(&sweep(Reach::symmetric(1), 1), 0..1000);
        let drawn = lines(&drawn);
        assert_eq!(drawn[1], "queue: 3 slots, it is not decided where they lie");
        let counts = "prolog 2, steady state 1000, epilog 0 iterations; roles come again every 3";
        assert_eq!(drawn[2], counts);
        assert_eq!(drawn.len(), 3 + 1 + 1 + 2 + 3);
        assert_eq!(drawn[7], "2          1 -> 2   0: 0 1 2 -> 0");
        let drawn = drawing(&sweep(Reach::symmetric(1), 2), 0..1000);
        assert_eq!(lines(&drawn)[13], "...");
        assert!(lines(&drawn)[14].starts_with("1002"));
    }

    #[test]
    fn lazy_levels_are_late() {
        let lazy = Sweep { skew: Skew::Lazy, ..sweep(Reach::symmetric(1), 3) };
        let drawn = drawing(&lazy, 1..9);
        let counts = "prolog 6, steady state 4, epilog 4 iterations; roles come again every 9";
        assert_eq!(lines(&drawn)[2], counts);
        // Level 3 has the plane that tight skew gives it two iterations earlier.
        let tight = sweep(Reach::symmetric(1), 3);
        let (lazy, tight) = (Pipeline::of(&lazy, 1..9), Pipeline::of(&tight, 1..9));
        assert_eq!([1, 2, 3].map(|level| lazy.plane(7, level)), [6, 4, 2]);
        assert_eq!(lazy.plane(7, 3), tight.plane(5, 3));
    }

    #[test]
    fn scatter_form_is_drawn_with_sums() {
        let scatter = Sweep { form: Form::Scatter, ..sweep(Reach::symmetric(1), 2) };
        let expected = "\
2 steps over the planes 1 to 3, scatter form, tight skew; reach 1 behind, 1 ahead
sums: 3 of each level are open at once
prolog 3, steady state 2, epilog 1 iterations; roles come again every 3

iteration  arrives  level 1               level 2
0          0        0 into 1
1          1        1 into 1 2            0 into 1
2          2        2 into 1 2 3, 1 done  1 into 1 2
3          3        3 into 2 3, 2 done    2 into 1 2 3, 1 done
4          4        4 into 3, 3 done      3 into 2 3, 2 done
5                                         4 into 3, 3 done
";
        assert_eq!(drawing(&scatter, 1..4), expected);
    }

    #[test]
    fn whole_planes_are_drawn_without_slots() {
        let of = |storage, form| Sweep { storage, form, ..sweep(Reach::symmetric(1), 2) };
        let shared = drawing(&of(Storage::Shared, Form::Gather), 1..4);
        let expected = "\
2 steps over the planes 1 to 3, gather form, tight skew; reach 1 behind, 1 ahead
3 planes of each level in shared memory
prolog 3, steady state 2, epilog 1 iterations; roles come again every 3

iteration  arrives  level 1        level 2
0          0
1          1        0 from home
2          2        1 from 0 to 2
3          3        2 from 1 to 3  1 from 0 to 2
4          4        3 from 2 to 4  2 from 1 to 3
5                   4 from home    3 from 2 to 4
";
        assert_eq!(shared, expected);
        let second = |storage, form| {
            let drawn = drawing(&of(storage, form), 1..4);
            lines(&drawn)[1].to_owned()
        };
        assert_eq!(
            second(Storage::DiagonalFree, Form::Gather),
            "1 plane of each level in shared memory, 2 in registers"
        );
        assert_eq!(
            second(Storage::Retimed, Form::Scatter),
            "1 plane of each level in shared memory, 3 sums in registers"
        );
    }

    #[test]
    fn few_planes_have_no_steady_state() {
        let drawn = drawing(&sweep(Reach::symmetric(2), 4), 0..3);
        let counts = "13 iterations, in none of which every level computes";
        assert_eq!(lines(&drawn)[2], counts);
        assert_eq!(drawn.lines().count(), 4 + 1 + 13);
        assert_eq!(drawing(&sweep(Reach::symmetric(1), 1), 3..3).lines().count(), 5);
    }

    /// One dimension is one plane, whatever the reach along it.
    #[test]
    fn one_dimension_is_one_plane() {
        let row =
            Sweep { rank: 1, reach: vec![Reach::symmetric(3)], ..sweep(Reach::symmetric(0), 3) };
        let drawn = drawing(&row, 0..1);
        assert_eq!(
            lines(&drawn)[4..],
            [
                "iteration  arrives  level 1    level 2    level 3",
                "0          0 -> 0   0: 0 -> 0  0: 0 -> 0  0: 0 -> 0",
            ]
        );
    }

    /// Every slot that is drawn as read holds the plane and level that are meant.
    #[test]
    fn what_is_drawn_can_be_carried_out() {
        for (behind, ahead, steps, skew) in [
            (1, 1, 2, Skew::Tight),
            (2, 1, 3, Skew::Tight),
            (0, 2, 2, Skew::Tight),
            (1, 1, 3, Skew::Lazy),
            (1, 2, 3, Skew::Lazy),
        ] {
            let sweep = Sweep { skew, ..sweep(Reach { behind, ahead }, steps) };
            let pipeline = Pipeline::of(&sweep, 5..25);
            let mut held = vec![(0, i64::MIN); pipeline.slots() as usize];
            for iteration in 0..pipeline.iterations() {
                let mut put = |slot: i64, level: i64, plane| held[slot as usize] = (level, plane);
                put(pipeline.slot(iteration), 0, pipeline.arriving(iteration));
                for level in 1..=i64::from(steps) {
                    let plane = pipeline.plane(iteration, level);
                    let drawn = pipeline.gathered(iteration, level);
                    let Some((_, work)) = drawn.split_once(": ") else { continue };
                    let (reads, writes) = work.split_once(" -> ").unwrap();
                    if reads != "home" {
                        for (slot, of) in reads.split(' ').zip(plane - i64::from(behind)..) {
                            let slot: usize = slot.parse().unwrap();
                            assert_eq!(held[slot], (level - 1, of), "{iteration}: {drawn}");
                        }
                    }
                    held[writes.parse::<usize>().unwrap()] = (level, plane);
                }
            }
        }
    }
}
