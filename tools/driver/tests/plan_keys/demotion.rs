//! Two values of each key of demotion, and what differs between kernels with them.

use super::{LARGE, Made, STAR_3D, cases::Case};

/// A point of a thread, operations as they were made.
const DEMOTED: &str = "points=1,schedule=source,demote_remat=none,demote_schedule=kept";

/// The same, with rematerialised loads.
const RELOADED: &str = "points=1,schedule=source,demote_schedule=kept";

/// Bytes of a slot of a double for all threads.
fn slot(made: &Made) -> u32 {
    8 * made.block().iter().product::<u32>()
}

/// Instructions that store demoted values, of this type.
fn stores(made: &Made, r#type: &str) -> usize {
    made.count(&format!("st.volatile.shared.{type}"))
}

/// Instructions that load them.
fn loads(made: &Made, r#type: &str) -> usize {
    made.count(&format!("ld.volatile.shared.{type}"))
}

/// Instructions that load an array's element again.
fn reloads(made: &Made) -> usize {
    made.count("ld.relaxed.cta.global")
}

/// Other values move to shared memory.
fn other_moves(one: &Made, other: &Made) {
    assert!(loads(one, "b64") > 0 && loads(other, "b64") > 0);
    let moves = |made: &Made| {
        let lines = made.ptx.lines().filter(|line| line.contains(".volatile.shared"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(moves(one) != moves(other));
}

/// At least one case for each key.
pub const CASES: &[Case] = &[
    // A value of two registers has a slot of a double for each thread.
    Case {
        key: "demote",
        program: LARGE,
        plan: "points=1,schedule=source",
        values: ["demote=0", "demote=20,demote_remat=none,demote_schedule=kept"],
        acts: |none, some| {
            assert_eq!((stores(none, "b64"), loads(none, "b64")), (0, 0));
            assert!(stores(some, "b64") >= 10 && loads(some, "b64") >= stores(some, "b64"));
            assert!(some.dynamic_bytes() >= 10 * slot(some));
            assert_eq!(some.dynamic_bytes() % slot(some), 0);
        },
    },
    // The same loads, each ahead of operations that do not read it.
    Case {
        key: "demote_hoist",
        program: LARGE,
        plan: DEMOTED,
        values: ["demote_hoist=8,demote=20", "demote_hoist=0,demote=20"],
        acts: |ahead, late| {
            assert_eq!(loads(ahead, "b64"), loads(late, "b64"));
            assert!(ahead.ptx != late.ptx);
        },
    },
    Case {
        key: "demote_heuristic",
        program: LARGE,
        plan: DEMOTED,
        values: ["demote_heuristic=furthest-use,demote=20", "demote_heuristic=accesses,demote=20"],
        acts: other_moves,
    },
    Case {
        key: "demote_heuristic",
        program: LARGE,
        plan: DEMOTED,
        values: [
            "demote_heuristic=accesses,demote=60,demote_values=4",
            "demote_heuristic=operand-conflicts,demote=60,demote_values=4",
        ],
        acts: other_moves,
    },
    // Planes are swept in a loop, in which accesses weigh ten times.
    Case {
        key: "demote_heuristic",
        program: STAR_3D,
        plan: "mapping=block,steps=2,form=scatter,demote_remat=none,demote_schedule=kept",
        values: [
            "demote_heuristic=accesses,demote=8,demote_values=2",
            "demote_heuristic=weighted-accesses,demote=8,demote_values=2",
        ],
        acts: other_moves,
    },
    Case {
        key: "demote_redundant",
        program: LARGE,
        plan: DEMOTED,
        values: [
            "demote_redundant=removed,demote=20,demote_heuristic=accesses",
            "demote_redundant=kept,demote=20,demote_heuristic=accesses",
        ],
        acts: |removed, kept| assert!(loads(removed, "b64") < loads(kept, "b64")),
    },
    // What came from an array has no slot, and neither a store nor a load of one.
    Case {
        key: "demote_remat",
        program: LARGE,
        plan: RELOADED,
        values: ["demote_remat=none,demote=20", "demote_remat=loads,demote=20"],
        acts: |none, arrays| {
            assert!(reloads(none) == 0 && reloads(arrays) > 0);
            assert!(loads(arrays, "b64") < loads(none, "b64"));
            assert!(stores(arrays, "b64") < stores(none, "b64"));
            assert!(arrays.dynamic_bytes() < none.dynamic_bytes());
        },
    },
    // Of several orders one that needs fewer moves.
    Case {
        key: "demote_schedule",
        program: LARGE,
        plan: "points=1,schedule=source,demote_remat=none",
        values: ["demote_schedule=kept,demote=20", "demote_schedule=least-traffic,demote=20"],
        acts: |kept, moves| {
            let all = |made| loads(made, "b64") + stores(made, "b64");
            assert!(all(moves) < all(kept), "{} moves for {}", all(moves), all(kept));
        },
    },
    // Slots of a word are asked twice as often, and take as many bytes.
    Case {
        key: "demote_layout",
        program: LARGE,
        plan: DEMOTED,
        values: [
            "demote_layout=interleaved-64,demote=20",
            "demote_layout=interleaved-32,demote=20",
        ],
        acts: |whole, words| {
            assert_eq!(loads(words, "b32"), 2 * loads(whole, "b64"));
            assert_eq!(stores(words, "b32"), 2 * stores(whole, "b64"));
            assert_eq!(words.dynamic_bytes(), whole.dynamic_bytes());
        },
    },
    // The second slot is eight bytes after the first, not those of all threads.
    Case {
        key: "demote_layout",
        program: LARGE,
        plan: DEMOTED,
        values: ["demote_layout=interleaved-64,demote=20", "demote_layout=thread-major,demote=20"],
        acts: |whole, by_thread| {
            assert_eq!(loads(by_thread, "b64"), loads(whole, "b64"));
            let second = format!("+{}]", slot(whole));
            assert!(whole.count(&second) > by_thread.count(&second));
            assert!(by_thread.count("+8]") > whole.count("+8]"));
        },
    },
    Case {
        key: "demote_values",
        program: LARGE,
        plan: DEMOTED,
        values: [
            "demote_values=1,demote=40,demote_heuristic=accesses",
            "demote_values=4,demote=40,demote_heuristic=accesses",
        ],
        acts: other_moves,
    },
];
