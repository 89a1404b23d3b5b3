//! Random programs are run on a whole domain and in windows, with numbers that say what every plane
//! was computed from: a plane that counts as right must have the number of the plane it stands for.

use super::*;
use crate::analysis::decomposition::{Margins, even_cuts, windows};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// The program's own domain; fields have margins of at most this many planes.
const DOMAIN: Range<i64> = 0..12;
const MARGIN: i64 = 2;

fn field(grid: Grid, planes: Range<i64>, is_written: bool) -> Field {
    let (dimension, planes) = (Some(0), Some(planes));
    Field { argument: grid, grid, dimension, planes, is_written }
}

fn read(from: Grid, reach: Reach) -> Read {
    Read { from, reach, lateral: Some(Vec::new()) }
}

/// All of some planes.
fn write(field: Grid, from: Grid, planes: Range<i64>) -> Statement {
    let to = WriteBox { planes: Some(planes), lateral: Some(Vec::new()) };
    Statement::Write { field, from, to, operation: 0 }
}

fn program(
    fields: Vec<Field>,
    grids: usize,
    statements: Vec<Statement>,
) -> Program<'static, 'static> {
    Program { fields, grids, statements, ..Program::default() }
}

fn shift(extent: i64) -> Shift {
    Shift { lower: DOMAIN.start, upper: DOMAIN.end, by: extent - (DOMAIN.end - DOMAIN.start) }
}

/// `v = f(u[-1], u[1])` in the domain, then both change places.
fn heat() -> Program<'static, 'static> {
    let (u, v, here, next, temp, new) = (0, 1, 2, 3, 4, 5);
    let slot = |initial, argument, yielded, result| Slot { initial, argument, yielded, result };
    let reads = [-1, 1].map(|offset| read(temp, Reach::Offset(offset))).to_vec();
    let body = vec![
        Statement::Copy { from: here, to: temp },
        Statement::Compute { reads, to: vec![new] },
        write(next, new, DOMAIN),
    ];
    let slots = vec![slot(u, here, next, 6), slot(v, next, here, 7)];
    let fields = vec![field(u, -1..13, true), field(v, -1..13, true)];
    program(fields, 8, vec![Statement::Loop { slots, iterations: None, body }])
}

fn deficits(program: &Program, whole: i64, margins: Margins, iterations: i64) -> Vec<i64> {
    let cuts = even_cuts(0..whole, 3, margins).unwrap();
    let (extent, windows) = windows(0..whole, &cuts, margins).unwrap();
    let answer = |window| {
        let (whole, local) = (shift(whole), shift(extent));
        follow(program, Question { whole, local, window, iterations }).deficit()
    };
    windows.iter().map(answer).collect()
}

#[test]
fn a_step_of_radius_one_reaches_one_plane() {
    let margins = |halo| Margins { halo, other_end: 0 };
    // The first step reads the margin, which holds what the whole program has there.
    assert_eq!(deficits(&heat(), 40, margins(4), 5), [0, 0, 0]);
    // The last window has planes to spare.
    assert_eq!(deficits(&heat(), 40, margins(4), 6), [1, 1, 0]);
    assert_eq!(deficits(&heat(), 40, margins(0), 3), [2, 2, 1]);
}

#[test]
fn a_wrap_needs_both_ends() {
    let mut wrapped = heat();
    let Statement::Loop { body, .. } = &mut wrapped.statements[0] else { unreachable!() };
    let (here, low, high) = (2, 8, 9);
    let wrap = |temp, offset, planes: Range<i64>| {
        let reads = vec![read(here, Reach::Offset(offset))];
        [Statement::Compute { reads, to: vec![temp] }, write(here, temp, planes)]
    };
    body.splice(0..0, wrap(low, 12, -1..0).into_iter().chain(wrap(high, -12, 12..13)));
    wrapped.grids = 10;
    let apart = deficits(&wrapped, 60, Margins { halo: 5, other_end: 0 }, 4);
    assert!(apart[0] > 0 && apart[2] > 0, "{apart:?}");
    assert_eq!(deficits(&wrapped, 60, Margins { halo: 5, other_end: 5 }, 4), [0, 0, 0]);
}

/// The numbers of a run: a grid's planes, by memory.
struct Run {
    question: (Shift, i64),
    cells: Vec<usize>,
    values: Vec<BTreeMap<i64, u64>>,
}

/// What a plane holds that nothing has written.
fn unwritten(cell: usize, plane: i64) -> u64 {
    number(&(cell, plane, "unwritten"))
}

