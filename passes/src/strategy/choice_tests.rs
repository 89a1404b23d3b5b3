//! Plans that follow from facts about bodies.

use super::*;

/// A body that reads seven cells of one field of doubles.
fn facts(domain: &[u64], operations: usize) -> Facts {
    Facts {
        domain: domain.to_vec(),
        reads: 7,
        repeats: 0,
        sources: 1,
        singles: 0,
        rows_at_lines: false,
        results: 1,
        words: 2,
        operations,
        is_fixed: true,
        alignment_offset: 0,
        vector: 1,
        tile: Vec::new(),
        spills: false,
    }
}

fn plan_of(facts: &Facts) -> PlanKeys {
    let target = Architecture::parse("sm_90a").unwrap();
    let plan = complete(PlanKeys::default(), &Constraints::default(), facts, target);
    plan.check(target, &facts.domain).unwrap();
    plan
}

fn choice(domain: &[u64], operations: usize) -> PlanKeys {
    plan_of(&facts(domain, operations))
}

#[test]
fn several_points_share_a_thread_where_a_body_is_light() {
    assert_eq!(choice(&[512, 512, 512], 20).points, [4, 1, 1]);
    assert_eq!(choice(&[512, 512, 512], 500).points, [1, 2, 1]);
    assert_eq!(choice(&[512, 512, 512], 700).points, [1, 1, 1]);
    let vectors = plan_of(&Facts { vector: 2, ..facts(&[512; 3], 700) });
    assert_eq!((vectors.points, vectors.vector), (vec![1, 1, 2], 2));
    assert_eq!((vectors.block_steps, vectors.prefetch), (50, 1));
    let results = Facts { results: 5, ..facts(&[512; 3], 500) };
    assert_eq!(plan_of(&results).points, [4, 1, 1]);
    assert_eq!(choice(&[512, 512], 500).points, [4, 1]);
    assert_eq!(choice(&[512, 512, 512], 401).schedule, Some(Schedule::Trees));
    assert_eq!(choice(&[512, 512, 512], 400).schedule, None);
}

#[test]
fn large_bodies_have_fewer_points_where_rows_are_apart() {
    let apart = |facts: Facts| {
        let plan = plan_of(&Facts { is_fixed: false, ..facts });
        (plan.points, plan.max_registers)
    };
    let results = Facts { results: 5, ..facts(&[512; 3], 500) };
    assert_eq!(apart(results.clone()), (vec![2, 1, 1], Some(128)));
    assert_eq!(apart(Facts { words: 1, ..results.clone() }), (vec![2, 1, 1], Some(64)));
    // Vectors of aligned rows are shared all the same.
    let aligned = Facts { words: 1, vector: 2, ..results };
    assert_eq!(apart(aligned), (vec![1, 2, 2], Some(128)));
    assert_eq!(apart(facts(&[512; 3], 700)), (vec![1, 1, 1], Some(255)));
}

#[test]
fn neighbours_come_as_vectors_where_rows_consist_of_them() {
    let shape = |domain: &[u64], reads, words, vector| {
        let plan = plan_of(&Facts { reads, words, vector, ..facts(domain, 60) });
        (plan.points, plan.vector, plan.block_steps)
    };
    let flat = [512; 2];
    assert_eq!(shape(&flat, 9, 2, 2), (vec![4, 2], 2, 1));
    assert_eq!(shape(&flat, 9, 1, 4), (vec![4, 4], 4, 1));
    assert_eq!(shape(&flat, 25, 1, 4), (vec![8, 2], 2, 1));
    assert_eq!(shape(&flat, 9, 1, 2), (vec![8, 1], 1, 1), "rows are of pairs");
    assert_eq!(shape(&[512, 200], 9, 1, 4), (vec![8, 1], 1, 1), "rows are short");
    let solid = [512; 3];
    let of_two = Facts { reads: 20, sources: 2, vector: 2, ..facts(&solid, 60) };
    assert_eq!(plan_of(&of_two).vector, 1, "points share the cells of one field");
    assert_eq!(shape(&solid, 7, 2, 2), (vec![4, 1, 1], 1, 1), "L2 is the busy unit");
    assert_eq!(shape(&solid, 7, 1, 4), (vec![2, 2, 2], 2, 2));
    assert_eq!(shape(&solid, 13, 2, 2), (vec![2, 2, 2], 2, 2));
    assert_eq!(shape(&solid, 27, 2, 2), (vec![4, 4, 2], 2, 1));
    assert_eq!(shape(&solid, 27, 1, 4), (vec![2, 2, 2], 2, 2));
}

