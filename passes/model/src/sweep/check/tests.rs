//! Right sweeps are accepted and wrong ones refused, each for its reason.

use super::schedule::{Column, Fault, Why, run};
use super::*;
use crate::sweep::{drawing, queue::CircularQueue};

/// More than any of these sweeps needs.
const ROOMY: Limits =
    Limits { value_bytes: 8, points: 2, threads: 128, registers: 4096, shared_bytes: 1 << 30 };

/// A star in `rank` dimensions that reads so far in each, with the queue that it needs.
fn star(rank: usize, reach: Reach, steps: u32) -> Sweep {
    let mut offsets = vec![vec![0; rank]];
    for dimension in 0..rank {
        for along in -i64::from(reach.behind)..=i64::from(reach.ahead) {
            let mut offset = vec![0; rank];
            offset[dimension] = along;
            offsets.push(offset);
        }
    }
    let streamed = if rank == 1 { Reach::symmetric(0) } else { reach };
    let queue = CircularQueue::new(streamed, steps, 0).unwrap();
    Sweep {
        rank,
        carried: vec![offsets],
        reach: vec![reach; rank],
        steps,
        form: Form::Gather,
        skew: Skew::Tight,
        lines: 1,
        storage: Storage::Queue,
        slots: Some(vec![SlotPlace::Register; queue.slots() as usize]),
        terms: Vec::new(),
        tile: Vec::new(),
        limits: ROOMY,
    }
}

/// The same, adding plane by plane.
fn scattered(rank: usize, reach: Reach, steps: u32) -> Sweep {
    let planes = -i64::from(reach.behind)..=i64::from(reach.ahead);
    let terms = match rank {
        1 => vec![vec![0]],
        _ => planes.map(|plane| vec![plane]).collect(),
    };
    Sweep { form: Form::Scatter, slots: None, terms, ..star(rank, reach, steps) }
}

fn texts(sweep: &Sweep) -> Vec<String> {
    check(sweep).iter().map(Problem::to_string).collect()
}

/// Every reach up to four planes a side, every number of steps up to twelve.
fn shapes() -> impl Iterator<Item = (Reach, u32)> {
    let sides = || 0..=4;
    let reaches = sides().flat_map(move |behind| sides().map(move |ahead| Reach { behind, ahead }));
    reaches.flat_map(|reach| (1..=12).map(move |steps| (reach, steps)))
}

#[test]
fn right_sweeps_have_no_problem() {
    for (reach, steps) in shapes() {
        for rank in 1..=3 {
            assert_eq!(check(&star(rank, reach, steps)), [], "{rank}-d, {reach:?}, {steps}");
            assert_eq!(check(&scattered(rank, reach, steps)), [], "{rank}-d, {reach:?}, {steps}");
        }
    }
}

/// The planes that come out are those that the queue says.
#[test]
fn what_is_played_is_the_queue() {
    for (reach, steps) in shapes() {
        let sweep = star(2, reach, steps);
        let queue = CircularQueue::new(reach, steps, 0).unwrap();
        let stream = stream(&sweep);
        let count = stream.columns_enough(queue.slots() as usize);
        let columns = stream.columns(queue.slots() as usize, count);
        for column in &columns {
            assert_eq!(column.slot, queue.arrival(column.plane) as usize);
            for level in &column.levels {
                let update = queue.update(column.plane, level.result.level);
                assert_eq!(
                    (level.result.plane, level.writes),
                    (update.plane, update.writes as usize)
                );
                let slots: Vec<u32> = level.reads.iter().map(|&(_, slot)| slot as u32).collect();
                assert_eq!(slots, update.reads);
            }
        }
        let completed = run(&columns, queue.slots() as usize, steps).unwrap();
        assert_eq!(completed, queue.completed(count).collect::<Vec<_>>());
    }
}

#[test]
fn one_slot_less_is_too_short() {
    for (reach, steps) in shapes() {
        let mut sweep = star(2, reach, steps);
        let slots = sweep.slots.as_mut().unwrap();
        slots.pop();
        let slots = slots.len();
        let problems = check(&sweep);
        let [Problem::Short { slots: found, needed, .. }] = problems.as_slice() else {
            panic!("{reach:?}, {steps} steps: {problems:?}");
        };
        assert_eq!((*found, *needed), (slots, slots + 1), "{reach:?}, {steps} steps");
    }
}

