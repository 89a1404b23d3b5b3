//! An abstract machine where the content of a field is one hash for its domain and one for the
//! cells around it, so that programs run quickly and only the data flow matters.
//!
//! The result of a sweep is a hash of everything it may depend on: for each access of the region,
//! the offset, the field's content on the domain and around it at that level, and the values of the
//! scalars.

use melior::ir::{
    BlockLike, BlockRef, OperationRef, TypeLike, Value, ValueLike, operation::OperationLike,
};
use std::{
    collections::{BTreeMap, HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};
use stencil_dialects::{
    attributes, build,
    ops::AccessOp,
    sweep::{Argument, KernelOp},
    types, walk,
    walk::ValueKey,
};

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// On the domain.
    pub domain: u64,
    /// Around it; never written.
    pub around: u64,
}

#[derive(Clone, Copy, Debug)]
enum Held {
    Field(usize),
    Number(i64),
}

/// A function while it runs.
pub struct Machine<'c, 'a> {
    /// The fields, the function's arguments first.
    pub fields: Vec<Content>,
    /// The number of executed sweeps by their steps.
    pub sweeps: BTreeMap<i64, usize>,
    values: HashMap<ValueKey, Held>,
    _function: OperationRef<'c, 'a>,
}

/// A hash of its inputs.
pub fn mixed(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl<'c: 'a, 'a> Machine<'c, 'a> {
    /// Runs a function on numbers and on fields filled by their position.
    pub fn run(function: OperationRef<'c, 'a>, numbers: &[i64]) -> Self {
        let (fields, sweeps, values) = Default::default();
        let mut machine = Self { fields, sweeps, values, _function: function };
        let entry = build::entry_block(function).unwrap();
        let mut numbers = numbers.iter();
        for position in 0..entry.argument_count() {
            let argument = build::argument(entry, position);
            let held = match types::is_field(argument.r#type()) {
                true => machine.new_field("argument"),
                false => Held::Number(*numbers.next().unwrap()),
            };
            machine.values.insert(ValueKey::of(&argument), held);
        }
        machine.block(entry);
        machine
    }

    fn new_field(&mut self, kind: &str) -> Held {
        let number = self.fields.len();
        let domain = mixed((kind, number, "domain"));
        self.fields.push(Content { domain, around: mixed((kind, number, "around")) });
        Held::Field(number)
    }

    fn field(&self, value: Value<'c, 'a>) -> usize {
        match self.values[&ValueKey::of(&value)] {
            Held::Field(number) => number,
            Held::Number(_) => panic!("{value} is a number"),
        }
    }

    fn number(&self, value: Value<'c, 'a>) -> i64 {
        match self.values[&ValueKey::of(&value)] {
            Held::Number(number) => number,
            Held::Field(_) => panic!("{value} is a field"),
        }
    }

    fn block(&mut self, block: BlockRef<'c, 'a>) {
        for operation in walk::operations(block) {
            match walk::name(&operation) {
                "scf.for" => self.counted_loop(operation),
                "sweep.kernel" => self.sweep(KernelOp::of(operation).unwrap()),
                "stencil.alloc" => {
                    let field = self.new_field("memory");
                    self.values.insert(ValueKey::of(&build::single(operation)), field);
                }
                "scf.yield" | "func.return" => {}
                name => {
                    let number = self.scalar(name, operation);
                    let key = ValueKey::of(&build::single(operation));
                    self.values.insert(key, Held::Number(number));
                }
            }
        }
    }

    fn scalar(&self, name: &str, operation: OperationRef<'c, 'a>) -> i64 {
        let number = |position| self.number(operation.operand(position).unwrap());
        match name {
            "arith.constant" => attributes::integer(operation.attribute("value").unwrap()).unwrap(),
            "arith.index_cast" => number(0),
            "arith.addi" => number(0).wrapping_add(number(1)),
            "arith.subi" => number(0).wrapping_sub(number(1)),
            "arith.muli" => number(0).wrapping_mul(number(1)),
            "arith.divsi" => number(0) / number(1),
            "arith.remsi" => number(0) % number(1),
            "arith.maxsi" => number(0).max(number(1)),
            "arith.minsi" => number(0).min(number(1)),
            _ => panic!("the machine does not know '{name}'"),
        }
    }

    fn counted_loop(&mut self, operation: OperationRef<'c, 'a>) {
        let operands = operation.operands().collect::<Vec<_>>();
        let [lower, upper, step] = [0, 1, 2].map(|position| self.number(operands[position]));
        assert!(step > 0, "a loop counts upwards");
        let body = build::block_of(operation, 0);
        let held = |machine: &Self, value: &Value<'c, 'a>| machine.values[&ValueKey::of(value)];
        let mut carried = operands[3..].iter().map(|value| held(self, value)).collect::<Vec<_>>();
        let mut induction = lower;
        while induction < upper {
            let key = ValueKey::of(&build::argument(body, 0));
            self.values.insert(key, Held::Number(induction));
            for (slot, value) in carried.iter().enumerate() {
                let key = ValueKey::of(&build::argument(body, slot + 1));
                self.values.insert(key, *value);
            }
            self.block(body);
            let end = walk::operations(body).pop().unwrap();
            carried = end.operands().map(|value| held(self, &value)).collect();
            induction += step;
        }
        for (slot, value) in carried.into_iter().enumerate() {
            self.values.insert(ValueKey::of(&build::result(operation, slot)), value);
        }
    }

    fn sweep(&mut self, kernel: KernelOp<'c, 'a>) {
        let steps = kernel.steps();
        *self.sweeps.entry(steps).or_default() += 1;
        let fields = |values: Vec<Value<'c, 'a>>| {
            values.into_iter().map(|value| self.field(value)).collect::<Vec<_>>()
        };
        let (carried, sources) = (fields(kernel.carried()), fields(kernel.boundaries()));
        let (reads, outs) = (fields(kernel.reads()), fields(kernel.outs()));
        assert!(carried.len() <= sources.len(), "a level that is read has a boundary source");
        assert!(outs.len() as i64 <= steps, "an out gets a level that the sweep computes");
        for read in carried.iter().chain(&reads) {
            let in_place = steps == 1 && self.reads_own_cells(kernel, *read);
            assert!(in_place || !outs.contains(read), "a sweep does not write what it reads");
        }
        let accesses = self.accesses(kernel);
        let (varying, own) = (kernel.varying(), kernel.level_scalars());
        let scalars = self.numbers(&kernel.scalars());
        // Contents of the levels from the oldest, -C+1, on.
        let levels = carried.iter().rev().map(|field| self.fields[*field].domain);
        let mut levels = levels.collect::<Vec<_>>();
        let age_of_first = carried.len() as i64 - 1;
        for level in 1..=steps {
            let parts = accesses.iter().map(|(argument, offset)| match argument {
                Argument::Carried(age) => {
                    let source = level - 1 - *age as i64;
                    let field = sources[source.rem_euclid(sources.len() as i64) as usize];
                    let domain = levels[(source + age_of_first) as usize];
                    mixed((domain, self.fields[field].around, *offset))
                }
                Argument::Read(number) => {
                    let content = self.fields[reads[*number]];
                    mixed((content.domain, content.around, *offset))
                }
                _ => panic!("accesses are to fields"),
            });
            let first = (level as usize - 1) * varying;
            let own = self.numbers(&own[first..first + varying]);
            levels.push(combined(parts.chain(scalars.iter().copied()).chain(own)));
        }
        for (age, out) in outs.into_iter().enumerate() {
            self.fields[out].domain = levels[levels.len() - 1 - age];
        }
    }

    /// A number for each scalar, by its type and value.
    fn numbers(&self, scalars: &[Value<'c, 'a>]) -> Vec<u64> {
        let kind = |value: &Value<'c, 'a>| if value.r#type().is_index() { "index" } else { "i64" };
        scalars.iter().map(|value| mixed((kind(value), self.number(*value)))).collect()
    }

    /// The accesses of a kernel's region.
    fn accesses(&self, kernel: KernelOp<'c, 'a>) -> Vec<(Argument, i64)> {
        let accesses = walk::operations(kernel.body()).into_iter().filter_map(AccessOp::of);
        accesses
            .map(|access| (kernel.argument_of(access.source()).unwrap(), access.offset()[0]))
            .collect()
    }

    fn reads_own_cells(&self, kernel: KernelOp<'c, 'a>, field: usize) -> bool {
        self.accesses(kernel).into_iter().all(|(argument, offset)| {
            let read = match argument {
                Argument::Carried(age) => kernel.carried()[age],
                Argument::Read(number) => kernel.reads()[number],
                _ => panic!("accesses are to fields"),
            };
            offset == 0 || self.field(read) != field
        })
    }
}

/// An order-independent hash.
pub fn combined(parts: impl Iterator<Item = u64>) -> u64 {
    mixed(parts.fold(0u64, |sum, part| sum.wrapping_add(part)))
}
