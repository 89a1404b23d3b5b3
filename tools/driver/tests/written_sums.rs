//! How a program writes its sums has no say in its kernels: two boxes with every sum in another
//! order, and every factor on the other side, give the same PTX. But where sums are asked for as
//! they are written, each operation adds what the text adds there.

use melior::ir::Module;
use std::{collections::HashMap, fmt::Write};
use stencil_driver::{
    input::Input,
    pipelines::{Kernels, Sums},
    reading::Reading,
    session::{self, Session},
    target::{self, Target},
};

/// Boxes that are one sum: a point for itself, and a sweep.
const BOXES: [&str; 2] = [
    include_str!("../../../test/kernels/2d25pt.mlir"),
    include_str!("../../../test/kernels/2d81pt.mlir"),
];

/// More sums of one field: weights in front of sums, divisions, and both inside of each other.
const OTHERS: [&str; 9] = [
    include_str!("../../../test/kernels/2d64pt.mlir"),
    include_str!("../../../test/kernels/3d27pt.mlir"),
    include_str!("../../../test/kernels/3d125pt.mlir"),
    include_str!("../../../test/kernels/gaussian.mlir"),
    include_str!("../../../test/kernels/heat.mlir"),
    include_str!("../../../test/kernels/j2d9pt-gol.mlir"),
    include_str!("../../../test/kernels/j3d13pt.mlir"),
    include_str!("../../../test/kernels/j3d17pt.mlir"),
    include_str!("../../../test/kernels/poisson.mlir"),
];

/// How the terms of every sum are put in another order.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// From the end.
    Reversed,
    /// At random, by a seed; and sums of sums are added in pairs.
    Shuffled(u64),
}

/// A value, and whether a sum subtracts it.
struct Term<V> {
    subtracted: bool,
    value: V,
}

/// Operations of the text, by the names of their results.
struct Written<'t> {
    definitions: HashMap<&'t str, &'t str>,
    uses: HashMap<&'t str, usize>,
}

impl<'t> Written<'t> {
    fn of(body: &'t str) -> Self {
        let definitions = body.lines().filter_map(|line| line.trim().split_once(" = "));
        let definitions = definitions.collect::<HashMap<_, _>>();
        let mut uses = HashMap::new();
        for text in definitions.values() {
            operands(text).for_each(|value| *uses.entry(value).or_insert(0) += 1);
        }
        Self { definitions, uses }
    }

    /// The only operand of a value that an operation of this name computes.
    fn operand(&self, value: &str, name: &str) -> Option<&'t str> {
        operands(self.definitions.get(value)?.strip_prefix(name)?).next()
    }

    /// The operands of a value that an operation of this name computes.
    fn operands(&self, value: &str, name: &str) -> Option<[&'t str; 2]> {
        let mut operands = operands(self.definitions.get(value)?.strip_prefix(name)?);
        Some([operands.next()?, operands.next()?])
    }

    /// What a sum adds and subtracts, sums inside of it that nothing else uses dissolved.
    fn terms(&self, value: &'t str) -> Vec<Term<&'t str>> {
        let added = self.operands(value, "arith.addf ");
        let Some(operands) = added.or_else(|| self.operands(value, "arith.subf ")) else {
            return vec![Term { subtracted: false, value }];
        };
        let inside = |(operand, is_second): (&'t str, bool)| {
            let terms = match self.uses[operand] {
                1 => self.terms(operand),
                _ => vec![Term { subtracted: false, value: operand }],
            };
            let turned = is_second && added.is_none();
            terms
                .into_iter()
                .map(move |term| Term { subtracted: term.subtracted != turned, ..term })
        };
        operands.into_iter().zip([false, true]).flat_map(inside).collect()
    }
}

/// The values that an operation names.
fn operands(operation: &str) -> impl Iterator<Item = &str> {
    operation.split([' ', ',', '[']).filter(|word| word.starts_with('%'))
}

/// The field of the bodies.
const ARGUMENT: &str = "%t";

/// Writes the same body again.
struct Rewriter<'t> {
    written: Written<'t>,
    order: Order,
    state: u64,
    /// Values that are there, by their names in the text.
    known: HashMap<&'t str, String>,
    names: usize,
    text: String,
}

const FLAGS: &str = "fastmath<reassoc,contract,arcp,afn> : f64";