/// Plays the columns of a right queue after something was changed in them.
fn mutated(reach: Reach, steps: u32, change: impl Fn(&mut Vec<Column>, usize)) -> Option<Fault> {
    let sweep = star(2, reach, steps);
    let slots = sweep.slots.as_ref().unwrap().len();
    let stream = stream(&sweep);
    let mut columns = stream.columns(slots, stream.columns_enough(slots));
    assert!(run(&columns, slots, steps).is_ok());
    change(&mut columns, slots);
    run(&columns, slots, steps).err()
}

/// A result in its neighbour's slot: that one is lost, and the result is not where it is read.
#[test]
fn a_swapped_slot_is_found_wherever_it_is() {
    for (reach, steps) in shapes().filter(|(reach, _)| reach.span() > 0) {
        for level in 0..steps as usize {
            let fault = mutated(reach, steps, |columns, slots| {
                let first = (reach.span() * steps) as usize;
                let write = &mut columns[first].levels[level].writes;
                *write = (*write + 1) % slots;
            });
            assert!(fault.is_some(), "{reach:?}, level {} of {steps}", level + 1);
        }
    }
}

#[test]
fn a_wrong_rotation_is_found() {
    for (reach, steps) in shapes().filter(|(reach, _)| reach.span() > 0) {
        // Levels are a column ahead of what arrives.
        let fault = mutated(reach, steps, |columns, slots| {
            for level in columns.iter_mut().flat_map(|column| &mut column.levels) {
                level.writes = (level.writes + 1) % slots;
                for (_, slot) in &mut level.reads {
                    *slot = (*slot + 1) % slots;
                }
            }
        });
        assert!(fault.is_some(), "{reach:?}, {steps} steps, shifted levels");
        // From some column on everything is one slot further than it was.
        let fault = mutated(reach, steps, |columns, slots| {
            let first = (reach.span() * steps) as usize + 1;
            for column in &mut columns[first..] {
                column.slot = (column.slot + 1) % slots;
                for level in &mut column.levels {
                    level.writes = (level.writes + 1) % slots;
                    for (_, slot) in &mut level.reads {
                        *slot = (*slot + 1) % slots;
                    }
                }
            }
        });
        assert!(fault.is_some(), "{reach:?}, {steps} steps, a forgotten rotation");
    }
}

#[test]
fn levels_in_the_wrong_order_are_found() {
    for (reach, steps) in shapes().filter(|&(_, steps)| steps > 1) {
        let fault = mutated(reach, steps, |columns, _| {
            columns.iter_mut().for_each(|column| column.levels.reverse());
        });
        let fault = fault.unwrap_or_else(|| panic!("{reach:?}, {steps} steps"));
        // In a queue of one slot the value of the level before lies where the result belongs.
        let early = matches!(fault.why, Why::TooEarly);
        assert!(early, "{reach:?}, {steps} steps: {fault}");
    }
}

#[test]
fn faults_say_what_is_where() {
    let reach = Reach::symmetric(1);
    let swapped = mutated(reach, 2, |columns, _| columns[4].levels[0].writes = 3);
    assert_eq!(
        swapped.unwrap().to_string(),
        "plane 2 of level 2 reads plane 3 of level 1 in slot 2, it was written to slot 3"
    );
    let lost = mutated(reach, 2, |columns, _| columns[4].levels[1].writes = 1);
    assert_eq!(
        lost.unwrap().to_string(),
        "plane 3 of level 2 reads plane 2 of level 1 in slot 1, which plane 2 of level 2 has \
         overwritten"
    );
    let reversed = mutated(reach, 2, |columns, _| columns[4].levels.reverse());
    assert_eq!(
        reversed.unwrap().to_string(),
        "plane 2 of level 2 reads plane 3 of level 1 in slot 2, before it is computed"
    );
    let mut sweep = star(2, reach, 2);
    sweep.slots = Some(vec![SlotPlace::Shared; 4]);
    assert_eq!(
        texts(&sweep),
        ["queue of 4 slots is too short: 2 steps with 'tight' skew need 5; plane 2 of level 2 \
          reads plane 1 of level 1 in slot 0, which plane 4 of level 0 has overwritten"]
    );
}

