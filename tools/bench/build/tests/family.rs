//! Every program of the generated family, on the interpreter, against the sum that its name says.

use stencil_bench::{
    family::{self, Member},
    kernels::{self, Element},
};
use stencil_bench_build::{
    family as generated,
    programs::{self, Language, Size},
};
use stencil_driver::{
    arguments, interpreted,
    monitor::Silent,
    session::{self, Session},
    target::Target,
};
use stencil_runtime::bind::{Requests, Value};

/// One number of a type, with the operations of the text.
trait Number: Copy + PartialEq + std::fmt::Debug {
    fn weight(weight: f64) -> Self;
    fn read(bytes: &[u8]) -> Vec<Self>;
    fn product(self, other: Self) -> Self;
    fn sum(self, other: Self) -> Self;
}

impl Number for f64 {
    fn weight(weight: f64) -> Self {
        weight
    }
    fn read(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks_exact(8).map(|cell| f64::from_le_bytes(cell.try_into().unwrap())).collect()
    }
    fn product(self, other: Self) -> Self {
        self * other
    }
    fn sum(self, other: Self) -> Self {
        self + other
    }
}

impl Number for f32 {
    fn weight(weight: f64) -> Self {
        weight as f32
    }
    fn read(bytes: &[u8]) -> Vec<Self> {
        bytes.chunks_exact(4).map(|cell| f32::from_le_bytes(cell.try_into().unwrap())).collect()
    }
    fn product(self, other: Self) -> Self {
        self * other
    }
    fn sum(self, other: Self) -> Self {
        self + other
    }
}

/// All coordinates of a box that leaves out some cells at each end.
fn points(extents: &[u64], margin: u64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for extent in extents {
        let line = margin as i64..(extent - margin) as i64;
        let longer = |start: &Vec<i64>| {
            line.clone().map(|coordinate| [&start[..], &[coordinate]].concat()).collect::<Vec<_>>()
        };
        points = points.iter().flat_map(longer).collect();
    }
    points
}

/// The position of a cell in memory.
fn cell(extents: &[u64], point: &[i64]) -> usize {
    let along = |sum, (extent, coordinate): (&u64, &i64)| sum * *extent as i64 + coordinate;
    extents.iter().zip(point).fold(0, along) as usize
}

/// The fields after all steps.
fn expected<N: Number>(member: &Member, extents: &[u64], mut fields: [Vec<N>; 2]) -> [Vec<N>; 2] {
    let weights = generated::weights(member, generated::SEED);
    let terms = member.offsets().into_iter().zip(weights.into_iter().map(N::weight));
    let terms = terms.collect::<Vec<_>>();
    let steps = kernels::find(&member.name()).unwrap().steps;
    for step in 0..steps as usize {
        for point in points(extents, member.margin()) {
            let term = |(offset, weight): &(Vec<i64>, N)| {
                let at = point.iter().zip(offset).map(|(one, two)| one + two).collect::<Vec<_>>();
                weight.product(fields[step % 2][cell(extents, &at)])
            };
            let sum = terms.iter().map(term).reduce(N::sum).unwrap();
            fields[(step + 1) % 2][cell(extents, &point)] = sum;
        }
    }
    fields
}

/// Reads a member's program as a benchmark is read, runs it as given and compares every cell.
fn check<N: Number>(member: &Member, element: Element) {
    let name = member.name();
    let benchmark = kernels::find(&name).unwrap();
    let input = programs::input(&programs::folder(), benchmark, Language::Mlir).unwrap();
    let reading = programs::reading(benchmark, &input, element, Size::Small).unwrap();
    let context = session::new_context();
    let target = Target::new("sm_90a", None).unwrap();
    let session = Session::new(&context, &input, target);
    let module = session.read(&reading).unwrap_or_else(|error| panic!("{name}: {error}"));
    let program = session.decode(&module, &generated::function(member)).unwrap();
    let taken = arguments::arguments(&program, &module).unwrap();
    let requests = Requests { seed: 1, ..Requests::default() };
    let mut bound = arguments::bind(&taken, &requests).unwrap();
    let read = |values: &[Value]| {
        [0, 1].map(|position| match &values[position] {
            Value::Field(bytes) => N::read(bytes),
            Value::Scalar(_) => panic!("{name} takes fields"),
        })
    };
    let before = read(&bound.values);
    interpreted::run(&session, &program, &taken, &mut bound, &Silent).unwrap();
    let extents = benchmark.small_size();
    let expected = expected(member, &extents, before.clone());
    assert_ne!(before, expected, "{name}");
    // The interpreter does the operations of the text in their order: there is nothing to bound.
    assert!(read(&bound.values) == expected, "{name} in {element}");
}

#[test]
fn every_program_is_the_sum_that_its_name_says() {
    for member in family::members() {
        check::<f64>(member, Element::F64);
    }
}

#[test]
fn so_it_is_in_single_precision() {
    // The types differ in nothing but the rounding: one of each shape and rank will do.
    for name in ["star1d2r", "star2d-1x3", "box2d1r", "star3d3r", "box3d-2x1x1"] {
        check::<f32>(family::find(name).unwrap(), Element::F32);
    }
}
