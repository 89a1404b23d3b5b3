//! Programs of the language as data: made at random, written as text, executed on plain arrays.

use std::{collections::BTreeMap, fmt::Write};

/// The cells of an array, row after row.
pub type Cells = Vec<f64>;

/// Names of all arrays: the first ones are copied in and out, then out only, then neither.
const ARRAYS: [&str; 9] = ["u", "v", "w", "s", "t", "t1", "t2", "t3", "t4"];
const COPIED_IN: usize = 2;
const COPIED_OUT: usize = 3;
/// Largest distance of a read.
const REACH: i64 = 2;

pub struct Program {
    extents: [i64; 2],
    stencils: Vec<Stencil>,
    steps: Vec<Step>,
}

/// A stencil that writes its first formal arguments and reads all of them.
struct Stencil {
    formals: usize,
    statements: Vec<Statement>,
}

struct Statement {
    region: Option<Region>,
    /// A formal argument, or a local scalar.
    target: Result<usize, usize>,
    accumulates: bool,
    value: Expression,
}

/// First and last point of each dimension.
type Region = [(i64, i64); 2];

enum Expression {
    Constant(f64),
    Local(usize),
    Read { formal: usize, offset: [i64; 2] },
    Binary(char, Box<Expression>, Box<Expression>),
}

enum Step {
    Call(Call),
    Swap(usize, usize),
    Loop(u32, Vec<Step>),
}

#[derive(Clone)]
struct Call {
    stencil: usize,
    region: Option<Region>,
    arguments: Vec<usize>,
}

/// A small generator of numbers, so that a seed means the same program everywhere.
pub struct Random(u64);

impl Random {
    /// Numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit` [Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators,
    /// OOPSLA 2014].
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// Whether one of so many chances came true.
    pub fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

impl Program {
    pub fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let extents = [0, 1].map(|_| 6 + random.below(9) as i64);
        let stencils = (0..1 + random.below(3)).map(|_| stencil(&mut random, extents)).collect();
        let mut program = Self { extents, stencils, steps: Vec::new() };
        for _ in 0..1 + random.below(4) {
            match random.one_in(3) {
                true => program.steps.extend(program.unrolled(&mut random)),
                false => program.steps.push(program.step(&mut random, true)),
            }
        }
        program
    }

    fn step(&self, random: &mut Random, may_loop: bool) -> Step {
        if may_loop && random.one_in(2) {
            if random.one_in(2) {
                return self.rotation(random);
            }
            let times = random.below(5) as u32;
            let mut body = vec![self.step(random, false)];
            for _ in 0..random.below(3) {
                body.push(self.step(random, false));
            }
            return Step::Loop(times, body);
        }
        if random.one_in(4) {
            return Step::Swap(random.below(ARRAYS.len()), random.below(ARRAYS.len()));
        }
        Step::Call(self.call(random))
    }

    /// Calls that are one call with two arrays exchanged each time.
    fn rotation(&self, random: &mut Random) -> Step {
        let first = self.call(random);
        let mut second = first.clone();
        if let [one, two, ..] = second.arguments.as_mut_slice() {
            std::mem::swap(one, two);
        }
        Step::Loop(1 + random.below(3) as u32, vec![Step::Call(first), Step::Call(second)])
    }

    /// Calls of one stencil, one after the other: each with the arguments of the one before moved
    /// on, and in front the last of them, or an array that comes next.
    fn unrolled(&self, random: &mut Random) -> Vec<Step> {
        let mut call = self.call(random);
        let is_chain = random.one_in(2);
        // Mostly arrays whose content nobody gave.
        let first = if random.one_in(4) { 0 } else { COPIED_IN } + random.below(4);
        let mut calls = Vec::new();
        for position in 0..2 + random.below(5) {
            calls.push(Step::Call(call.clone()));
            call.arguments.rotate_right(1);
            if is_chain {
                call.arguments[0] = (first + position) % ARRAYS.len();
            }
        }
        calls
    }

    fn call(&self, random: &mut Random) -> Call {
        let stencil = random.below(self.stencils.len());
        // A statement with a region of its own has one that suits its reads.
        let has_own = self.stencils[stencil].statements.iter().any(|one| one.region.is_some());
        let region = (!has_own && random.one_in(3)).then(|| region(random, self.extents));
        let mut arguments = Vec::new();
        while arguments.len() < self.stencils[stencil].formals {
            let array = random.below(ARRAYS.len());
            // One array under two names is one array; mostly they are different ones.
            if !arguments.contains(&array) || random.one_in(8) {
                arguments.push(array);
            }
        }
        Call { stencil, region, arguments }
    }
}

fn region(random: &mut Random, extents: [i64; 2]) -> Region {
    extents.map(|extent| {
        let first = REACH + random.below((extent - 2 * REACH) as usize) as i64;
        let last = first + random.below((extent - REACH - first) as usize) as i64;
        (first, last)
    })
}

