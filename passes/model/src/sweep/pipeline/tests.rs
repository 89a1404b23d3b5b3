//! Pipelines of stars, boxes, coefficients and one-sided differences.

use super::*;

const STAR: [Offset; 7] =
    [[0, 0, 0], [-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]];

fn reads(stream: usize, offsets: &[Offset]) -> Vec<Read> {
    offsets.iter().map(|&offset| Read { stream, offset }).collect()
}

/// So many steps of one star.
fn star(steps: usize) -> Graph {
    let mut graph = Graph { streams: vec![Source::Field], ..Graph::default() };
    for step in 0..steps {
        graph.levels.push(reads(step, &STAR));
        graph.streams.push(Source::Level(step));
    }
    graph.outputs = vec![steps];
    graph
}

const TIGHT: Exchange = Exchange {
    shared: Some(Held { rows: 4, columns: false }),
    is_lazy: false,
    copied: None,
    is_once: false,
};
const LAZY: Exchange = Exchange {
    shared: Some(Held { rows: 4, columns: false }),
    is_lazy: true,
    copied: None,
    is_once: false,
};

#[test]
fn levels_of_a_star_are_a_plane_apart_and_keep_two() {
    let graph = star(3);
    let pipeline = Pipeline::of(&graph, TIGHT);
    assert_eq!(pipeline.behind, [1, 2, 3]);
    assert_eq!((pipeline.warm_up(), pipeline.delay(&graph)), (3, 3));
    assert_eq!(pipeline.lost(), [Reach::symmetric(3); 2]);
    let kept = pipeline.streams.iter().map(|stream| stream.oldest).collect::<Vec<_>>();
    assert_eq!(kept, [2, 2, 2, 0]);
    // Rows are read of the middle plane, which arrived an iteration before.
    let rows = pipeline.streams[0].rows.as_ref().unwrap();
    assert_eq!((&rows.stored[..], rows.oldest, rows.copies), (&[0, 3][..], 1, 2));
    let fences = pipeline.events.iter().filter(|event| **event == Event::Fence).count();
    assert_eq!((fences, pipeline.events.last()), (1, Some(&Event::Fence)));
    assert_eq!(Pipeline::of(&graph, LAZY).behind, [1, 2, 3], "nothing is read at once");
}

#[test]
fn unrolled_planes_are_in_their_first_registers_after_a_common_multiple() {
    // Three planes of each level and two copies of rows; moved planes have no period.
    let pipeline = Pipeline::of(&star(2), TIGHT);
    assert_eq!((pipeline.turns(Rotation::Unroll), pipeline.turns(Rotation::Move)), (6, 2));
    let alone = Pipeline::of(
        &star(2),
        Exchange { shared: None, is_lazy: false, copied: None, is_once: false },
    );
    assert_eq!((alone.turns(Rotation::Unroll), alone.turns(Rotation::Move)), (3, 1));
}

#[test]
fn rows_of_the_arriving_plane_need_a_barrier_or_an_iteration() {
    // A box along planes and rows.
    let offsets = [[1, 1, 0], [0, -1, 0], [-1, 0, 0]];
    let graph = Graph {
        streams: vec![Source::Field, Source::Level(0), Source::Level(1)],
        levels: vec![reads(0, &offsets), reads(1, &offsets)],
        outputs: vec![2],
    };
    let tight = Pipeline::of(&graph, TIGHT);
    assert_eq!(tight.behind, [1, 2]);
    let fence = |events: &[Event]| events.iter().filter(|it| **it == Event::Fence).count();
    assert_eq!(fence(&tight.events), 2);
    // The other level's barrier protects what is read.
    assert_eq!(tight.streams[0].rows.as_ref().unwrap().copies, 2);
    let lazy = Pipeline::of(&graph, LAZY);
    assert_eq!((lazy.behind, fence(&lazy.events)), (vec![2, 4], 1));
    assert_eq!(lazy.streams[0].rows.as_ref().unwrap().copies, 3);
}

#[test]
fn one_level_that_reads_at_once_has_a_copy_more() {
    let graph = Graph {
        streams: vec![Source::Field, Source::Level(0)],
        levels: vec![reads(0, &[[0, -1, 0], [0, 0, 0]])],
        outputs: vec![1],
    };
    let pipeline = Pipeline::of(&graph, TIGHT);
    assert_eq!(pipeline.streams[0].rows.as_ref().unwrap().copies, 2);
    let alone = Pipeline::of(
        &graph,
        Exchange { shared: None, is_lazy: false, copied: None, is_once: false },
    );
    assert_eq!((alone.streams[0].rows.as_ref(), alone.events.len()), (None, 1));
}

#[test]
fn fields_are_fetched_as_late_as_they_are_needed() {
    // Two steps with a coefficient, and with what was two steps before.
    let mut first = reads(0, &STAR);
    first.extend(reads(1, &[[0, 0, 0]]));
    first.extend(reads(2, &[[0, 0, 0]]));
    let mut second = reads(3, &STAR);
    second.extend(reads(0, &[[0, 0, 0]]));
    second.extend(reads(2, &[[0, 0, 0]]));
    let streams =
        vec![Source::Field, Source::Field, Source::Field, Source::Level(0), Source::Level(1)];
    let graph = Graph { streams, levels: vec![first, second], outputs: vec![3, 4] };
    let pipeline = Pipeline::of(&graph, TIGHT);
    let of = |stream: usize| (pipeline.streams[stream].behind, pipeline.streams[stream].oldest);
    // The plane of the first level is one behind; the second level's two, which the older field
    // does not see.
    assert_eq!([of(0), of(1), of(2)], [(0, 2), (1, 0), (1, 1)]);
    assert_eq!((pipeline.warm_up(), pipeline.kept()), (2, 5));
}