fn number(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Run {
    /// On a domain of this extent, with what fields hold at first.
    fn new(
        program: &Program,
        extent: i64,
        iterations: i64,
        content: impl Fn(&Field, i64) -> u64,
    ) -> Run {
        let mut run = Run {
            question: (shift(extent), iterations),
            cells: (0..program.grids).collect(),
            values: vec![BTreeMap::new(); program.grids],
        };
        for field in &program.fields {
            let own = field.planes.clone().unwrap();
            let (start, end) = run.question.0.of_ends(own.start, own.end);
            run.values[field.grid] =
                (start..end).map(|plane| (plane, content(field, plane))).collect();
        }
        run.statements(&program.statements);
        run
    }

    fn get(&self, grid: Grid, plane: i64) -> u64 {
        let cell = self.cells[grid];
        self.values[cell].get(&plane).copied().unwrap_or_else(|| unwritten(cell, plane))
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        let (shift, iterations) = self.question;
        // Temps have numbers at all planes that anything could read.
        let around = -4 * MARGIN..shift.upper + shift.by + 4 * MARGIN;
        match statement {
            Statement::Copy { from, to } => {
                let copy = self.values[self.cells[*from]].clone();
                let cell = self.cells[*to];
                self.values[cell] = copy;
            }
            Statement::Rename { from, to } => self.cells[*to] = self.cells[*from],
            Statement::Compute { reads, to } => {
                let at = |plane: i64| {
                    let of_read = |read: &Read| match read.reach {
                        Reach::Offset(offset) => {
                            self.get(read.from, plane + shift.of_offset(offset))
                        }
                        Reach::Offsets(low, high) => number(
                            &(low..=high)
                                .map(|by| self.get(read.from, plane + by))
                                .collect::<Vec<_>>(),
                        ),
                        Reach::Plane(own) => self.get(read.from, shift.of(own)),
                        Reach::Any => unreachable!("it is not drawn"),
                    };
                    reads.iter().map(of_read).collect::<Vec<_>>()
                };
                let read = around.map(|plane| (plane, at(plane))).collect::<Vec<_>>();
                for temp in to {
                    let values = read.iter().map(|(plane, read)| (*plane, number(&(temp, read))));
                    self.values[*temp] = values.collect();
                }
            }
            Statement::Write { field, from, to, .. } => {
                let planes = to.planes.clone().unwrap();
                let (start, end) = shift.of_ends(planes.start, planes.end);
                let values = (start..end).map(|plane| (plane, self.get(*from, plane)));
                let values = values.collect::<Vec<_>>();
                let cell = self.cells[*field];
                self.values[cell].extend(values);
            }
            Statement::Combine { lower, upper, plane, to } => {
                let middle = shift.of(*plane);
                let at = |plane: i64| {
                    let side = if plane < middle { lower } else { upper };
                    side.map_or(0, |side| self.get(side, plane))
                };
                self.values[*to] = around.map(|plane| (plane, at(plane))).collect();
            }
            Statement::Either { .. } => unreachable!("it is not drawn"),
            Statement::Loop { slots, iterations: own, body } => {
                let mut held = slots.iter().map(|it| self.cells[it.initial]).collect::<Vec<_>>();
                for _ in 0..own.unwrap_or(iterations) {
                    for (slot, cell) in slots.iter().zip(&held) {
                        self.cells[slot.argument] = *cell;
                    }
                    self.statements(body);
                    held = slots.iter().map(|it| self.cells[it.yielded]).collect();
                }
                slots.iter().zip(held).for_each(|(slot, cell)| self.cells[slot.result] = cell);
            }
        }
    }
}

/// A statement of a drawn program, on two fields that rotate and one that is only read.
#[derive(Clone, Debug)]
struct Drawn {
    reads: Vec<(usize, i64, u8)>,
    to: usize,
    planes: u8,
    combined: Option<(usize, i64)>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let read = (0_usize..3, -2_i64..3, 0_u8..9);
    let combined =
        prop::option::weighted(0.2, (0_usize..3, prop::sample::select(vec![0, 1, 11, 12])));
    (prop::collection::vec(read, 1..4), 0_usize..2, 0_u8..8, combined)
        .prop_map(|(reads, to, planes, combined)| Drawn { reads, to, planes, combined })
}

/// The planes of a write: the interior, walls, strips, margins.
fn planes(number: u8) -> Range<i64> {
    match number {
        0..=2 => DOMAIN,
        3 => -2..0,
        4 => 12..14,
        5 => 0..1,
        6 => 11..12,
        _ => -2..14,
    }
}

fn program_of(drawn: &[Drawn], rotates: bool) -> Program<'static, 'static> {
    let mut grids = 9;
    let mut body = Vec::new();
    // Fields 0 to 2; in an iteration fields 3 and 4 are the first two; results are 5 and 6.
    let in_body = |field: usize| if field == 2 { 2 } else { field + 3 };
    let mut temp = || {
        grids += 1;
        grids - 1
    };
    for Drawn { reads, to, planes: range, combined } in drawn {
        let mut own = Vec::new();
        for (field, offset, kind) in reads {
            let loaded = temp();
            body.push(Statement::Copy { from: in_body(*field), to: loaded });
            let reach = match kind {
                0 => Reach::Plane(if *offset < 0 { 12 + offset } else { *offset }),
                1 => Reach::Offset(if *offset < 0 { -12 } else { 12 }),
                2 => Reach::Offsets(*offset, offset + 1),
                _ => Reach::Offset(*offset),
            };
            own.push(read(loaded, reach));
        }
        let mut new = temp();
        body.push(Statement::Compute { reads: own, to: vec![new] });
        if let Some((field, plane)) = combined {
            let (side, both) = (temp(), temp());
            body.push(Statement::Copy { from: in_body(*field), to: side });
            let (lower, upper) = (Some(new), Some(side));
            body.push(Statement::Combine { lower, upper, plane: *plane, to: both });
            new = both;
        }
        body.push(write(in_body(*to), new, planes(*range)));
    }
    let (one, two) = if rotates { (4, 3) } else { (3, 4) };
    let slots = vec![
        Slot { initial: 0, argument: 3, yielded: one, result: 5 },
        Slot { initial: 1, argument: 4, yielded: two, result: 6 },
    ];
    let fields = (0..3).map(|grid| field(grid, -2..14, grid < 2)).collect();
    program(fields, grids, vec![Statement::Loop { slots, iterations: None, body }])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn planes_that_count_as_right_are(
        drawn in prop::collection::vec(drawn(), 1..5),
        rotates: bool,
        devices in 2_i64..5,
        halo in 0_i64..9,
        other_end in prop::option::of(0_i64..4),
        iterations in 0_i64..4,
        planes in 24_i64..60,
    ) {
        let program = program_of(&drawn, rotates);
        let margins = Margins { halo, other_end: other_end.map_or(0, |more| halo + more) };
        let Some(cuts) = even_cuts(0..planes, devices, margins) else { return Ok(()) };
        let Some((extent, windows)) = windows(0..planes, &cuts, margins) else { return Ok(()) };
        // Below, the bounds of a program would cross.
        prop_assume!(extent >= 6);
        let whole = Run::new(&program, planes, iterations, |field, plane| {
            number(&(field.grid, plane))
        });
        for window in &windows {
            let local = Run::new(&program, extent, iterations, |field, plane| {
                number(&(field.grid, window.whole_of(plane)))
            });
            let question =
                Question { whole: shift(planes), local: shift(extent), window, iterations };
            let answer = follow(&program, question);
            prop_assert!(!answer.is_incomplete);
            for (field, missing) in program.fields.iter().zip(&answer.missing) {
                let owned = owned(question, -MARGIN..planes + MARGIN);
                let right = window.of_whole(owned).and(&missing.not());
                for plane in right.ranges().iter().cloned().flatten() {
                    let there = window.whole_of(plane);
                    prop_assert_eq!(
                        local.values[field.grid][&plane], whole.values[field.grid][&there],
                        "field {} plane {} of {:?}, {} there", field.grid, plane, window, there
                    );
                }
            }
        }
    }
}

/// What fields hold, by their numbers.
type Content = Vec<BTreeMap<i64, u64>>;

/// Runs that follow each other, from what the fields hold at first.
fn after(program: &Program, extent: i64, iterations: i64, before: &Content) -> Content {
    let run = Run::new(program, extent, iterations, |field, plane| before[field.grid][&plane]);
    program.fields.iter().map(|field| run.values[field.grid].clone()).collect()
}

/// A domain and the windows that are large enough for so many iterations.
struct Shared {
    extent: i64,
    windows: Vec<Window>,
}

fn smallest(program: &Program, planes: i64, devices: i64, iterations: i64) -> Option<Shared> {
    let margins = (0..14).flat_map(|halo| [0, halo].map(|other_end| Margins { halo, other_end }));
    margins.into_iter().find_map(|margins| {
        let cuts = even_cuts(0..planes, devices, margins)?;
        let (extent, windows) = windows(0..planes, &cuts, margins)?;
        let (whole, local) = (shift(planes), shift(extent));
        let is_right = |window: &Window| {
            follow(program, Question { whole, local, window, iterations }).is_right()
        };
        (extent >= 6 && windows.iter().all(is_right)).then_some(Shared { extent, windows })
    })
}

/// Gives every window the planes that it is said to get; `forgotten` of them it does not.
fn exchange(
    program: &Program,
    (planes, iterations): (i64, i64),
    shared: &Shared,
    forgotten: usize,
    all: &mut [Content],
) {
    let before = all.to_vec();
    for (number, window) in shared.windows.iter().enumerate() {
        let (whole, local) = (shift(planes), shift(shared.extent));
        let question = Question { whole, local, window, iterations };
        let found = needs(program, question).received;
        for (field, found) in program.fields.iter().zip(found) {
            for plane in found.ranges().iter().cloned().flatten().skip(forgotten) {
                let there = window.whole_of(plane);
                let owns = |other: &&Window| {
                    let question = Question { window: other, ..question };
                    owned(question, -MARGIN..planes + MARGIN).contains(&there)
                };
                let owner = shared.windows.iter().position(|it| owns(&it)).unwrap();
                let mut held = (-MARGIN..shared.extent + MARGIN)
                    .filter(|plane| shared.windows[owner].whole_of(*plane) == there);
                let value = before[owner][field.grid][&held.next().unwrap()];
                all[number][field.grid].insert(plane, value);
            }
        }
    }
}

/// Whether devices own what the whole domain has after several runs with exchanges between them.
fn agrees(
    program: &Program,
    (planes, devices): (i64, i64),
    (iterations, last): (i64, i64),
    forgotten: usize,
) -> Option<bool> {
    let shared = smallest(program, planes, devices, iterations)?;
    let initial = |extent: i64, of: &dyn Fn(i64) -> i64| -> Content {
        let field = |field: &Field| {
            let planes = -MARGIN..extent + MARGIN;
            planes.map(|plane| (plane, number(&(field.grid, of(plane))))).collect()
        };
        program.fields.iter().map(field).collect()
    };
    let mut whole = initial(planes, &|plane| plane);
    let windows = shared.windows.iter();
    let mut local = windows
        .map(|window| initial(shared.extent, &|plane| window.whole_of(plane)))
        .collect::<Vec<_>>();
    for run in [iterations, iterations, last] {
        whole = after(program, planes, run, &whole);
        for content in &mut local {
            *content = after(program, shared.extent, run, content);
        }
        let question = |window| {
            let (whole, local) = (shift(planes), shift(shared.extent));
            Question { whole, local, window, iterations }
        };
        for (window, content) in shared.windows.iter().zip(&local) {
            let owned = owned(question(window), -MARGIN..planes + MARGIN);
            let inside = Planes::of(-MARGIN..shared.extent + MARGIN);
            for plane in window.of_whole(owned).and(&inside).ranges().iter().cloned().flatten() {
                let there = window.whole_of(plane);
                let is_same = |field: &Field| {
                    content[field.grid].get(&plane) == whole[field.grid].get(&there)
                };
                if !program.fields.iter().all(is_same) {
                    return Some(false);
                }
            }
        }
        exchange(program, (planes, iterations), &shared, forgotten, &mut local);
    }
    Some(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn what_devices_get_is_enough(
        drawn in prop::collection::vec(drawn(), 1..5),
        rotates: bool,
        devices in 2_i64..4,
        runs in 1_i64..3,
        last in 0_i64..5,
        planes in 30_i64..60,
    ) {
        let program = program_of(&drawn, rotates);
        let iterations = runs * if rotates { 2 } else { 1 };
        let agreed = agrees(&program, (planes, devices), (iterations, last.min(iterations)), 0);
        prop_assert!(agreed != Some(false));
    }
}

#[test]
fn a_field_that_is_overwritten_before_it_is_read_is_not_received() {
    let program = heat();
    let (planes, iterations) = (40, 4);
    let shared = smallest(&program, planes, 2, iterations).unwrap();
    let window = &shared.windows[0];
    let question =
        Question { whole: shift(planes), local: shift(shared.extent), window, iterations };
    // Four steps of radius one, of which the first reads the margin.
    let Needs { received, computed, early } = needs(&program, question);
    assert_eq!(received, [Planes::of(20..24), Planes::none()]);
    assert_eq!(computed, [-1..20, -1..21, -1..22, -1..23]);
    assert_eq!(early, [-1..19, -1..18, -1..17, -1..16]);
    assert_eq!(agrees(&program, (planes, 2), (iterations, 3), 0), Some(true));
    assert_eq!(agrees(&program, (planes, 2), (iterations, 3), 1), Some(false));
}
