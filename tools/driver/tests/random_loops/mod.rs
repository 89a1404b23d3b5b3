//! What tests of random time loops share: keys of their plans, and the number of an iteration.

use crate::random_imports::Random;
use std::fmt::Write;
use stencil_model::plan::Mapping;

/// A key of a plan with its value.
#[derive(Clone, Copy, Debug)]
pub enum Key {
    Word(&'static str, &'static str),
    Number(&'static str, usize),
}

impl Key {
    /// As the attribute has it.
    pub fn attribute(self) -> String {
        match self {
            Key::Word(key, word) => format!("{key} = \"{word}\""),
            Key::Number(key, number) => format!("{key} = {number}"),
        }
    }

    /// As the option has it.
    pub fn option(self) -> String {
        match self {
            Key::Word(key, word) => format!("{key}={word}"),
            Key::Number(key, number) => format!("{key}={number}"),
        }
    }
}

/// A mapping that sweeps so many dimensions, with so many threads along the fastest.
pub fn mapping(random: &mut Random, rank: usize, lanes: usize) -> Mapping {
    let threads = threads(rank, lanes);
    let fits = |mapping: &&Mapping| mapping.sweep().is_some_and(|by| by.check(&threads).is_ok());
    let all = Mapping::SWEEPS.iter().filter(fits).collect::<Vec<_>>();
    *all[random.below(all.len())]
}

/// Threads of a row of a tile, of so many along the fastest dimension.
pub fn lanes_of_row(mapping: Mapping, rank: usize, lanes: usize) -> usize {
    let by = mapping.sweep().expect("it sweeps");
    by.layout(&threads(rank, lanes)).lanes as usize
}

fn threads(rank: usize, lanes: usize) -> Vec<u32> {
    let mut threads = vec![1; rank];
    threads[rank - 1] = if rank == 3 { 32 } else { lanes as u32 };
    threads
}

/// Keys of a sweep besides its sizes, of which some are left to the compiler. Some of those that
/// can copy planes to shared memory do.
pub fn keys(random: &mut Random, rank: usize, can_copy: bool) -> Vec<Key> {
    let mut keys = Vec::new();
    match random.below(if can_copy && rank == 3 { 5 } else { 3 }) {
        0 => {}
        1 => keys.push(Key::Word("loads", "direct")),
        2 => keys.push(Key::Word("loads", "prefetch")),
        _ => {
            keys.push(Key::Word("loads", ["halo", "ring"][random.below(2)]));
            keys.push(Key::Number("ring", 2 + random.below(3)));
        }
    }
    let mut word = |key, words: [&'static str; 2]| match random.below(3) {
        0 => {}
        chosen => keys.push(Key::Word(key, words[chosen - 1])),
    };
    word("rotation", ["move", "unroll"]);
    word("reads", ["memory", "queue"]);
    word("remainder", ["halved", "single"]);
    if rank > 1 {
        word("skew", ["tight", "lazy"]);
        if random.one_in(2) {
            keys.push(Key::Number("chunks", 1 + random.below(4)));
        }
        if random.one_in(4) {
            keys.push(Key::Number("edge_chunks", 1 + random.below(4)));
        }
    }
    keys
}

/// Prints `%time`, the number of the iteration `%i` times a small one.
pub fn print_time(text: &mut String, element: &str, scale: f64) {
    writeln!(
        text,
        "    %whole = arith.index_cast %i : index to i32
    %count = arith.sitofp %whole : i32 to {element}
    %scale = arith.constant {scale:?} : {element}
    %time = arith.mulf %count, %scale : {element}"
    )
    .expect("a string takes text");
}

/// Numbers of a plan as the attribute has them.
pub fn array(values: &[usize]) -> String {
    let values = values.iter().map(usize::to_string).collect::<Vec<_>>();
    format!("array<i64: {}>", values.join(", "))
}
