//! Random pragma regions in C and CUDA: what the importer makes of them computes what the loops
//! around them would.
//!
//! The loops are executed here, point by point, on plain arrays; the module runs on the interpreter
//! and the emulator. Bounds, guards and indices are spelled in the ways that C has for them.
//! `STENCIL_RANDOM_PROGRAMS` says how many programs.

use crate::random_imports::{Cells, Random, check, count};
use std::fmt::Write;
use stencil_driver::input::Input;

/// The arrays: the first ones are written.
const ARRAYS: [&str; 4] = ["u", "v", "w", "s"];
const WRITTEN: usize = 2;
/// Largest distance of a read.
const REACH: i64 = 2;

#[test]
fn regions_compute_what_their_loops_say() {
    for seed in 0..count() {
        let region = Region::random(seed);
        for is_cuda in [false, true] {
            let name = if is_cuda { "random.cu" } else { "random.c" };
            let input = Input { name: name.to_owned(), text: region.text(is_cuda, seed) };
            let run = |arguments: &mut [(String, Cells)]| region.run(arguments);
            if let Err(why) = check(&input, "random", seed, run) {
                panic!("seed {seed}: {why}\n{}", input.text);
            }
        }
    }
}

struct Region {
    extents: [i64; 2],
    /// First and last value of each iterator.
    points: [(i64, i64); 2],
    statements: Vec<Statement>,
    constant: f64,
}

struct Statement {
    /// An array, or a temporary.
    target: Result<usize, usize>,
    operator: char,
    value: Value,
}

enum Value {
    Number(f64),
    Constant,
    Temporary(usize),
    Read(usize, [i64; 2]),
    Binary(char, Box<Value>, Box<Value>),
}

impl Region {
    fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let extents = [0, 1].map(|_| 2 * REACH + 1 + random.below(9) as i64);
        let points = extents.map(|extent| {
            let first = REACH + random.below((extent - 2 * REACH) as usize) as i64;
            (first, first + random.below((extent - REACH - first) as usize) as i64)
        });
        let mut statements = Vec::new();
        let mut temporaries = 0;
        for _ in 0..1 + random.below(5) {
            let value = value(&mut random, temporaries, 3);
            let target = match random.one_in(3) {
                true => Err(random.below(temporaries + 1)),
                false => Ok(random.below(WRITTEN)),
            };
            let is_first = target.err() == Some(temporaries);
            temporaries += usize::from(is_first);
            let operator = if is_first { '=' } else { ['=', '=', '+', '-', '*'][random.below(5)] };
            statements.push(Statement { target, operator, value });
        }
        let value = value(&mut random, temporaries, 2);
        statements.push(Statement { target: Ok(0), operator: '=', value });
        Self { extents, points, statements, constant: random.below(64) as f64 / 16.0 }
    }

    fn run(&self, arguments: &mut [(String, Cells)]) {
        for row in self.points[0].0..=self.points[0].1 {
            for column in self.points[1].0..=self.points[1].1 {
                let mut temporaries = vec![f64::NAN; self.statements.len()];
                for Statement { target, operator, value } in &self.statements {
                    let value = self.value(value, [row, column], arguments, &temporaries);
                    let cell = match target {
                        Ok(array) => {
                            let at = (row * self.extents[1] + column) as usize;
                            &mut array_of(arguments, *array).unwrap()[at]
                        }
                        Err(temporary) => &mut temporaries[*temporary],
                    };
                    *cell = match operator {
                        '=' => value,
                        operator => apply(*operator, *cell, value),
                    };
                }
            }
        }
    }

    fn value(
        &self,
        value: &Value,
        point: [i64; 2],
        arguments: &mut [(String, Cells)],
        temporaries: &[f64],
    ) -> f64 {
        match value {
            Value::Number(number) => *number,
            Value::Constant => self.constant,
            Value::Temporary(temporary) => temporaries[*temporary],
            Value::Read(array, offset) => {
                let at = (point[0] + offset[0]) * self.extents[1] + point[1] + offset[1];
                array_of(arguments, *array).unwrap()[at as usize]
            }
            Value::Binary(operator, one, two) => {
                let one = self.value(one, point, arguments, temporaries);
                apply(*operator, one, self.value(two, point, arguments, temporaries))
            }
        }
    }

    fn text(&self, is_cuda: bool, seed: u64) -> String {
        let mut random = Random::new(seed ^ 0xC0FFEE);
        let [rows, columns] = self.extents;
        let mut text =
            format!("#define ROWS {rows}\n#define COLUMNS (ROWS + {})\n", columns - rows);
        for array in ARRAYS {
            writeln!(text, "double {array}[ROWS][COLUMNS];").unwrap();
        }
        let kernel = if is_cuda { "__global__ " } else { "" };
        writeln!(text, "{kernel}void compute(void)\n{{\nconst double c = {:?};", self.constant)
            .unwrap();
        text.push_str(&if is_cuda { self.guard(&mut random) } else { self.loops(&mut random) });
        text.push_str("#pragma begin random\n");
        let mut declared = 0;
        for Statement { target, operator, value } in &self.statements {
            let target = match target {
                Ok(array) => cell(*array, [0, 0], &mut random),
                Err(temporary) if *temporary == declared => {
                    declared += 1;
                    format!("double x{temporary}")
                }
                Err(temporary) => format!("x{temporary}"),
            };
            let operator = operator.to_string().replace('=', "");
            writeln!(text, "{target} {operator}= {};", written(value, &mut random)).unwrap();
        }
        text.push_str("#pragma end random\n}\n}\n");
        text
    }

    fn loops(&self, random: &mut Random) -> String {
        let one =
            |name: &str, (first, last): (i64, i64), size: (&str, i64), random: &mut Random| {
                let after = format!("{}{:+}", size.0, last + 1 - size.1);
                match random.below(4) {
                    0 => format!("for (int {name} = {first}; {name} < {after}; {name}++)"),
                    1 => format!("for (int {name} = {first}; {last} >= {name}; ++{name})"),
                    2 => format!("for (int {name} = {last}; {name} >= {first}; {name}--)"),
                    _ => format!("for (int {name} = {first}; {name} <= {last}; {name} += 1)"),
                }
            };
        let rows = one("j", self.points[0], ("ROWS", self.extents[0]), random);
        let columns = one("i", self.points[1], ("COLUMNS", self.extents[1]), random);
        match random.one_in(2) {
            true => format!("{rows}\n{columns} {{\n"),
            false => format!("{columns}\n{rows} {{\n"),
        }
    }

    fn guard(&self, random: &mut Random) -> String {
        let [(top, bottom), (left, right)] = self.points;
        let mut text = "int j = blockIdx.y*blockDim.y + threadIdx.y;\n\
                        int i = (int)blockIdx.x*(int)blockDim.x + (int)threadIdx.x"
            .to_owned();
        let shift = random.below(3).min(left as usize);
        text.push_str(&if shift > 0 { format!(" + {shift};\n") } else { ";\n".to_owned() });
        match random.one_in(2) {
            true => writeln!(
                text,
                "if (j >= {top} && {left} <= i && j < {} && i <= {right}) {{",
                bottom + 1
            ),
            false => writeln!(
                text,
                "if (j < {top} || j > {bottom} || i < {left}) return;\nif (i < {}) {{",
                right + 1
            ),
        }
        .unwrap();
        text
    }
}

