//! Pragmas: what they say, and for whom.

use super::{parse, program};
use crate::stencilgen::ast::{Clause, Stencil};

/// The clauses of a stencil, on one line.
fn clauses(stencil: &Stencil) -> String {
    let one = |clause: &Clause| match clause {
        Clause::Stream { axis } => format!("stream {}", axis.text),
        Clause::Block { threads, .. } => {
            let threads = threads.iter().map(|(name, count)| {
                format!("{}{}", name.as_ref().map_or("", |name| &name.text), count.value)
            });
            format!("block {}", threads.collect::<Vec<_>>().join(","))
        }
        Clause::Unroll { points, .. } => {
            let points = points.iter().map(|(name, count)| format!("{}{}", name.text, count.value));
            format!("unroll {}", points.collect::<Vec<_>>().join(","))
        }
        Clause::Shared { bytes } => format!("shared {}", bytes.value),
        Clause::Occupancy { part, .. } => format!("occupancy {part}"),
    };
    stencil.clauses.iter().map(one).collect::<Vec<_>>().join("; ")
}

const STENCIL: &str = "stencil f (a) { a = 1; }";

#[test]
fn clauses_have_several_spellings() {
    let table = [
        ("stream k block (32,16) unroll j=2", "stream k; block 32,16; unroll j2"),
        ("stream(k) block x=32,y=8", "stream k; block x32,y8"),
        ("block (x=32, j = 8)", "block x32,j8"),
        ("block 64", "block 64"),
        ("unroll k=2,j=1", "unroll k2,j1"),
        ("unroll (k=2,j=1) occupancy(1)", "unroll k2,j1; occupancy 1"),
        ("shared 48K", "shared 49152"),
        ("shmem 49152", "shared 49152"),
        ("shmem (1M) shared 2KB", "shared 1048576; shared 2048"),
        ("occupancy 0.5", "occupancy 0.5"),
        ("begin any unroll k=1,j=4,i=1", "unroll k1,j4,i1"),
        ("stencilgen begin stream stream stream", "stream stream"),
        ("stencilgen stream k // a comment", "stream k"),
        ("stream k \\\n unroll j=2 /* both */ \\\r\n block 8", "stream k; unroll j2; block 8"),
        ("end any", ""),
        ("", ""),
    ];
    for (text, expected) in table {
        let program = program(&format!("#pragma {text}\n{STENCIL}"));
        assert_eq!(clauses(&program.stencils[0]), expected, "{text}");
    }
}

#[test]
fn pragmas_at_the_head_are_for_all_stencils() {
    let text = "#pragma stream k\n#pragma unroll j=2\nparameter L;
        #pragma block 1\nparameter M;
        #pragma stream j\nstencil f (a) { a = 1; }
        stencil g (b) { double A; b = 1; }\nf (a);\n#pragma end x\ncopyout a;";
    let two = program(text).stencils;
    assert_eq!(clauses(&two[0]), "stream k; unroll j2; block 1; stream j");
    assert_eq!(clauses(&two[1]), "stream k; unroll j2; block 1");
    // Before a stencil it is for this one, also where nothing else is before it.
    let text = "#pragma stream k\nstencil f (a) { a = 1; } stencil g (a) { a = 1; }";
    let two = program(text).stencils;
    assert_eq!((clauses(&two[0]), clauses(&two[1])), ("stream k".to_owned(), String::new()));
}

#[test]
fn pragmas_behind_calls_are_for_the_next_program() {
    let text = format!("{STENCIL} f (a); copyout a;\n#pragma stream k\nparameter L; {STENCIL}");
    let syntax = parse(&text, false);
    assert_eq!(syntax.diagnostics, []);
    let programs = syntax.file.programs;
    assert_eq!(clauses(&programs[0].stencils[0]), "");
    assert_eq!(clauses(&programs[1].stencils[0]), "stream k");
}

#[test]
fn arrays_are_placed_by_assign() {
    let hints = |stencil: &Stencil| {
        let one = stencil.hints.iter().map(|one| format!("{:?} {}", one.placement, one.name.text));
        one.collect::<Vec<_>>().join(", ")
    };
    let text = format!("#assign shmem (A,B), gmem (C), no-shmem (stream)\n{STENCIL}");
    let expected = "Shared A, Shared B, Global C, NotShared stream";
    assert_eq!(hints(&program(&text).stencils[0]), expected);
    // At the head: each stencil gets those of its own arrays; the first those of unknown arrays.
    let text = "#assign shmem (a, b, c), gmem (x)\nparameter L;
        stencil f (a, b) { a = 1; } stencil g (b) { double c; b = 1; }";
    let two = program(text).stencils;
    assert_eq!(hints(&two[0]), "Shared a, Shared b, Global x");
    assert_eq!(hints(&two[1]), "Shared b, Shared c");
}
