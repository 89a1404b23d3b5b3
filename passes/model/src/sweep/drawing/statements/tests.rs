//! Drawings of Yee's scheme, and of a grid whose threads exchange no rows.

use super::*;
use crate::{
    plan::{Mapping, PlanKeys, Rotation},
    sweep::pipeline::Read,
};

fn plan(keys: PlanKeys) -> SweepPlan {
    keys.plan().unwrap().into_sweep().unwrap()
}

fn read(stream: usize, offset: [i64; 3]) -> Read {
    Read { stream, offset }
}

/// Two steps of `e <- e, h, h[-1, 0, 0], h[0, -1, 0]`, `h <- h, e, e[+1, 0, 0], e[0, 0, +1]`.
fn yee() -> Graph {
    let behind = [[0; 3], [-1, 0, 0], [0, -1, 0]];
    let ahead = [[0; 3], [1, 0, 0], [0, 0, 1]];
    let level = |own: usize, other: usize, offsets: [[i64; 3]; 3]| {
        let others = offsets.map(|offset| read(other, offset));
        [vec![read(own, [0; 3])], others.to_vec()].concat()
    };
    let levels = [Source::Level(0), Source::Level(1), Source::Level(2), Source::Level(3)];
    Graph {
        streams: [vec![Source::Field, Source::Field], levels.to_vec()].concat(),
        levels: vec![
            level(0, 1, behind),
            level(1, 2, ahead),
            level(2, 3, behind),
            level(3, 4, ahead),
        ],
        outputs: vec![4, 5],
    }
}

#[test]
fn every_step_of_an_iteration_is_drawn() {
    let plan = plan(PlanKeys {
        mapping: Mapping::Block,
        steps: 2,
        threads: vec![1, 4, 32],
        points: vec![1, 4, 2],
        rotation: Rotation::Move,
        ..PlanKeys::default()
    });
    let graph = yee();
    let sweep = Sweep {
        graph: &graph,
        plan: &plan,
        rank: 3,
        planes: 1..63,
        streams: ["e", "h", "e+1", "h+1", "e+2", "h+2"].map(str::to_owned).to_vec(),
        levels: ["electric", "magnetic", "electric", "magnetic"].map(str::to_owned).to_vec(),
    };
    let expected = "\
2 steps of 2 statements over the planes 1 to 62, tight skew
66 iterations: 2 before the first plane that is stored arrives, 2 after the last
margins of a tile, on either side of what it stores: 2 and 0 rows, 0 and 2 columns
kept in registers: 4 planes; 2 fences in an iteration; roles come again every 1

stream  newest  kept  exchanged             memory
e       p                                   fetched
h       p       p-1   row 3 of 4 in 1 copy  fetched
e+1     p       p-1   shuffles
h+1     p-1     p-2   row 3 of 4 in 1 copy
e+2     p-1     p-2   shuffles              stored
h+2     p-2                                 stored

when p arrives
fetch           e[p] h[p]
put rows        h[p]
fence
electric        e+1[p]              from e[p] h[p-1 p]
magnetic        h+1[p-1]            from h[p-1] e+1[p-1 p]
put rows        h+1[p-1]
fence
electric        e+2[p-1] -> memory  from e+1[p-1] h+1[p-2 p-1]
magnetic        h+2[p-2] -> memory  from h+1[p-2] e+2[p-2 p-1]
";
    assert_eq!(drawing(&sweep), expected);
}

/// In two dimensions a thread has all rows; what is fetched ahead says so.
#[test]
fn lines_are_not_exchanged() {
    let plan = plan(PlanKeys {
        mapping: Mapping::Warp,
        threads: vec![1, 32],
        points: vec![1, 2],
        loads: crate::plan::LoadMode::Prefetch,
        ..PlanKeys::default()
    });
    let reads = [[-1, 0, 0], [0, 0, 1], [1, 0, 0]].map(|offset| read(0, offset));
    let graph = Graph {
        streams: vec![Source::Field, Source::Level(0)],
        levels: vec![reads.to_vec()],
        outputs: vec![1],
    };
    let sweep = Sweep {
        graph: &graph,
        plan: &plan,
        rank: 2,
        planes: 0..8,
        streams: vec!["u".to_owned(), "u+1".to_owned()],
        levels: vec!["step".to_owned()],
    };
    let expected = "\
1 step of 1 statement over the planes 0 to 7, tight skew
10 iterations: 1 before the first plane that is stored arrives, 1 after the last
margins of a tile, on either side of what it stores: 0 and 1 columns
kept in registers: 2 planes; 0 fences in an iteration; roles come again every 1

stream  newest  kept     exchanged  memory
u       p       p-1 p-2  shuffles   fetched
u+1     p-1                         stored

when p arrives
fetch           u[p]                in an iteration before
step            u+1[p-1] -> memory  from u[p-2 p-1 p]
";
    assert_eq!(drawing(&sweep), expected);
}