fn stencil(random: &mut Random, extents: [i64; 2]) -> Stencil {
    let formals = 2 + random.below(2);
    // A step of time: it writes its first argument, and reads the others.
    let is_step = random.one_in(2);
    // Statements without a region share their points, which the text does not show: then there is
    // one statement to an array, so that it is seen what the points are.
    let is_free = random.one_in(3);
    let shared = region(random, extents);
    let count = if is_free { 1 } else { 1 + random.below(4) };
    let mut statements = Vec::new();
    let mut locals = 0;
    for _ in 0..count {
        if random.one_in(3) {
            let value = expression(random, formals, locals, 2);
            let old = random.below(locals + 1);
            let accumulates = old < locals;
            statements.push(Statement { region: None, target: Err(old), accumulates, value });
            locals = locals.max(old + 1);
        }
        let own = if random.one_in(3) { region(random, extents) } else { shared };
        let mut value = expression(random, formals, locals, 3);
        if is_step && !random.one_in(8) {
            value.read_others(random, formals);
        }
        statements.push(Statement {
            region: (!is_free).then_some(own),
            target: Ok(if is_step { 0 } else { random.below(formals) }),
            accumulates: !is_step && random.one_in(3),
            value,
        });
    }
    Stencil { formals, statements }
}

fn expression(random: &mut Random, formals: usize, locals: usize, depth: usize) -> Expression {
    if depth > 0 && !random.one_in(3) {
        let operator = ['+', '-', '*'][random.below(3)];
        let one = expression(random, formals, locals, depth - 1);
        let two = expression(random, formals, locals, depth - 1);
        return Expression::Binary(operator, Box::new(one), Box::new(two));
    }
    match random.below(5) {
        0 => Expression::Constant(random.below(64) as f64 / 16.0),
        1 if locals > 0 => Expression::Local(random.below(locals)),
        _ => {
            let span = (2 * REACH + 1) as usize;
            let mut offset =
                || if random.one_in(2) { 0 } else { random.below(span) as i64 - REACH };
            let offset = [offset(), offset()];
            Expression::Read { formal: random.below(formals), offset }
        }
    }
}

impl Expression {
    /// Reads of the first formal argument become reads of others.
    fn read_others(&mut self, random: &mut Random, formals: usize) {
        match self {
            Expression::Read { formal, .. } if *formal == 0 => {
                *formal = 1 + random.below(formals - 1)
            }
            Expression::Binary(_, one, two) => {
                one.read_others(random, formals);
                two.read_others(random, formals);
            }
            _ => {}
        }
    }
}

// The text.

impl Program {
    pub fn text(&self) -> String {
        let [rows, columns] = self.extents;
        let mut text = format!("parameter M = {rows}, N = {columns};\niterator j, i;\n");
        for array in ARRAYS {
            writeln!(text, "double {array}[M,N];").unwrap();
        }
        writeln!(text, "copyin {};", ARRAYS[..COPIED_IN].join(", ")).unwrap();
        for (position, stencil) in self.stencils.iter().enumerate() {
            write_stencil(&mut text, position, stencil);
        }
        write_steps(&mut text, &self.steps, "");
        writeln!(text, "copyout {};", ARRAYS[..COPIED_OUT].join(", ")).unwrap();
        text
    }
}

fn write_region(text: &mut String, region: &Option<Region>) {
    if let Some([(top, bottom), (left, right)]) = region {
        write!(text, "[{top}:{bottom}, {left}:{right}] : ").unwrap();
    }
}

fn write_stencil(text: &mut String, position: usize, stencil: &Stencil) {
    // Marked: a statement that looks like a scan reads what was there before all the same.
    let formals =
        (0..stencil.formals).map(|formal| format!("inout : f{formal}")).collect::<Vec<_>>();
    writeln!(text, "stencil s{position} ({}) {{", formals.join(", ")).unwrap();
    let locals = stencil.statements.iter().filter_map(|one| one.target.err()).max();
    for local in 0..locals.map_or(0, |last| last + 1) {
        writeln!(text, "  double x{local};").unwrap();
    }
    for Statement { region, target, accumulates, value } in &stencil.statements {
        text.push_str("  ");
        write_region(text, region);
        let target = match target {
            Ok(formal) => format!("f{formal}[j][i]"),
            Err(local) => format!("x{local}"),
        };
        let operator = if *accumulates { "+=" } else { "=" };
        writeln!(text, "{target} {operator} {};", value_text(value)).unwrap();
    }
    text.push_str("}\n");
}

fn value_text(value: &Expression) -> String {
    let index = |name: &str, offset: i64| match offset {
        0 => name.to_owned(),
        _ => format!("{name}{offset:+}"),
    };
    match value {
        Expression::Constant(constant) => format!("{constant:?}"),
        Expression::Local(local) => format!("x{local}"),
        Expression::Read { formal, offset: [row, column] } => {
            format!("f{formal}[{}][{}]", index("j", *row), index("i", *column))
        }
        Expression::Binary(operator, one, two) => {
            format!("({} {operator} {})", value_text(one), value_text(two))
        }
    }
}