impl<'t> Rewriter<'t> {
    /// A number below a limit.
    fn random(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) as usize % limit
    }

    fn reorder<T>(&mut self, list: &mut [T]) {
        match self.order {
            Order::Reversed => list.reverse(),
            Order::Shuffled(_) => {
                for at in (1..list.len()).rev() {
                    let other = self.random(at + 1);
                    list.swap(at, other);
                }
            }
        }
    }

    /// The sum of two terms.
    fn sum(&mut self, one: &Term<String>, other: &Term<String>) -> Term<String> {
        let (name, operands) = match (one.subtracted, other.subtracted) {
            (true, false) => ("arith.subf", [other, one]),
            (false, true) => ("arith.subf", [one, other]),
            _ => ("arith.addf", [one, other]),
        };
        let value = self.operation(name, &operands[0].value, &operands[1].value);
        Term { subtracted: one.subtracted && other.subtracted, value }
    }

    fn operation(&mut self, name: &str, one: &str, other: &str) -> String {
        let result = format!("%new{}", self.names);
        self.names += 1;
        writeln!(self.text, "    {result} = {name} {one}, {other} {FLAGS}").unwrap();
        result
    }

    /// Writes what computes a value, and gives its new name.
    fn value(&mut self, value: &'t str) -> String {
        if let Some(known) = self.known.get(value) {
            return known.clone();
        }
        let new = self.made(value);
        self.known.insert(value, new.clone());
        new
    }

    fn made(&mut self, value: &'t str) -> String {
        let terms = self.written.terms(value);
        if terms.len() > 1 {
            return self.whole_sum(terms);
        }
        if let Some(mut factors) = self.written.operands(value, "arith.mulf ") {
            self.reorder(&mut factors);
            let [one, other] = factors.map(|factor| self.value(factor));
            return self.operation("arith.mulf", &one, &other);
        }
        let mut definition = self.written.definitions[value].to_owned();
        let operands = operands(self.written.definitions[value]).collect::<Vec<_>>();
        for operand in operands.into_iter().filter(|operand| *operand != ARGUMENT) {
            definition = definition.replacen(operand, &self.value(operand), 1);
        }
        writeln!(self.text, "    {value} = {definition}").unwrap();
        value.to_owned()
    }

    fn whole_sum(&mut self, mut terms: Vec<Term<&'t str>>) -> String {
        self.reorder(&mut terms);
        let terms = terms.into_iter();
        let mut sums = terms
            .map(|Term { subtracted, value }| Term { subtracted, value: self.value(value) })
            .collect::<Vec<_>>();
        while sums.len() > 1 {
            let at = match self.order {
                Order::Reversed => 0,
                Order::Shuffled(_) => self.random(sums.len() - 1),
            };
            let other = sums.remove(at + 1);
            sums[at] = self.sum(&sums[at], &other);
        }
        let whole = sums.remove(0);
        assert!(!whole.subtracted, "no sum subtracts all of its terms");
        whole.value
    }
}

/// The program with its sums in another order; cells and numbers are where they are first used.
fn rewritten(program: &str, order: Order) -> String {
    let (head, rest) = program.split_once("(%t = %values : !temp) -> (!temp) {\n").unwrap();
    let (body, tail) = rest.split_once("    stencil.return ").unwrap();
    let (result, _) = tail.split_once(" :").unwrap();
    let written = Written::of(body);
    let state = match order {
        Order::Reversed => 0,
        Order::Shuffled(seed) => seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
    };
    let (known, text) = (HashMap::new(), String::new());
    let mut rewriter = Rewriter { written, order, state, known, names: 0, text };
    let new = rewriter.value(result);
    let tail = tail.replacen(result, &new, 1);
    let start = "(%t = %values : !temp) -> (!temp) {\n";
    format!("{head}{start}{}    stencil.return {tail}", rewriter.text)
}