#[test]
fn asked_points_are_no_vectors_unless_that_is_asked_too() {
    let target = Architecture::parse("sm_90a").unwrap();
    let facts = Facts { vector: 2, ..facts(&[512; 2], 60) };
    let asked = PlanKeys { points: vec![4, 2], ..PlanKeys::default() };
    assert_eq!(complete(asked, &Constraints::default(), &facts, target).vector, 1);
}

#[test]
fn systems_share_cells_too() {
    let shape = |reads, results, words, vector| {
        let facts = Facts { reads, results, words, vector, sources: 7, ..facts(&[512; 3], 160) };
        let plan = plan_of(&facts);
        (plan.points, plan.threads, plan.max_registers.unwrap())
    };
    assert_eq!(shape(73, 3, 1, 2), (vec![2, 1, 2], vec![1, 8, 32], 128));
    assert_eq!(shape(30, 1, 1, 2), (vec![4, 1, 2], vec![1, 8, 32], 64));
    assert_eq!(shape(73, 3, 1, 1), (vec![4, 1, 1], vec![1, 4, 64], 64), "rows are unaligned");
    assert_eq!(shape(30, 3, 1, 2), (vec![2, 1, 2], vec![1, 8, 32], 128), "loads are vectors too");
    assert_eq!(shape(20, 3, 1, 2), (vec![1, 1, 1], vec![1, 4, 64], 64), "memory is the bound");
    let at_lines = |reads, rows_at_lines| {
        let facts = Facts { reads, results: 3, words: 1, vector: 2, ..facts(&[512; 3], 160) };
        plan_of(&Facts { sources: 7, rows_at_lines, ..facts }).block_steps
    };
    assert_eq!([at_lines(73, false), at_lines(73, true)], [1, 4], "planes stay in L1");
    assert_eq!([at_lines(47, true), at_lines(103, true)], [1, 1], "few, or too many for it");
    let source =
        Facts { reads: 39, results: 3, sources: 3, words: 1, vector: 2, ..facts(&[512; 3], 160) };
    assert_eq!(plan_of(&source).points, [2, 2, 2]);
    let coefficients = Facts { reads: 41, sources: 5, singles: 2, ..source.clone() };
    assert_eq!(plan_of(&coefficients).points, [2, 2, 2], "coefficients are read once");
    assert_eq!(plan_of(&Facts { singles: 0, ..coefficients }).points, [2, 1, 2]);
    let large = Facts { reads: 72, ..source.clone() };
    assert_eq!(plan_of(&large).points, [2, 1, 2], "cells take the registers");
    let apart = Facts { is_fixed: false, ..source };
    assert_eq!(plan_of(&apart).points, [2, 1, 2], "addresses take the registers");
    let odd = Facts { reads: 30, results: 3, words: 1, vector: 2, ..facts(&[512; 3], 160) };
    let odd = plan_of(&Facts { sources: 7, alignment_offset: 1, ..odd });
    assert_eq!(odd.points, [1, 1, 1], "stores or loads are not");
    let flat = Facts { reads: 18, results: 2, words: 1, vector: 2, ..facts(&[512; 2], 160) };
    assert_eq!(plan_of(&Facts { sources: 5, ..flat.clone() }).points, [2, 2]);
    assert_eq!(plan_of(&Facts { sources: 7, ..flat }).points, [4, 1], "memory is the bound");
    assert_eq!(shape(30, 1, 2, 2), (vec![4, 1, 1], vec![1, 4, 64], 64), "lanes move 8 bytes");
}

#[test]
fn cubes_share_rows_too() {
    let cube = Facts { reads: 27, ..facts(&[512; 3], 60) };
    assert_eq!(plan_of(&cube).points, [4, 3, 1]);
    assert_eq!(plan_of(&Facts { words: 1, ..cube.clone() }).points, [4, 4, 1]);
    assert_eq!(plan_of(&Facts { sources: 2, ..cube.clone() }).points, [8, 1, 1]);
    assert_eq!(plan_of(&Facts { domain: vec![512, 11, 512], ..cube }).points, [4, 1, 1]);
}