fn write_steps(text: &mut String, steps: &[Step], indent: &str) {
    for step in steps {
        text.push_str(indent);
        match step {
            Step::Swap(one, two) => writeln!(text, "swap ({}, {});", ARRAYS[*one], ARRAYS[*two]),
            Step::Call(Call { stencil, region, arguments }) => {
                write_region(text, region);
                let names = arguments.iter().map(|array| ARRAYS[*array]).collect::<Vec<_>>();
                writeln!(text, "s{stencil} ({});", names.join(", "))
            }
            Step::Loop(times, body) => {
                writeln!(text, "iterate {times} {{").unwrap();
                write_steps(text, body, &format!("{indent}  "));
                writeln!(text, "{indent}}}")
            }
        }
        .unwrap();
    }
}

// The meaning.

impl Program {
    /// Executes the program; `arguments` are the arrays that the caller has, by name.
    pub fn run(&self, arguments: &mut [(String, Cells)]) {
        let count = self.extents.iter().product::<i64>() as usize;
        let mut arrays = vec![vec![0.0; count]; ARRAYS.len()];
        for (name, cells) in arguments.iter() {
            let position = ARRAYS.iter().position(|array| array == name).unwrap();
            if position < COPIED_IN {
                arrays[position].clone_from(cells);
            }
        }
        self.execute(&self.steps, &mut arrays);
        for (name, cells) in arguments {
            let position = ARRAYS.iter().position(|array| array == name).unwrap();
            cells.clone_from(&arrays[position]);
        }
    }

    fn execute(&self, steps: &[Step], arrays: &mut [Cells]) {
        for step in steps {
            match step {
                Step::Call(call) => self.open(call, arrays),
                Step::Swap(one, two) => arrays.swap(*one, *two),
                Step::Loop(times, body) => (0..*times).for_each(|_| self.execute(body, arrays)),
            }
        }
    }

    fn open(&self, call: &Call, arrays: &mut [Cells]) {
        // A scalar has a value at each point where its reads are inside; others are never used.
        let mut locals = BTreeMap::<usize, Cells>::new();
        for statement in &self.stencils[call.stencil].statements {
            let before = arrays.to_vec();
            let all = self.extents.map(|extent| (0, extent - 1));
            let region = match (&statement.region, &call.region, statement.target) {
                (_, _, Err(_)) => all,
                (Some(own), _, _) => *own,
                (None, Some(stated), _) => self.inside(*stated, &statement.value, call),
                (None, None, _) => self.inside(all, &statement.value, call),
            };
            let mut values = vec![f64::NAN; before[0].len()];
            for row in region[0].0..=region[0].1 {
                for column in region[1].0..=region[1].1 {
                    let at = (row * self.extents[1] + column) as usize;
                    let point = [row, column];
                    let value = self.value(&statement.value, call, point, &before, &locals);
                    let old = match statement.target {
                        Ok(formal) => before[call.arguments[formal]][at],
                        Err(local) => locals.get(&local).map_or(f64::NAN, |cells| cells[at]),
                    };
                    values[at] = if statement.accumulates { old + value } else { value };
                    if let Ok(formal) = statement.target {
                        arrays[call.arguments[formal]][at] = values[at];
                    }
                }
            }
            if let Err(local) = statement.target {
                locals.insert(local, values);
            }
        }
    }

    /// The points of a box from which an expression's reads stay inside.
    fn inside(&self, mut region: Region, value: &Expression, call: &Call) -> Region {
        match value {
            Expression::Read { offset, .. } => {
                for (dim, (first, last)) in region.iter_mut().enumerate() {
                    *first = (*first).max(-offset[dim]);
                    *last = (*last).min(self.extents[dim] - 1 - offset[dim]);
                }
                region
            }
            Expression::Binary(_, one, two) => {
                let region = self.inside(region, one, call);
                self.inside(region, two, call)
            }
            // A scalar's reads count where it is used. A body with statements that state no region
            // has one scalar at most, which is made of no other.
            Expression::Local(local) => {
                let statements = &self.stencils[call.stencil].statements;
                let givers = statements.iter().filter(|one| one.target == Err(*local));
                givers.fold(region, |region, giver| self.inside(region, &giver.value, call))
            }
            Expression::Constant(_) => region,
        }
    }

    fn value(
        &self,
        value: &Expression,
        call: &Call,
        point: [i64; 2],
        arrays: &[Cells],
        locals: &BTreeMap<usize, Cells>,
    ) -> f64 {
        let [rows, columns] = self.extents;
        match value {
            Expression::Constant(constant) => *constant,
            Expression::Local(local) => locals[local][(point[0] * columns + point[1]) as usize],
            Expression::Read { formal, offset } => {
                let (row, column) = (point[0] + offset[0], point[1] + offset[1]);
                if !(0..rows).contains(&row) || !(0..columns).contains(&column) {
                    return f64::NAN;
                }
                arrays[call.arguments[*formal]][(row * columns + column) as usize]
            }
            Expression::Binary(operator, one, two) => {
                let one = self.value(one, call, point, arrays, locals);
                let two = self.value(two, call, point, arrays, locals);
                match operator {
                    '+' => one + two,
                    '-' => one - two,
                    _ => one * two,
                }
            }
        }
    }
}
