//! Generates programs from seeds.
//!
//! A program is drawn without backtracking, normalised, limited in work, and checked. If a draw
//! fails the check, the next stream of the same seed is tried, so that the rules are in `check`
//! only.

mod function;
mod grid;
mod integer;
mod loops;
mod point;
pub(crate) mod random;
mod region;
mod scope;
mod stage;
mod unroll;

use std::collections::BTreeSet;

use crate::bounds::Bounds;
use crate::check::check;
use crate::layout::Layout;
use crate::normalize::normalize;
use crate::options::{Construct, Options};
use crate::point::Literal;
use crate::program::{Body, Function, Module, Program, Statement, Style, Value};
use crate::types::{Scalar, Type};
use random::Random;
use scope::{Field, Scope};

/// Makes the program of a seed.
pub fn generate(seed: u64, options: &Options) -> Program {
    let finished = (0..).find_map(|attempt| {
        let mut generator = Generator::new(seed, attempt, options);
        generator.draw();
        generator.finish()
    });
    finished.expect("one of endless attempts is valid")
}

/// A program under construction.
struct Generator<'a> {
    options: &'a Options,
    random: Random,
    program: Program,
    /// The box that most stores write; its rank is that of the program.
    domain: Bounds,
    /// The element types in use, the main one first.
    palette: Vec<Scalar>,
    /// Largest distance of an access on a side.
    max_radius: i64,
    /// Percentage of operations with flags.
    flag_chance: usize,
    scope: Scope,
    /// Loops around the current statement.
    loop_depth: usize,
    next_group: usize,
    /// Numbers of the scalar functions.
    scalar_functions: Vec<usize>,
    /// Numbers of the stencil functions.
    stencil_functions: Vec<usize>,
}

impl<'a> Generator<'a> {
    fn new(seed: u64, attempt: u64, options: &'a Options) -> Self {
        let mut random = Random::new(seed, attempt);
        let large = random.chance(5);
        let domain = draw_domain(&mut random, options.max_cells, large);
        let palette = draw_palette(&mut random, options);
        let flags = options.allows(Construct::FastMath) && random.chance(35);
        let style = draw_style(&mut random, options);
        let program = Program::new(seed, style);
        Generator {
            options,
            program,
            domain,
            palette,
            max_radius: if large { 7 } else { 4 },
            flag_chance: if flags { 30 } else { 0 },
            scope: Scope::default(),
            loop_depth: 0,
            next_group: 0,
            scalar_functions: vec![],
            stencil_functions: vec![],
            random,
        }
    }

    fn allows(&self, construct: Construct) -> bool {
        self.options.allows(construct)
    }

    /// Whether the construct occurs here, with this probability in percent.
    fn wants(&mut self, construct: Construct, percent: usize) -> bool {
        // Drawn first, so that a toggle changes a program as little as possible.
        let drawn = self.random.chance(percent);
        drawn && self.allows(construct)
    }

    /// All dimensions of the domain.
    fn all_dims(&self) -> Vec<usize> {
        (0..self.domain.rank()).collect()
    }

    fn push(&mut self, statement: Statement) {
        self.scope.statements.push(statement);
    }

    /// Draws the functions, the main one last, since it calls the others.
    fn draw(&mut self) {
        if self.wants(Construct::ScalarCalls, 25) {
            self.draw_scalar_function();
        }
        if self.wants(Construct::StencilCalls, 15) {
            self.draw_stencil_function();
        }
        let parameters = self.draw_main_parameters();
        let stages = self.random.weighted(&[(45, 1), (37, 2), (18, 3)]);
        for _ in 0..stages {
            self.stage();
        }
        let body = Body::Stencil(std::mem::take(&mut self.scope.statements));
        self.program.functions.insert(0, Function { name: "main".into(), parameters, body });
    }

    fn draw_main_parameters(&mut self) -> Vec<Value> {
        let mut parameters = vec![];
        // Fields of one type come in twos and threes, so that there is something to rotate.
        let twins = self.random.weighted(&[(15, 1), (35, 2), (40, 3), (10, 4)]);
        for _ in 0..twins {
            parameters.push(self.new_parameter_field(self.palette[0], self.all_dims()));
        }
        for _ in 0..self.random.weighted(&[(40, 0), (40, 1), (20, 2)]) {
            let element = self.random.pick(&self.palette.clone());
            let low = self.domain.rank() > 1 && self.wants(Construct::LowRank, 50);
            let dims = if low { self.some_dims() } else { self.all_dims() };
            parameters.push(self.new_parameter_field(element, dims));
        }
        for _ in 0..self.random.weighted(&[(45, 0), (30, 1), (20, 2), (5, 3)]) {
            let of = self.random.weighted(&[
                (35, Scalar::F64),
                (30, Scalar::F32),
                (15, Scalar::I32),
                (20, Scalar::Index),
            ]);
            let value = self.program.new_value(Type::Scalar(of));
            let literal = match of {
                Scalar::F64 | Scalar::F32 => {
                    Literal::Float(self.random.between(2, 24) as f64 / 16.0)
                }
                _ => Literal::Integer(self.random.between(0, 5)),
            };
            self.program.arguments.insert(value, literal);
            self.scope.scalars.push(value);
            parameters.push(value);
        }
        if self.random.chance(40) {
            self.random.shuffle(&mut parameters);
        }
        parameters
    }