#[test]
fn sums_of_many_cells_share_them_among_more_points() {
    let points = |reads, extent| plan_of(&Facts { reads, ..facts(&[extent, 512], 200) }).points[0];
    assert_eq!([points(25, 512), points(25, 509), points(7, 512)], [8, 8, 4]);
    assert_eq!([points(25, 31), points(25, 15), points(25, 3)], [4, 2, 1]);
    assert_eq!(points(81, 512), 4, "a plane has fewer cells in common");
    assert_eq!(plan_of(&Facts { reads: 125, ..facts(&[512; 3], 260) }).points, [8, 1, 1]);
}

#[test]
fn several_fields_leave_room_for_fewer_points() {
    let of_fields = |sources, results| {
        plan_of(&Facts { reads: 12, sources, results, ..facts(&[512; 3], 50) }).points[0]
    };
    assert_eq!([of_fields(2, 1), of_fields(3, 1), of_fields(3, 3)], [8, 4, 1]);
}

/// Ten warps put three on one partition of a multiprocessor, which has registers for 168 each.
#[test]
fn registers_let_a_block_start() {
    let target = Architecture::parse("sm_90a").unwrap();
    let facts = facts(&[512; 3], 401);
    let asked = PlanKeys { threads: vec![1, 10, 32], ..PlanKeys::default() };
    let plan = complete(asked, &Constraints::default(), &facts, target);
    assert_eq!(plan.max_registers, Some(168));
    plan.check(target, &facts.domain).unwrap();
}

/// A corner detector of 25 cells, 8192 x 8192 points, f32, on an H100: 161 GPt/s with a quarter
/// of the registers, which spill, and 234 with half of them.
#[test]
fn neighbours_of_bodies_that_are_no_sums_take_half_of_the_registers() {
    let cap = |operations| {
        let facts = Facts { reads: 25, words: 1, vector: 4, ..facts(&[8192; 2], operations) };
        let plan = plan_of(&facts);
        assert_eq!((plan.points, plan.vector), (vec![8, 2], 2));
        plan.max_registers.unwrap()
    };
    assert_eq!((cap(100), cap(230)), (64, 128));
}

#[test]
fn registers_follow_what_a_body_holds() {
    let cap = |reads, words, operations| {
        let plan = plan_of(&Facts { reads, words, ..facts(&[512; 3], operations) });
        (plan.max_registers.unwrap(), plan.threads_per_block())
    };
    assert_eq!(cap(27, 2, 400), (64, 256));
    assert_eq!(cap(125, 2, 400), (128, 256));
    assert_eq!(cap(125, 1, 400), (64, 256));
    assert_eq!(cap(27, 2, 401), (255, 128));
    assert_eq!(cap(27, 1, 401), (128, 128));
}

#[test]
fn warps_begin_at_lines_where_that_is_free() {
    let offset = |extent, alignment_offset| {
        plan_of(&Facts { alignment_offset, ..facts(&[512, extent], 20) }).alignment_offset
    };
    assert_eq!([offset(510, 1), offset(510, 2), offset(510, 3)], [Some(1), Some(2), None]);
    assert_eq!([offset(512, 1), offset(510, 0)], [None, None]);
}

#[test]
fn lanes_lie_along_the_fastest_dimension() {
    assert_eq!(choice(&[512, 512, 512], 20).threads, [1, 4, 64]);
}

#[test]
fn long_slow_dimensions_still_fit_a_grid() {
    choice(&[3_000_000, 4], 20);
    choice(&[3_000_000, 4, 4], 500);
    choice(&[5_000_000, 4, 4], 20);
}

#[test]
fn one_cell_is_a_domain() {
    choice(&[1], 20);
    choice(&[1, 1, 1], 20);
}

/// A kernel that waits for its operations, of which points share some.
#[test]
fn points_that_share_operations_are_a_tile() {
    let tile = vec![2, 2, 1];
    let facts = Facts { words: 1, vector: 2, tile, ..facts(&[128, 256, 256], 450) };
    let plan = plan_of(&facts);
    assert_eq!((plan.points, plan.threads), (vec![2, 2, 1], vec![1, 4, 32]));
    assert_eq!((plan.max_registers, plan.schedule), (Some(96), Some(Schedule::Trees)));
    assert_eq!(plan_of(&Facts { words: 2, ..facts.clone() }).max_registers, Some(128));
    let target = Architecture::parse("sm_90a").unwrap();
    let asked = PlanKeys { points: vec![1, 1, 1], ..PlanKeys::default() };
    assert_eq!(complete(asked, &Constraints::default(), &facts, target).points, [1, 1, 1]);
}
