//! Two values of each key, and what differs between kernels with them.

use super::{COEFFICIENT, LARGE, MANY_TREES, Made, Program, SHOWN, SQUARE, STAR, STAR_3D};

/// Bytes of a plane of doubles of a block that leaves threads and points open, in two dimensions:
/// four warps, two columns of a lane.
const PLANE: usize = 4 * 32 * 2 * 8;

/// Two values of a key, and whether kernels with them differ in what it is about.
pub struct Case {
    pub key: &'static str,
    /// The program, and what else its plan says.
    pub program: Program,
    pub plan: &'static str,
    /// The values, with keys that go with them; the second is not the default.
    pub values: [&'static str; 2],
    pub acts: fn(&Made, &Made),
}

/// At least one case for each key but those of demotion, which have a table of their own.
pub const CASES: &[Case] = &[
    // Ten blocks of four rows go along two planes each, or one after another along all.
    Case {
        key: "block_steps",
        program: STAR_3D,
        plan: "threads=1x4x32,points=2x1x1",
        values: ["block_steps=1", "block_steps=5"],
        acts: |one, five| {
            let blocks = |made: &Made| made.grid().iter().product::<u32>();
            assert_eq!(blocks(one), 5 * blocks(five));
            assert_eq!(one.count("fma.rn.f64"), five.count("fma.rn.f64"));
        },
    },
    Case {
        key: "chunks",
        program: STAR,
        plan: "mapping=warp,steps=2,threads=1x32",
        values: ["chunks=1", "chunks=3"],
        acts: |one, three| {
            let blocks = |made: &Made| made.grid().iter().product::<u32>();
            assert_eq!(blocks(three), 3 * blocks(one));
        },
    },
    // Tiles at both ends of a row are cut in three.
    Case {
        key: "edge_chunks",
        program: STAR,
        plan: "mapping=warp,steps=2,threads=1x32,points=1x2",
        values: ["edge_chunks=1", "edge_chunks=3"],
        acts: |one, three| {
            let blocks = |made: &Made| made.grid().iter().product::<u32>();
            assert_eq!(blocks(three), blocks(one) + 2 * 2);
        },
    },
    // In scatter form each plane is read when it arrives, and never again: neighbours are asked
    // once, not for each of three planes.
    Case {
        key: "form",
        program: SQUARE,
        plan: "mapping=warp,steps=2",
        values: ["form=gather", "form=scatter"],
        acts: |gather, scatter| {
            assert!(scatter.shuffles() > 0);
            assert_eq!(gather.shuffles(), 3 * scatter.shuffles());
        },
    },
    // 300 points by blocks of 64: five, and six if the first begins 31 points early.
    Case {
        key: "alignment_offset",
        program: STAR,
        plan: "threads=4x64,points=1",
        values: ["alignment_offset=0", "alignment_offset=31"],
        acts: |none, early| assert_eq!((none.grid()[0], early.grid()[0]), (5, 6)),
    },
    Case {
        key: "loads",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["loads=direct", "loads=prefetch"],
        acts: |direct, prefetch| {
            // Two columns of a thread are on their way.
            assert_eq!(prefetch.carried(), direct.carried() + 2);
            // Cells outside of the domain are copied either way.
            assert_eq!(direct.count("cp.async"), prefetch.count("cp.async"));
        },
    },
    Case {
        key: "loads",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["loads=direct", "loads=ring,ring=4"],
        acts: |_, ring| {
            assert!(ring.count("cp.async.cg.shared.global") > 0);
            assert!(ring.count("cp.async.wait_group") > 0);
        },
    },
    Case {
        key: "mapping",
        program: STAR,
        plan: "",
        values: ["mapping=thread", "mapping=warp"],
        acts: |thread, warp| {
            assert_eq!(thread.count("shfl.sync") + thread.count("bar.sync"), 0);
            assert!(warp.shuffles() > 0);
            assert_eq!(warp.count("bar.sync"), 0);
        },
    },
    Case {
        key: "mapping",
        program: STAR_3D,
        plan: "",
        values: ["mapping=thread", "mapping=block"],
        acts: |thread, block| {
            assert_eq!(thread.count("shfl.sync") + thread.count("bar.sync"), 0);
            assert!(block.shuffles() > 0);
            assert!(block.count("bar.sync") > 0);
        },
    },
    Case {
        key: "max_registers",
        program: STAR,
        plan: "mapping=warp",
        values: ["max_registers=96", "max_registers=128"],
        acts: |one, other| {
            assert_eq!(one.count(".maxnreg 96"), 1);
            assert_eq!(other.count(".maxnreg 128"), 1);
        },
    },
    Case {
        key: "min_blocks",
        program: STAR,
        plan: "mapping=warp",
        values: ["min_blocks=1", "min_blocks=3"],
        acts: |one, three| {
            assert_eq!(one.count(".minnctapersm"), 0);
            assert_eq!(three.count(".minnctapersm 3"), 1);
        },
    },
    // The first permutation of subtrees is not the best one.
    Case {
        key: "permutations",
        program: LARGE,
        plan: "points=1,schedule=reorder",
        values: ["permutations=200000", "permutations=1"],
        acts: reordered,
    },
    // Four columns of a lane make tiles twice as wide, and twice as much to compute.
    Case {
        key: "points",
        program: STAR,
        plan: "mapping=warp,threads=1x32",
        values: ["points=1x2", "points=1x4"],
        acts: |two, four| {
            assert_eq!(four.count("fma.rn.f64"), 2 * two.count("fma.rn.f64"));
            assert!(four.grid()[0] < two.grid()[0]);
        },
    },
    // One plane of one field is asked for: the rows that threads compute, and one on either side.
    Case {
        key: "prefetch",
        program: STAR_3D,
        plan: "threads=1x4x32,points=1,block_steps=5",
        values: ["prefetch=0", "prefetch=1"],
        acts: |none, one| {
            let asked = |made: &Made| made.count("prefetch.global.L1");
            assert_eq!((asked(none), asked(one)), (0, 2));
        },
    },
    Case {
        key: "prune",
        program: LARGE,
        plan: "points=1,schedule=reorder",
        values: ["prune=1", "prune=255"],
        acts: reordered,
    },
    // Five slots: all in registers, or three of them in shared memory, each of which an iteration
    // reads once and writes once.
    Case {
        key: "queue_registers",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["queue_registers=5", "queue_registers=2"],
        acts: |all, two| {
            let one = STAR.make("mapping=warp,steps=2,queue_registers=4");
            let more = |made: &Made, word: &str| made.count(word) - all.count(word);
            assert!(more(one, "ld.shared") > 0);
            for word in ["ld.shared", "st.shared"] {
                assert_eq!(more(two, word), 3 * more(one, word));
            }
            let bytes = |made: &Made| made.shared_bytes() - all.shared_bytes();
            assert_eq!(bytes(two), 3 * bytes(one));
            // Two columns for each of three slots are not handed on in registers.
            assert_eq!(two.carried(), all.carried() - 6);
        },
    },
    // Four steps out and four home, two out and two home, and single ones; or without the twos.
    Case {
        key: "remainder",
        program: STAR,
        plan: "mapping=warp,steps=4",
        values: ["remainder=halved", "remainder=single"],
        acts: |halved, single| {
            let kernels = |made: &Made| made.manifest.kernels.len();
            assert_eq!((kernels(halved), kernels(single)), (5, 3));
        },
    },
    Case {
        key: "ring",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["ring=3,loads=ring", "ring=6,loads=ring"],
        acts: |three, six| {
            assert!(three.shared_bytes() > 0);
            // Three planes more of both columns, and of cells outside of the domain.
            assert!(six.shared_bytes() - three.shared_bytes() >= 3 * PLANE);
            // The copy of the plane that arrives is done when at most these others are not.
            assert!(three.count("cp.async.wait_group \t1;") > 0, "{}", three.ptx);
            assert!(six.count("cp.async.wait_group \t4;") > 0);
        },
    },
    // The coefficient of both levels is loaded once.
    Case {
        key: "reads",
        program: COEFFICIENT,
        plan: "mapping=warp,steps=2",
        values: ["reads=memory", "reads=queue"],
        acts: |memory, queue| {
            assert!(queue.count("ld.global") < memory.count("ld.global"));
        },
    },
    // Two planes and the one that arrives change places: the loop is written out three times.
    Case {
        key: "rotation",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["rotation=move", "rotation=unroll"],
        acts: |moved, unrolled| {
            assert!(moved.count("fma.rn.f64") > 0);
            assert_eq!(unrolled.count("fma.rn.f64"), 3 * moved.count("fma.rn.f64"));
        },
    },
    Case {
        key: "schedule",
        program: MANY_TREES,
        plan: "points=1",
        values: ["schedule=source", "schedule=trees"],
        acts: reordered,
    },
    Case {
        key: "schedule",
        program: MANY_TREES,
        plan: "points=1",
        values: ["schedule=trees", "schedule=reorder"],
        acts: reordered,
    },
    Case {
        key: "schedule",
        program: MANY_TREES,
        plan: "points=1",
        values: ["schedule=source", "schedule=interleave"],
        acts: reordered,
    },
    Case {
        key: "schedule",
        program: MANY_TREES,
        plan: "points=1",
        values: ["schedule=reorder", "schedule=reorder-interleave"],
        acts: reordered,
    },
    // Levels that work on what arrived one iteration ago wait for their rows together: once in an
    // iteration, not once each. One barrier more makes the first rows known.
    Case {
        key: "skew",
        program: STAR_3D,
        plan: "mapping=block,steps=3,form=scatter",
        values: ["skew=tight", "skew=lazy"],
        acts: |tight, lazy| {
            assert!(lazy.count("bar.sync") > 1);
            assert_eq!(tight.count("bar.sync") - 1, 3 * (lazy.count("bar.sync") - 1));
        },
    },
    Case {
        key: "spills",
        program: STAR,
        plan: "max_registers=32",
        values: ["spills=local", "spills=shared"],
        acts: |local, shared| {
            let asked = |made: &Made| made.count(".pragma \"enable_smem_spilling\"");
            assert_eq!((asked(local), asked(shared)), (0, 1));
        },
    },
    // Of five terms, three are added in one kernel and two in the next, which reads the sum so far.
    Case {
        key: "splits",
        program: STAR,
        plan: "",
        values: ["splits=1", "splits=2"],
        acts: |one, two| {
            assert_eq!(two.manifest.kernels.len(), 2 * one.manifest.kernels.len());
            let stages = two.manifest.kernels.iter().filter_map(|kernel| kernel.stage.as_deref());
            let stages = stages.filter_map(|stage| stage.rsplit_once('.')).map(|(_, part)| part);
            assert_eq!(stages.take(2).collect::<Vec<_>>(), ["1", "2"]);
            // A kernel reads one field and writes one; the second one also reads the sum so far.
            assert_eq!((one.bytes(), two.bytes()), (vec![16], vec![16, 24]));
        },
    },
    Case {
        key: "steps",
        program: STAR,
        plan: "mapping=warp",
        values: ["steps=1", "steps=4"],
        acts: |one, four| {
            assert!(one.count("fma.rn.f64") > 0);
            assert_eq!(four.count("fma.rn.f64"), 4 * one.count("fma.rn.f64"));
            assert_eq!(one.manifest.functions[0].time_steps, None);
            assert!(four.manifest.functions[0].time_steps.is_some());
        },
    },
    // All neighbours are read in shared memory: two columns of three planes of two levels, of which
    // no register keeps one.
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["storage=queue", "storage=shared"],
        acts: |queue, shared| {
            assert!(queue.shuffles() > 0);
            assert_eq!(shared.shuffles(), 0);
            assert_eq!(shared.count("bar.sync"), queue.count("bar.sync"));
            assert!(shared.count("ld.shared") > queue.count("ld.shared"));
            assert!(shared.count("bar.warp.sync") > 0);
            assert_eq!((queue.carried(), shared.carried()), (2 * 2 * 2, 0));
            assert_eq!(shared.shared_bytes() - queue.shared_bytes(), 3 * 2 * PLANE);
        },
    },
    // The plane after the middle one is handed on by the plane in shared memory.
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2",
        values: ["storage=shared", "storage=diagonal-free"],
        acts: |shared, diagonal_free| {
            assert_eq!(diagonal_free.shuffles(), 0);
            assert!(diagonal_free.count("ld.shared") > 0);
            assert_eq!(diagonal_free.carried(), 2 * 2);
            assert_eq!(shared.shared_bytes() - diagonal_free.shared_bytes(), 2 * 2 * PLANE);
        },
    },
    Case {
        key: "storage",
        program: STAR,
        plan: "mapping=warp,steps=2,form=scatter",
        values: ["storage=queue", "storage=retimed"],
        acts: |queue, retimed| {
            assert_eq!(retimed.shuffles(), 0);
            assert!(retimed.count("ld.shared") > queue.count("ld.shared"));
            assert_eq!(retimed.carried(), queue.carried());
            assert_eq!(retimed.shared_bytes() - queue.shared_bytes(), 2 * PLANE);
        },
    },
    // Rows of other warps and columns of other lanes alike: each level waits for its middle plane.
    Case {
        key: "storage",
        program: STAR_3D,
        plan: "mapping=block,steps=2",
        values: ["storage=queue", "storage=diagonal-free"],
        acts: |queue, diagonal_free| {
            assert!(queue.shuffles() > 0);
            assert_eq!(diagonal_free.count("shfl.sync"), 0);
            assert!(diagonal_free.count("bar.sync") > 0);
            // Of two planes of each level, one.
            assert_eq!(2 * diagonal_free.carried(), queue.carried());
        },
    },
    // One field is read and both are written, in two steps: 12 bytes for each. Without such a
    // sweep, 8 bytes each, and 16 where steps are single.
    Case {
        key: "tail",
        program: SHOWN,
        plan: "mapping=warp,steps=2",
        values: ["tail=unfused", "tail=scratch"],
        acts: |unfused, scratch| {
            assert!(scratch.bytes().contains(&12));
            assert!(unfused.bytes().iter().all(|bytes| [8, 16].contains(bytes)));
        },
    },
    Case {
        key: "threads",
        program: STAR,
        plan: "mapping=warp",
        values: ["threads=1x32", "threads=1x96"],
        acts: |one, three| {
            assert_eq!((one.block(), three.block()), ([32, 1, 1], [96, 1, 1]));
            assert_eq!(three.count(".maxntid 96, 1, 1"), 1);
        },
    },
    // Both cells of a thread are read and written at once, with those above and below; the ones at
    // their sides alone. Threads at the end of a row do without.
    Case {
        key: "vector",
        program: STAR,
        plan: "threads=4x64,points=1x2,alignment_offset=1",
        values: ["vector=1", "vector=2"],
        acts: |one, two| {
            assert_eq!(one.count(".v2.b64"), 0);
            assert_eq!(two.count("ld.global.nc.v2.b64"), 3);
            assert_eq!(two.count("st.global.v2.b64"), 1);
            assert!(two.count("ld.global.nc.b64") < one.count("ld.global.nc.b64"));
        },
    },
];

/// The same operations in another order.
fn reordered(one: &Made, other: &Made) {
    assert_ne!(one.ptx, other.ptx);
    for operation in ["fma.rn", "mul.rn", "add.rn", "ld.global", "st.global"] {
        assert_eq!(one.count(operation), other.count(operation), "{operation}");
    }
}