fn apply(operator: char, one: f64, two: f64) -> f64 {
    match operator {
        '+' => one + two,
        '-' => one - two,
        _ => one * two,
    }
}

/// The array of a number, which a region that does not name it does not have.
fn array_of(arguments: &mut [(String, Cells)], array: usize) -> Option<&mut Cells> {
    arguments.iter_mut().find(|(name, _)| name == ARRAYS[array]).map(|(_, cells)| cells)
}

fn value(random: &mut Random, temporaries: usize, depth: usize) -> Value {
    if depth > 0 && !random.one_in(3) {
        let operator = ['+', '-', '*'][random.below(3)];
        let one = value(random, temporaries, depth - 1);
        let two = value(random, temporaries, depth - 1);
        return Value::Binary(operator, Box::new(one), Box::new(two));
    }
    match random.below(6) {
        0 => Value::Number(random.below(64) as f64 / 16.0),
        1 => Value::Constant,
        2 if temporaries > 0 => Value::Temporary(random.below(temporaries)),
        3 => Value::Read(random.below(WRITTEN), [0, 0]),
        _ => {
            let mut offset = || random.below((2 * REACH + 1) as usize) as i64 - REACH;
            let offset = [offset(), offset()];
            Value::Read(WRITTEN + random.below(ARRAYS.len() - WRITTEN), offset)
        }
    }
}

fn cell(array: usize, offset: [i64; 2], random: &mut Random) -> String {
    let mut index = |name: &str, offset: i64| match (offset, random.below(4)) {
        (0, _) => name.to_owned(),
        (_, 0) => format!("{name}{:+}+2", offset - 2),
        (_, 1) => format!("{offset} + {name}"),
        _ => format!("{name} {offset:+}"),
    };
    let (row, column) = (index("j", offset[0]), index("i", offset[1]));
    match random.one_in(4) {
        true => format!("{}[{row},{column}]", ARRAYS[array]),
        false => format!("{}[{row}][{column}]", ARRAYS[array]),
    }
}

fn written(value: &Value, random: &mut Random) -> String {
    match value {
        Value::Number(number) if number.fract() == 0.0 && random.one_in(2) => format!("{number}."),
        Value::Number(number) => format!("{number:e}"),
        Value::Constant => "c".to_owned(),
        Value::Temporary(temporary) => format!("x{temporary}"),
        Value::Read(array, offset) => cell(*array, *offset, random),
        Value::Binary(operator, one, two) => {
            format!("({} {operator} {})", written(one, random), written(two, random))
        }
    }
}