/// Each level is a column late, the first one too: it works on the plane that arrived before. So
/// much more is kept.
#[test]
fn lazy_skew_needs_a_slot_more_for_each_level() {
    for (reach, steps) in shapes() {
        let mut sweep = Sweep { skew: Skew::Lazy, ..star(2, reach, steps) };
        let tight = sweep.slots.as_ref().unwrap().len();
        let needed = tight + steps as usize;
        for slots in [tight, needed - 1].into_iter().filter(|&slots| slots < needed) {
            sweep.slots = Some(vec![SlotPlace::Register; slots]);
            let problems = check(&sweep);
            let [Problem::Short { needed: found, .. }] = problems.as_slice() else {
                panic!("{reach:?}, {steps} steps, {slots} slots: {problems:?}");
            };
            assert_eq!(*found, needed, "{reach:?}, {steps} steps, {slots} slots");
        }
        assert_eq!(drawing::slots(&Sweep { slots: None, ..sweep.clone() }), needed);
        sweep.slots = Some(vec![SlotPlace::Register; needed]);
        assert_eq!(check(&sweep), [], "{reach:?}, {steps} steps");
    }
    let mut sweep = Sweep { skew: Skew::Lazy, ..star(1, Reach::symmetric(1), 2) };
    sweep.slots = None;
    assert_eq!(
        texts(&sweep),
        ["skew 'lazy' in one dimension: the only plane has no plane after it, 'tight' is all \
          there is"]
    );
}

/// What is played takes as many columns as what is drawn.
#[test]
fn columns_are_the_iterations_that_are_drawn() {
    for (reach, steps) in shapes() {
        for skew in [Skew::Tight, Skew::Lazy] {
            let sweep = Sweep { skew, slots: None, ..star(2, reach, steps) };
            let (stream, slots) = (stream(&sweep), drawing::slots(&sweep));
            let completed = stream.play(slots).unwrap().len() as i64;
            let columns = i64::from(stream.columns_enough(slots));
            assert_eq!(drawing::iterations(&sweep, 0..completed), columns, "{sweep:?}");
        }
    }
}

/// A plane that waits takes a register of each level beside the sums, or lies in shared memory.
#[test]
fn lazy_sums_have_planes_that_wait() {
    let of = |skew, storage| {
        let limits = Limits { registers: 0, ..ROOMY };
        let sweep = scattered(2, Reach::symmetric(1), 3);
        match check(&Sweep { skew, storage, limits, ..sweep }).as_slice() {
            [Problem::Registers { needed, .. }] => *needed,
            problems => panic!("{problems:?}"),
        }
    };
    let tight = of(Skew::Tight, Storage::Queue);
    // Two points of two words in each level.
    assert_eq!(of(Skew::Lazy, Storage::Queue), tight + 3 * 4);
    assert_eq!(of(Skew::Lazy, Storage::Retimed), tight);
}

#[test]
fn accesses_beyond_the_reach_are_refused() {
    let mut sweep = star(2, Reach::symmetric(1), 2);
    sweep.carried[0].push(vec![2, 0]);
    assert_eq!(
        texts(&sweep),
        [
            "access [2, 0] of age 0 reads 2 ahead along dimension 0, the sweep is made for 1",
            "plane 1 of level 1 reads plane 3 of level 0 in slot 3, before it is computed, and no \
             number of slots mends that",
        ]
    );
    // An older level is further on, by as much as a level reaches.
    let mut sweep = star(3, Reach { behind: 2, ahead: 0 }, 1);
    sweep.carried.push(vec![vec![-4, -2, 0], vec![-5, -3, 0]]);
    assert_eq!(
        texts(&sweep),
        [
            "access [-5, -3, 0] of age 1 reads 5 behind along dimension 0, the sweep is made for 4",
            "access [-5, -3, 0] of age 1 reads 3 behind along dimension 1, the sweep is made for 2",
        ]
    );
}