    /// Some dimensions, not all.
    fn some_dims(&mut self) -> Vec<usize> {
        let mut dims = self.all_dims();
        for _ in 0..self.random.between(1, dims.len() as i64 - 1) {
            dims.remove(self.random.below(dims.len()));
        }
        dims
    }

    /// A field argument; half of them have cells that nothing needs.
    fn new_parameter_field(&mut self, element: Scalar, dims: Vec<usize>) -> Value {
        let value = self.program.new_value(Type::Field(element, dims.len()));
        if self.random.chance(50) {
            let side = |random: &mut Random| random.weighted(&[(50, 0), (25, 1), (15, 2), (10, 5)]);
            let slack = dims.iter().map(|_| (side(&mut self.random), side(&mut self.random)));
            let slack = slack.collect();
            self.program.slack.insert(value, slack);
        }
        let group = self.new_group();
        self.scope.fields.push(Field { value, dims, group, moment: 0, rotates: true });
        value
    }

    /// A new number for a group or a moment.
    fn new_group(&mut self) -> usize {
        self.next_group += 1;
        self.next_group
    }

    /// Adds an unused load of a field after a store to it, as front ends do.
    fn add_idle_load(&mut self) {
        let mut stored = vec![];
        self.program.walk(&mut |statement| {
            if let Statement::Store { temp, field, .. } = statement {
                stored.push((*temp, *field));
            }
        });
        if stored.is_empty() {
            return;
        }
        let (temp, field) = self.random.pick(&stored);
        let result = self.program.new_value(self.program.type_of(temp));
        for function in self.program.functions.values_mut() {
            if let Body::Stencil(statements) = &mut function.body
                && add_after_store(statements, field, result)
            {
                return;
            }
        }
    }

    /// The finished program, if it is valid and small enough.
    fn finish(mut self) -> Option<Program> {
        normalize(&mut self.program, &BTreeSet::new());
        if self.wants(Construct::IdleLoads, 6) {
            self.add_idle_load();
        }
        if self.allows(Construct::Unroll) && self.random.chance(12) {
            self.unroll();
        }
        for _ in 0..8 {
            check(&self.program).ok()?;
            let layout = Layout::infer(&self.program)?;
            if self.program.work(&layout) <= self.options.max_work {
                let stores = self.program.stores() > 0;
                return stores.then_some(self.program);
            }
            self.program = crate::shrink::halve_longest(&self.program)?;
        }
        None
    }
}

/// Inserts a load at the end of the first list that stores to a field; returns whether it did.
fn add_after_store(statements: &mut Vec<Statement>, field: Value, result: Value) -> bool {
    let stores = |s: &Statement| matches!(s, Statement::Store { field: f, .. } if *f == field);
    if statements.iter().any(stores) {
        statements.push(Statement::Load { field, result });
        return true;
    }
    statements.iter_mut().any(|statement| match statement {
        Statement::Loop(l) => add_after_store(&mut l.body, field, result),
        _ => false,
    })
}

/// A box: few cells, all kinds of extents, origins of either sign.
fn draw_domain(random: &mut Random, max_cells: u64, large: bool) -> Bounds {
    let rank = random.weighted(&[(26, 1), (39, 2), (35, 3)]);
    let limit = if large { 4 * max_cells } else { max_cells };
    let mut extents = vec![];
    for _ in 0..rank {
        extents.push(match random.below(10) {
            0 => 1,
            1 | 2 => random.between(2, 4),
            3..7 => random.between(3, 9),
            7 | 8 => random.between(8, 20),
            _ if rank == 1 || large => random.between(17, 150),
            _ => random.between(9, 33),
        });
    }
    // Halving keeps odd extents odd in half of the cases.
    while extents.iter().product::<i64>().unsigned_abs() > limit {
        let longest = extents.iter_mut().max().expect("the rank is positive");
        *longest = (*longest / 2).max(1);
    }
    let origin = |random: &mut Random| if random.chance(50) { 0 } else { random.between(-9, 9) };
    let lower: Vec<i64> = extents.iter().map(|_| origin(random)).collect();
    let upper = lower.iter().zip(&extents).map(|(l, e)| l + e).collect();
    Bounds::new(lower, upper)
}

/// The element types of a program: one, or up to three.
fn draw_palette(random: &mut Random, options: &Options) -> Vec<Scalar> {
    let draw = |random: &mut Random| {
        random.weighted(&[
            (36, Scalar::F64),
            (28, Scalar::F32),
            (13, Scalar::F16),
            (13, Scalar::Bf16),
            (6, Scalar::I32),
            (4, Scalar::I64),
        ])
    };
    let count = if random.chance(45) { random.between(2, 3) } else { 1 };
    let mut palette: Vec<Scalar> = (0..count).map(|_| draw(random)).collect();
    palette.retain(|of| match of {
        Scalar::F16 | Scalar::Bf16 => options.allows(Construct::NarrowFloats),
        Scalar::I32 | Scalar::I64 => options.allows(Construct::IntegerFields),
        _ => true,
    });
    if palette.is_empty() {
        palette.push(Scalar::F64);
    }
    if !options.allows(Construct::MixedTypes) {
        palette.truncate(1);
    }
    palette
}

fn draw_style(random: &mut Random, options: &Options) -> Style {
    Style {
        unknown_bounds: random.chance(35) && options.allows(Construct::UnknownBounds),
        numbers: random.chance(30),
        module: random.weighted(&[(30, Module::None), (30, Module::Plain), (40, Module::Builtin)]),
        attributes: random.chance(25),
        grouped_results: random.chance(40),
        main_first: random.chance(50),
    }
}