#[test]
fn statements_on_one_side_need_points_on_that_side() {
    // A backward difference of a forward difference.
    let graph = Graph {
        streams: vec![Source::Field, Source::Level(0), Source::Level(1)],
        levels: vec![reads(0, &[[0; 3], [1, 0, 2]]), reads(1, &[[0; 3], [-1, 0, -2]])],
        outputs: vec![2],
    };
    let pipeline = Pipeline::of(&graph, LAZY);
    assert_eq!(pipeline.streams[0].needed[2], Reach::symmetric(2));
    assert_eq!(pipeline.streams[1].needed[0], Reach { behind: 1, ahead: 0 });
    assert_eq!((pipeline.behind[1], pipeline.warm_up()), (1, 1));
}

#[test]
fn copied_halos_widen_no_tile() {
    let copied = Exchange { copied: Some(Copied { ahead: 2, columns: true }), ..TIGHT };
    let graph = star(2);
    let pipeline = Pipeline::of(&graph, copied);
    // Only what the second step reads of the first is lost.
    assert_eq!(Pipeline::of(&graph, TIGHT).lost(), [Reach::symmetric(2); 2]);
    assert_eq!(pipeline.lost(), [Reach::symmetric(1); 2]);
    assert_eq!(Pipeline::reaches(&graph, copied), [Reach::symmetric(1); 3]);
    // The middle plane is one old when its neighbours are read; two more are on their way.
    let halo = pipeline.streams[0].halo.unwrap();
    assert_eq!(halo, Halo { around: [Reach::symmetric(1); 2], copies: 4, columns: true, taken: 1 });
    assert_eq!(pipeline.streams[0].rows, None);
    assert_eq!(pipeline.events[0], Event::Arrive);
    // One step reads nothing but what is copied.
    let single = star(1);
    assert_eq!(Pipeline::of(&single, copied).lost(), [Reach::symmetric(0); 2]);
    assert_eq!(Pipeline::reaches(&single, copied), [Reach::symmetric(0); 3]);
}

/// A single iteration, of which threads see all that others hold through shared memory.

#[test]
fn planes_copied_with_rows_alone_stay_in_shared_memory() {
    let copied = Exchange { copied: Some(Copied { ahead: 2, columns: false }), ..TIGHT };
    // Two steps, of which the second also reads the field, two planes back.
    let mut graph = star(2);
    graph.levels[1].extend(reads(0, &[[0; 3]]));
    let pipeline = Pipeline::of(&graph, copied);
    // Columns of both steps are lost, rows of the second.
    assert_eq!(pipeline.lost(), [Reach::symmetric(1), Reach::symmetric(2)]);
    let halo = pipeline.streams[0].halo.unwrap();
    let around = [Reach::symmetric(1), Reach::symmetric(0)];
    assert_eq!(halo, Halo { around, copies: 5, columns: false, taken: 3 });
    // Only planes of the first step are carried, where else those of the field are too.
    assert_eq!((pipeline.kept(), Pipeline::of(&graph, TIGHT).kept()), (2, 4));
    assert_eq!((pipeline.streams[0].rows.as_ref(), pipeline.events[0]), (None, Event::Arrive));
    // Boundary values of the field come with its planes.
    assert_eq!(pipeline.oldest_boundary(&graph), 1);
}

const ROW: Exchange = Exchange {
    shared: Some(Held { rows: 1, columns: true }),
    is_lazy: false,
    copied: None,
    is_once: true,
};

#[test]
fn levels_of_one_iteration_take_turns_with_buffers() {
    let columns = [[0, 0, -1], [0, 0, 0], [0, 0, 1]];
    let chain = Graph {
        streams: [Source::Field].into_iter().chain((0..4).map(Source::Level)).collect(),
        levels: (0..4).map(|stream| reads(stream, &columns)).collect(),
        outputs: vec![4],
    };
    let pipeline = Pipeline::of(&chain, ROW);
    let buffer = |pipeline: &Pipeline, stream: usize| {
        pipeline.streams[stream].rows.as_ref().map(|rows| rows.buffer)
    };
    let buffers = (0..5).map(|stream| buffer(&pipeline, stream)).collect::<Vec<_>>();
    assert_eq!(buffers, [Some(0), Some(1), Some(0), Some(1), None]);
    assert_eq!(pipeline.buffers().map(|rows| rows.copies).collect::<Vec<_>>(), [1, 1]);
    let fences = pipeline.events.iter().filter(|event| event.is_fence()).count();
    assert_eq!((fences, pipeline.turns(Rotation::Move)), (4, 1));
    // The second of two results is computed from what the first was, whose buffer is not yet free.
    let pair = Graph {
        streams: vec![Source::Field, Source::Level(0), Source::Level(1), Source::Level(2)],
        levels: vec![
            reads(0, &columns),
            reads(0, &columns),
            [reads(1, &columns), reads(2, &columns)].concat(),
        ],
        outputs: vec![3],
    };
    let pipeline = Pipeline::of(&pair, ROW);
    let buffers = (0..4).map(|stream| buffer(&pipeline, stream)).collect::<Vec<_>>();
    assert_eq!(buffers, [Some(0), Some(1), Some(2), None]);
    // Streamed, each has its own.
    let streamed = Pipeline::of(&chain, Exchange { is_once: false, ..ROW });
    assert_eq!(streamed.buffers().count(), 4);
}
