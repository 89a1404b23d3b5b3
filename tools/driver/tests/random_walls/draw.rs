//! Programs drawn at random: steps first, then ghost cells that they read, points that are
//! overwritten, and what is wrong with some of it.

use super::{
    program::{Cells, Extras, Item, Part, Program, Role, Source},
    wraps,
};
use crate::random_imports::Random;

/// Cells that a fill of a side computes in each other dimension.
#[derive(Clone, Copy)]
enum Across {
    /// Those of the domain.
    Inside,
    /// Also the ghost cells of dimensions whose sides were filled before.
    Filled,
    /// All cells of the field.
    Whole,
}

/// How fills get their values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Each layer from the cell as far inside.
    Mirror,
    /// All layers from cells at one distance.
    Copy,
    /// Each layer from the one before.
    Chain,
    /// Of numbers alone, or of a coefficient.
    Constant,
}

struct Drawing<'r> {
    random: &'r mut Random,
    program: Program,
    radius: i64,
    periodic: Vec<usize>,
    /// The points that the iteration computes of each unknown.
    domains: Vec<Cells>,
    /// Whether ghost cells are filled for the next iteration.
    is_late: bool,
    /// Whether ghost cells of what a statement stores are filled before the next statement.
    is_staggered: bool,
    /// Whether statements read cells in corners.
    has_corners: bool,
}

/// A program.
pub fn program(random: &mut Random) -> Program {
    let rank = [1, 2, 2, 2, 3, 3][random.below(6)];
    let domain = Cells::domain(random, rank);
    let unknowns = [1, 1, 1, 2, 2, 3][random.below(6)];
    let room = 2 + random.below(3) as i64;
    let program = Program {
        element: ["f64", "f64", "f64", "f32", "f32", "f32", "f16", "bf16"][random.below(8)],
        field: domain.wider(room + 1),
        domain,
        rotations: (0..unknowns).map(|_| [2, 2, 2, 2, 1, 3][random.below(6)]).collect(),
        coefficients: random.below(3),
        wraps: Vec::new(),
        items: Vec::new(),
        iterations: [
            random.below(4) as i64 - 1,
            1 + random.below(3) as i64,
            random.below(10) as i64,
            0,
        ],
        is_run_time_count: random.one_in(3),
        read_behind: random.one_in(6).then(|| random.below(unknowns)),
    };
    let periodic = match rank > 1 && random.one_in(4) {
        true => vec![random.below(rank)],
        false => Vec::new(),
    };
    let radius = 1 + i64::from(random.one_in(4));
    let (is_late, has_corners, domains) = (random.one_in(3), random.one_in(3), Vec::new());
    let is_staggered = unknowns > 1 && random.one_in(2) && !(is_late && random.one_in(8));
    let is_late = is_late && !is_staggered;
    let mut drawing =
        Drawing { random, program, radius, periodic, domains, is_late, is_staggered, has_corners };
    drawing.draw();
    drawing.program.wraps = wraps::draw(drawing.random, &drawing.program, &drawing.periodic);
    drawing.program.tidied()
}