/// What `look` sees of a program whose arithmetic is frozen.
fn frozen<R>(
    program: &str,
    (sums, plan): (Sums, &str),
    look: impl for<'c> FnOnce(&Session<'c>, &Module<'c>) -> R,
) -> R {
    let context = session::new_context();
    let input = Input { name: "program.mlir".to_owned(), text: program.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let session = session.with_plan(plan.parse().unwrap()).with_sums(sums);
    let frozen = session.freeze(&session.read(&Reading::default()).unwrap()).unwrap();
    look(&session, &frozen)
}

/// PTX with a plan; none is the compiler's own.
fn ptx(program: &str, sums: Sums, plan: &str) -> String {
    frozen(program, (sums, plan), |session, frozen| {
        let mapped = session.map(frozen, Kernels::Planned).unwrap();
        session.emit(&session.to_nvvm(&mapped).unwrap()).unwrap().ptx
    })
}

const ORDERS: [Order; 4] =
    [Order::Reversed, Order::Shuffled(1), Order::Shuffled(2), Order::Shuffled(3)];

fn assert_same(expected: &str, found: &str, what: &str) {
    let differs = expected.lines().zip(found.lines()).find(|(one, two)| one != two);
    assert_eq!(differs, None, "{what}");
    assert_eq!(expected.len(), found.len(), "{what}");
}

fn same(sums: Sums, plan: &str) {
    for program in BOXES {
        let expected = ptx(program, sums, plan);
        for order in ORDERS {
            let other = rewritten(program, order);
            assert_ne!(program, other, "{order:?}");
            let found = ptx(&other, sums, plan);
            assert_same(&expected, &found, &format!("{order:?} with {sums:?} and '{plan}'"));
        }
    }
}

#[test]
fn the_default_kernel_is_the_same() {
    same(Sums::Shared, "");
}

/// Four outputs of a thread, as registers and spills are counted.
#[test]
fn unrolled_kernels_are_the_same() {
    for schedule in ["source", "trees", "both"] {
        same(Sums::Shared, &format!("mapping=thread,points=4,schedule={schedule}"));
    }
}

#[test]
fn reordered_accumulations_are_the_same() {
    for schedule in ["source", "reorder", "reorder-interleave"] {
        same(Sums::Accumulations, &format!("mapping=thread,points=4,schedule={schedule}"));
    }
}

/// What all kernels are made of.
#[test]
fn frozen_arithmetic_is_the_same() {
    let text = |program: &str, sums| {
        frozen(program, (sums, ""), |_, frozen| frozen.as_operation().to_string())
    };
    for program in OTHERS {
        for sums in [Sums::Shared, Sums::Accumulations] {
            let expected = text(program, sums);
            for order in ORDERS {
                let found = text(&rewritten(program, order), sums);
                assert_same(&expected, &found, &format!("{order:?} with {sums:?}: {program}"));
            }
        }
    }
}

/// Who adds what, with signs at what is added: operands of a sum or product in one order, whichever
/// is on the left.
fn nesting(written: &Written, value: &str, subtracted: bool) -> String {
    let sum = |mut terms: [String; 2]| {
        terms.sort_unstable();
        format!("({} {})", terms[0], terms[1])
    };
    let sign = if subtracted { "-" } else { "+" };
    let definition = written.definitions[value];
    let operands = operands(definition).collect::<Vec<_>>();
    match (definition.split(' ').next().unwrap(), operands.as_slice()) {
        ("arith.addf" | "arith.subf", [one, other]) => {
            let turned = definition.starts_with("arith.subf");
            let other = nesting(written, other, subtracted != turned);
            sum([nesting(written, one, subtracted), other])
        }
        ("math.fma", [one, two, other]) => {
            let other = nesting(written, other, subtracted);
            sum([product(written, [one, two], subtracted), other])
        }
        ("arith.mulf", [one, two]) => product(written, [one, two], subtracted),
        ("arith.negf", [one]) => nesting(written, one, !subtracted),
        ("stencil.access", _) => {
            let [from, to] = ['[', ']'].map(|end| definition.find(end).unwrap());
            format!("{sign}{}", &definition[from..=to])
        }
        ("arith.constant", _) => {
            let number = definition.split(' ').nth(1).unwrap().parse::<f64>().unwrap();
            format!("{:+}", if subtracted { -number } else { number })
        }
        _ => panic!("{value} = {definition}"),
    }
}

/// A product, with its sign in front of it.
fn product(written: &Written, factors: [&str; 2], subtracted: bool) -> String {
    let negations = factors.map(|factor| written.operand(factor, "arith.negf "));
    let signs = negations.iter().filter(|factor| factor.is_some()).count();
    let bare = [0, 1].map(|at| negations[at].unwrap_or(factors[at]));
    let mut bare = bare.map(|factor| nesting(written, factor, false));
    bare.sort_unstable();
    let sign = if subtracted == (signs == 1) { "+" } else { "-" };
    format!("{sign}{} * {}", bare[0], bare[1])
}

/// The body of the only apply, and the name of what it returns.
fn body(program: &str) -> (&str, &str) {
    let (_, rest) = program.split_once("stencil.apply").unwrap();
    let (body, tail) = rest.split_once("stencil.return ").unwrap();
    (body, tail.split(' ').next().unwrap())
}

#[test]
fn sums_as_written_add_in_the_order_of_the_text() {
    let of = |program: &str| {
        let (body, result) = body(program);
        nesting(&Written::of(body), result, false)
    };
    let text = |program: &str, sums| {
        frozen(program, (sums, ""), |_, frozen| frozen.as_operation().to_string())
    };
    for program in BOXES {
        let mut seen = vec![of(program)];
        assert_eq!(of(&text(program, Sums::Written)), seen[0]);
        for order in ORDERS {
            let other = rewritten(program, order);
            let expected = of(&other);
            assert_eq!(of(&text(&other, Sums::Written)), expected, "{order:?}");
            assert!(!seen.contains(&expected), "{order:?}");
            seen.push(expected);
        }
    }
}

/// Every cell and every weight is still there, and none is where it was.
#[test]
fn what_is_compared_differs_in_its_order_alone() {
    for program in BOXES {
        for order in ORDERS {
            let other = rewritten(program, order);
            let lines = |text: &str, name: &str| {
                let lines = text.lines().filter(|line| line.contains(name));
                lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
            };
            for name in ["stencil.access", "arith.constant"] {
                let [mut one, mut two] = [program, &other].map(|text| lines(text, name));
                assert_ne!(one, two, "{order:?}");
                one.sort_unstable();
                two.sort_unstable();
                assert_eq!(one, two, "{order:?}");
            }
            let count = |text: &str, names: &[&str]| {
                names.iter().map(|name| lines(text, name).len()).sum::<usize>()
            };
            for names in [&["arith.addf", "arith.subf"][..], &["arith.mulf"]] {
                assert_eq!(count(program, names), count(&other, names), "{order:?}");
            }
        }
    }
}