/// The last that fits and the first that does not.
#[test]
fn slots_must_fit() {
    let mut sweep = star(3, Reach::symmetric(1), 4);
    let slots = sweep.slots.as_mut().unwrap();
    slots[..3].fill(SlotPlace::Shared);
    // Six slots of two doubles in registers; three of two doubles of 128 threads shared.
    sweep.limits.registers = 24;
    sweep.limits.shared_bytes = 6144;
    assert_eq!(check(&sweep), []);
    sweep.limits.registers = 23;
    sweep.limits.shared_bytes = 6143;
    assert_eq!(
        texts(&sweep),
        [
            "24 registers for values of a thread, 23 are available",
            "6144 bytes of shared memory for slots, a block has 6143",
        ]
    );
    sweep.limits.value_bytes = 2;
    assert_eq!(check(&sweep), []);
}

#[test]
fn sums_must_fit() {
    let mut sweep = scattered(2, Reach::symmetric(2), 3);
    // Four sums of each level, of two doubles.
    sweep.limits.registers = 48;
    assert_eq!(check(&sweep), []);
    sweep.limits.registers = 47;
    assert_eq!(texts(&sweep), ["48 registers for values of a thread, 47 are available"]);
}

/// The second order in time: each level reads the one two below, at its own plane.
#[test]
fn older_levels_are_kept_in_registers() {
    let mut sweep = star(2, Reach::symmetric(1), 3);
    sweep.carried.push(vec![vec![0, 0]]);
    // Seven slots and, for the third level, the first one's values of two planes.
    sweep.limits.registers = 36;
    assert_eq!(check(&sweep), []);
    sweep.limits.registers = 35;
    assert_eq!(texts(&sweep), ["36 registers for values of a thread, 35 are available"]);
    // Two steps read nothing older than what lies in memory.
    assert_eq!(stream(&Sweep { steps: 2, ..sweep }).kept_apart(), 0);
}

#[test]
fn tiles_must_not_be_used_up() {
    let mut sweep = star(2, Reach { behind: 1, ahead: 2 }, 4);
    sweep.tile = vec![13];
    assert_eq!(check(&sweep), []);
    sweep.tile = vec![12];
    assert_eq!(texts(&sweep), ["tile of 12 cells along dimension 1 is used up: 4 steps trim 12"]);
    let line = Sweep { tile: vec![12], ..star(1, Reach { behind: 1, ahead: 2 }, 4) };
    assert_eq!(texts(&line), ["tile of 12 cells along dimension 0 is used up: 4 steps trim 12"]);
}

#[test]
fn scatter_form_adds_plane_by_plane() {
    let right = scattered(2, Reach::symmetric(1), 2);
    let several = Sweep { terms: vec![vec![-1, 1], vec![0]], ..right.clone() };
    assert_eq!(
        texts(&several),
        ["term 0 of the sum reads planes [-1, 1], scatter form adds what one plane contributes \
          when it arrives"]
    );
    let order = Sweep { terms: vec![vec![0], vec![], vec![-1], vec![1]], ..right.clone() };
    assert_eq!(
        texts(&order),
        ["term 2 of the sum reads plane -1 after plane 0 was added, planes arrive in the other \
          order"]
    );
    let lost = Sweep { terms: vec![vec![-1], vec![0]], ..right.clone() };
    assert_eq!(
        texts(&lost),
        ["terms of the sum read planes [-1, 0], accesses read planes [-1, 0, 1]"]
    );
    let slots = Sweep { slots: Some(vec![SlotPlace::Register; 5]), ..right.clone() };
    assert_eq!(texts(&slots), ["5 slots in scatter form, which carries sums and has no queue"]);
    let mut older = right;
    older.carried.push(vec![vec![0, 1], vec![1, 0]]);
    assert_eq!(
        texts(&older),
        ["access [1, 0] of age 1 is 1 planes away, scatter form reads older levels in the \
          point's own plane"]
    );
}

#[test]
fn nonsense_is_told_first() {
    let right = star(2, Reach::symmetric(1), 1);
    assert_eq!(check(&Sweep { steps: 0, ..right.clone() }), [Problem::NoSteps]);
    assert_eq!(check(&Sweep { rank: 4, ..right.clone() }), [Problem::Rank { rank: 4 }]);
    let mut short = Sweep { tile: vec![8, 8], reach: vec![Reach::symmetric(1)], ..right };
    short.carried = vec![vec![vec![0]]];
    assert_eq!(
        texts(&short),
        [
            "access [0] of age 0 has 1 entries, the domain has 2 dimensions",
            "reach has 1 entries, the domain has 2 dimensions",
            "tile has 2 entries, the domain has 2 dimensions",
        ]
    );
}