impl Drawing<'_> {
    fn draw(&mut self) {
        let step = self.program.iterations[1];
        self.program.iterations[3] = self.random.below(step as usize) as i64;
        for _ in 0..self.program.rotations.len() {
            let mut own = self.program.domain.clone();
            if self.periodic.is_empty() && self.random.one_in(6) {
                let d = self.random.below(own.lower.len());
                own.upper[d] += self.random.below(3) as i64 - 1;
            }
            self.domains.push(own);
        }
        let all = (0..self.unknowns()).collect::<Vec<_>>();
        let (strips, fills) = (self.strips(), self.fills(&all, self.is_late));
        let steps = self.steps();
        let mut items = strips;
        match self.is_late {
            true => {
                items.extend(steps);
                items.extend(fills);
            }
            false => {
                items.extend(fills);
                items.extend(steps);
            }
        }
        for (number, item) in items.iter_mut().enumerate() {
            item.number = number;
        }
        self.program.items = items;
        if self.random.one_in(5) {
            self.spoil();
        }
    }

    fn unknowns(&self) -> usize {
        self.program.rotations.len()
    }

    fn seed(&mut self) -> u64 {
        self.random.below(1 << 30) as u64
    }

    /// Copies of ghost cells from the other end of periodic dimensions.
    fn strips(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        let width = self.radius;
        for d in self.periodic.clone() {
            for unknown in 0..self.unknowns() {
                let domain = self.program.domain.clone();
                for (from, distance) in [
                    (domain.lower[d] - width, domain.extent(d)),
                    (domain.upper[d], -domain.extent(d)),
                ] {
                    let mut points = domain.clone();
                    (points.lower[d], points.upper[d]) = (from, from + width);
                    let mut offset = vec![0; domain.lower.len()];
                    offset[d] = distance;
                    let reads = vec![(Source::Level { unknown, age: 1 }, offset)];
                    let (extras, seed) = (Extras::default(), 0);
                    let parts = vec![Part { unknown, points, reads, extras, seed }];
                    items.push(item(Role::Strip, Some(1), parts));
                }
            }
        }
        items
    }

    /// Fills of ghost cells of some unknowns, in random order; new ones or those at the start.
    fn fills(&mut self, unknowns: &[usize], are_new: bool) -> Vec<Item> {
        let mut sides = (0..self.program.rank())
            .filter(|d| !self.periodic.contains(d))
            .flat_map(|d| [(d, false), (d, true)])
            .collect::<Vec<_>>();
        sides.retain(|_| !self.random.one_in(10));
        let one_by_one = self.random.one_in(4);
        if one_by_one {
            for position in (1..sides.len()).rev() {
                sides.swap(position, self.random.below(position + 1));
            }
        } else if self.random.one_in(2) {
            sides.reverse();
        }
        // Corners are filled where they are read, mostly.
        let across = match self.has_corners && !self.random.one_in(6) {
            true => [Across::Filled, Across::Whole],
            false => [Across::Inside, Across::Filled],
        };
        let across = across[self.random.below(2)];
        let together = self.random.one_in(2);
        let mut items = Vec::new();
        let mut filled = Vec::new();
        for side in sides {
            let groups = match together {
                true => vec![unknowns.to_vec()],
                false => unknowns.iter().map(|unknown| vec![*unknown]).collect(),
            };
            for group in groups {
                if !self.random.one_in(16) {
                    items.extend(self.side(side, (&group, are_new), (across, &filled)));
                }
            }
            filled.push(side.0);
        }
        items
    }

    fn side(
        &mut self,
        side: (usize, bool),
        (group, are_new): (&[usize], bool),
        (across, filled): (Across, &[usize]),
    ) -> Vec<Item> {
        let mut items = Vec::new();
        let styles = [Style::Mirror, Style::Mirror, Style::Copy, Style::Chain, Style::Constant];
        let style = styles[self.random.below(5)];
        let layers = (self.radius + i64::from(self.random.one_in(5))).min(2);
        let ranges = match style {
            Style::Mirror | Style::Chain => (0..layers).map(|layer| (layer, layer + 1)).collect(),
            _ => vec![(0, layers)],
        };
        for (from, to) in ranges {
            let distance = match style {
                Style::Mirror => 2 * from + 1,
                Style::Chain => 1,
                _ => to + i64::from(self.random.one_in(4)),
            };
            let distance = if self.random.one_in(12) { distance + 1 } else { distance };
            let parts = group.iter().map(|unknown| {
                let points = self.ghosts(*unknown, side, (from, to), (across, filled));
                self.fill((*unknown, are_new), points, (side, distance), style)
            });
            let parts = parts.collect();
            let age = (!are_new).then_some(1);
            items.push(item(Role::Fill, age, parts));
        }
        items
    }

    /// Layers of ghost cells.
    fn ghosts(
        &mut self,
        unknown: usize,
        (d, is_high): (usize, bool),
        (from, to): (i64, i64),
        (across, filled): (Across, &[usize]),
    ) -> Cells {
        let own = self.domains[unknown].clone();
        let mut points = match across {
            Across::Whole => self.program.field.clone(),
            Across::Inside | Across::Filled => own.clone(),
        };
        for other in filled.iter().filter(|other| **other != d) {
            if let Across::Filled = across {
                points.lower[*other] = own.lower[*other] - self.radius;
                points.upper[*other] = own.upper[*other] + self.radius;
            }
        }
        (points.lower[d], points.upper[d]) = match is_high {
            true => (own.upper[d] + from, own.upper[d] + to),
            false => (own.lower[d] - to, own.lower[d] - from),
        };
        // Sometimes only a part of the side.
        if self.random.one_in(12) {
            let other = self.random.below(own.lower.len());
            if other != d {
                points.lower[other] += self.random.below(4) as i64;
                points.upper[other] -= self.random.below(4) as i64;
            }
        }
        points
    }

    fn fill(
        &mut self,
        (unknown, is_new): (usize, bool),
        points: Cells,
        ((d, is_high), distance): ((usize, bool), i64),
        style: Style,
    ) -> Part {
        let rank = self.program.rank();
        let mut inwards = vec![0; rank];
        inwards[d] = if is_high { -distance } else { distance };
        let of = |unknown: usize| match is_new {
            true => Source::New { unknown },
            false => Source::Level { unknown, age: 1 },
        };
        let mut reads = Vec::new();
        if style != Style::Constant {
            let other = self.random.below(self.unknowns());
            let from = if self.random.one_in(6) { other } else { unknown };
            reads.push((of(from), inwards.clone()));
            if self.random.one_in(6) {
                let twice = inwards.iter().map(|by| by * 2).collect();
                reads.push((of(other), twice));
            }
        }
        if self.program.coefficients > 0 && self.random.one_in(5) {
            let number = self.random.below(self.program.coefficients);
            let offset = if self.random.one_in(2) { inwards } else { vec![0; rank] };
            reads.push((Source::Coefficient(number), offset));
        }
        // Numbers that vary are rare: they may be read before the statements only.
        let varies = if self.is_late { 40 } else { 8 };
        let extras = Extras {
            constant: self.random.one_in(5),
            time: self.random.one_in(varies),
            carried: self.random.one_in(varies),
            coordinate: self.random.one_in(12).then(|| self.random.below(rank)),
            is_negated: self.random.one_in(3),
            is_weighted: reads.len() > 1,
        };
        Part { unknown, points, reads, extras, seed: self.seed() }
    }

    /// Statements, each followed by what overwrites some of its points.
    fn steps(&mut self) -> Vec<Item> {
        let mut open = (0..self.unknowns()).collect::<Vec<_>>();
        let mut done = Vec::new();
        let mut items = Vec::new();
        while !open.is_empty() {
            let count = if self.random.one_in(3) { open.len() } else { 1 };
            let own = open.drain(..count).collect::<Vec<_>>();
            let parts = own.iter().map(|unknown| self.step(*unknown, &own, &done));
            let parts = parts.collect::<Vec<_>>();
            items.push(item(Role::Step, None, parts));
            for _ in 0..[0, 0, 1, 1, 1, 2, 2, 3][self.random.below(8)] {
                items.push(self.force(&own));
            }
            if self.is_staggered && !open.is_empty() {
                items.extend(self.fills(&own, true));
            }
            done.extend(own);
        }
        items
    }

    fn step(&mut self, unknown: usize, own: &[usize], done: &[usize]) -> Part {
        let mut reads = Vec::new();
        for other in 0..self.unknowns() {
            let rotation = self.program.rotations[other];
            let is_own = own.contains(&other);
            // In place a statement rarely reads around the point that it stores.
            let is_center = rotation == 1 && is_own && !self.random.one_in(12);
            let is_gone = rotation == 1 && done.contains(&other);
            if !is_gone && (other == unknown || self.random.one_in(2)) {
                let source = Source::Level { unknown: other, age: 1 };
                let count = if is_center { 1 } else { 2 + self.random.below(3) };
                for _ in 0..count {
                    let offset =
                        if is_center { vec![0; self.program.rank()] } else { self.offset() };
                    reads.push((source, offset));
                }
            }
            if rotation > 2 && self.random.one_in(2) {
                let is_near = self.random.one_in(6);
                let offset = if is_near { self.offset() } else { vec![0; self.program.rank()] };
                reads.push((Source::Level { unknown: other, age: 2 }, offset));
            }
            if rotation > 1 && other == unknown && self.random.one_in(8) {
                let source = Source::Level { unknown: other, age: rotation };
                reads.push((source, vec![0; self.program.rank()]));
            }
            if done.contains(&other) && self.random.one_in(2) {
                let is_near = self.is_staggered || self.random.one_in(6);
                let offset = if is_near { self.offset() } else { vec![0; self.program.rank()] };
                reads.push((Source::New { unknown: other }, offset));
            }
        }
        for number in 0..self.program.coefficients {
            if self.random.one_in(3) {
                let mut offset = self.offset();
                if !self.periodic.is_empty() && self.random.one_in(2) {
                    let others = (0..offset.len()).filter(|d| !self.periodic.contains(d));
                    others.for_each(|d| offset[d] = 0);
                }
                reads.push((Source::Coefficient(number), offset));
            }
        }
        reads.sort();
        reads.dedup();
        let extras = Extras {
            time: self.random.one_in(8),
            coordinate: self.random.one_in(10).then(|| self.random.below(self.program.rank())),
            is_weighted: true,
            ..Extras::default()
        };
        Part { unknown, points: self.domains[unknown].clone(), reads, extras, seed: self.seed() }
    }

    /// An offset within the radius, along one dimension mostly.
    fn offset(&mut self) -> Vec<i64> {
        let rank = self.program.rank();
        let mut offset = vec![0; rank];
        let first = self.random.below(rank);
        for (d, along) in offset.iter_mut().enumerate() {
            if d == first || (self.has_corners && self.random.one_in(3)) {
                *along = self.random.below(2 * self.radius as usize + 1) as i64 - self.radius;
            }
        }
        offset
    }

    /// What overwrites points of some unknowns that a statement has stored.
    fn force(&mut self, own: &[usize]) -> Item {
        let rank = self.program.rank();
        let unknowns = match self.random.one_in(3) {
            true => own.to_vec(),
            false => vec![own[self.random.below(own.len())]],
        };
        let shared = self.spot(&self.domains[unknowns[0]].clone());
        let mut parts = Vec::new();
        for unknown in unknowns {
            let points = match self.random.one_in(3) {
                true => self.spot(&self.domains[unknown].clone()),
                false => shared.clone(),
            };
            let mut reads = Vec::new();
            let rotation = self.program.rotations[unknown];
            if !self.random.one_in(3) {
                reads.push((Source::New { unknown }, vec![0; rank]));
            }
            if rotation > 1 && self.random.one_in(4) {
                let offset = self.offset();
                reads.push((Source::Level { unknown, age: 1 }, offset));
            }
            // What the same statement has stored of another unknown.
            let other = own[self.random.below(own.len())];
            if other != unknown && self.random.one_in(4) {
                reads.push((Source::New { unknown: other }, vec![0; rank]));
            }
            if self.program.coefficients > 0 && self.random.one_in(2) {
                let number = self.random.below(self.program.coefficients);
                let offset = self.offset();
                reads.push((Source::Coefficient(number), offset));
            }
            let extras = Extras {
                constant: self.random.one_in(4),
                time: self.random.one_in(4),
                carried: self.random.one_in(8),
                coordinate: self.random.one_in(10).then(|| self.random.below(rank)),
                is_negated: self.random.one_in(6),
                is_weighted: self.random.one_in(2),
            };
            parts.push(Part { unknown, points, reads, extras, seed: self.seed() });
        }
        item(Role::Force, None, parts)
    }

    /// A point or a small box: in the middle, next to an end, or at the first or last point.
    fn spot(&mut self, domain: &Cells) -> Cells {
        let mut spot = domain.clone();
        let is_box = self.random.one_in(3);
        for d in 0..domain.lower.len() {
            let extent = domain.extent(d);
            let wide = if is_box { 1 + self.random.below(extent as usize) as i64 } else { 1 };
            let last = extent - wide;
            let first = match self.random.below(5) {
                0 => 0,
                1 => last,
                2 => 1.min(last),
                3 => (last - 1).max(0),
                _ => self.random.below(last as usize + 1) as i64,
            };
            spot.lower[d] = domain.lower[d] + first;
            spot.upper[d] = spot.lower[d] + wide;
        }
        // Rarely one cell too many.
        if self.random.one_in(20) {
            let d = self.random.below(spot.lower.len());
            spot.upper[d] += 1;
        }
        spot
    }

    /// Makes something wrong that a program may still mean.
    fn spoil(&mut self) {
        let count = self.program.items.len();
        let chosen = self.random.below(count);
        let place = self.random.below(count);
        let d = self.random.below(self.program.rank());
        let rotation = self.program.rotations[0];
        let kind = self.random.below(8);
        let by = self.random.below(5) as i64 - 2;
        let items = &mut self.program.items;
        match kind {
            0 => items.swap(chosen, place),
            1 | 2 => {
                let moved = items.remove(chosen);
                items.insert(if kind == 1 { count - 1 } else { place }, moved);
            }
            3 | 4 => items[chosen].is_loaded_early = true,
            5 => items[chosen].parts[0].points.lower[d] += by,
            6 => {
                for (_, offset) in &mut items[chosen].parts[0].reads {
                    offset[d] += by;
                }
            }
            _ => {
                for (source, _) in &mut items[chosen].parts[0].reads {
                    *source = match *source {
                        Source::Level { unknown, .. } => Source::New { unknown },
                        Source::New { unknown: 0 } => Source::Level { unknown: 0, age: rotation },
                        other => other,
                    };
                }
            }
        }
    }
}

fn item(role: Role, age: Option<usize>, parts: Vec<Part>) -> Item {
    Item { role, number: 0, age, parts, is_loaded_early: false }
}
