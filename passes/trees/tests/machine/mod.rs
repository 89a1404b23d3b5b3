//! Random straight-line code that can be run: items with what they compute, and a machine for them
//! that has so many registers and no more.
//!
//! The code has loads of a few arrays, some of them shared by many readers, sums, products and
//! fused multiply-adds in single and double precision, conversions between them, constants, numbers
//! from outside, and stores, most of them in place. Several points are made of one body, which
//! share what they load alike.

use super::random::Dice;
use std::collections::HashMap;
use stencil_code::{ArrayId, Dag, Item, ItemId, Kind};

/// Cells of an array.
const CELLS: usize = 24;

/// A value, as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    Single(u32),
    Double(u64),
}

/// What an item does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Given(Number),
    Load {
        array: usize,
        cell: usize,
    },
    Store {
        array: usize,
        cell: usize,
    },
    Add,
    Subtract,
    Multiply,
    /// First times second plus third.
    Fma,
    /// To the other width.
    Convert,
}

/// Dag with its meaning.
#[derive(Debug, Clone)]
pub struct Program {
    pub code: Dag,
    does: Vec<Does>,
    /// What the arrays hold at the start.
    memory: Vec<[Number; CELLS]>,
}

/// What a run leaves: the arrays, and the values that are read behind the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    memory: Vec<[Number; CELLS]>,
    escaped: Vec<(usize, Number)>,
}

/// Why an order cannot be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// An operand is not there, or not any more.
    Operand,
    /// More registers are wanted than the machine has.
    Registers,
    /// An item is missing.
    Missing,
}

impl Number {
    fn random(dice: &mut Dice, is_double: bool) -> Self {
        let number = dice.below(1 << 20) as f64 / f64::from(1 << 18) - 2.0 + 1.0 / 3.0;
        Self::of(number, is_double)
    }

    fn of(number: f64, is_double: bool) -> Self {
        if is_double {
            Self::Double(number.to_bits())
        } else {
            Self::Single((number as f32).to_bits())
        }
    }

    fn is_double(self) -> bool {
        matches!(self, Self::Double(_))
    }

    fn registers(self) -> u32 {
        if self.is_double() { 2 } else { 1 }
    }
}

impl Does {
    fn compute(self, operands: &[Number]) -> Number {
        let doubles = operands.iter().map(|number| match number {
            Number::Double(bits) => f64::from_bits(*bits),
            Number::Single(bits) => f64::from(f32::from_bits(*bits)),
        });
        let of: Vec<f64> = doubles.collect();
        if self == Self::Convert {
            return Number::of(of[0], !operands[0].is_double());
        }
        if operands[0].is_double() {
            return Number::Double(arithmetic(self, &of, f64::mul_add).to_bits());
        }
        // Of two singles a double holds the sum and the product with room to be rounded once more.
        let fma = |a: f64, b: f64, c: f64| f64::from((a as f32).mul_add(b as f32, c as f32));
        Number::Single((arithmetic(self, &of, fma) as f32).to_bits())
    }
}

fn arithmetic(does: Does, of: &[f64], fma: impl Fn(f64, f64, f64) -> f64) -> f64 {
    match does {
        Does::Add => of[0] + of[1],
        Does::Subtract => of[0] - of[1],
        Does::Multiply => of[0] * of[1],
        Does::Fma => fma(of[0], of[1], of[2]),
        _ => unreachable!("{does:?} is no arithmetic"),
    }
}

/// An operation of a body, on values of the body by their numbers.
struct Step {
    does: Does,
    on: Vec<usize>,
}

/// A program under construction.
struct Builder<'d> {
    dice: &'d mut Dice,
    items: Vec<Item>,
    does: Vec<Does>,
    doubles: Vec<bool>,
    /// Equal items of code without stores between them are one.
    known: HashMap<String, usize>,
    arrays: Vec<bool>,
    /// What touches each array, with whether it writes.
    touched: Vec<Vec<(usize, bool)>>,
}

/// A program from dice: a body of so many operations, made for so many points.
pub fn program(dice: &mut Dice, operations: usize, points: usize) -> Program {
    let arrays: Vec<bool> = (0..2 + dice.below(3)).map(|_| dice.below(10) < 6).collect();
    let touched = vec![Vec::new(); arrays.len()];
    let memory = arrays.iter().map(|&is_double| {
        let mut cells = [Number::Single(0); CELLS];
        cells.iter_mut().for_each(|cell| *cell = Number::random(dice, is_double));
        cells
    });
    let memory = memory.collect();
    let known = HashMap::new();
    let (items, does, doubles) = (Vec::new(), Vec::new(), Vec::new());
    let mut builder = Builder { dice, items, does, doubles, known, arrays, touched };
    builder.points(operations, points);
    let (items, does) = (builder.items, builder.does);
    Program { code: Dag::new(items), does, memory }
}

impl Builder<'_> {
    fn points(&mut self, operations: usize, points: usize) {
        for number in 0..4 {
            let is_double = number % 2 == 0;
            let given = Does::Given(Number::random(self.dice, is_double));
            let (kind, registers) = match number < 2 {
                true => (Kind::Constant, 0),
                false => (Kind::Input, if is_double { 2 } else { 1 }),
            };
            self.push(given, Item::new(kind, vec![], registers), is_double);
        }
        let leaves: Vec<(usize, usize)> = (0..2 + self.dice.below(8))
            .map(|_| (self.dice.below(self.arrays.len()), self.dice.below(6)))
            .collect();
        let body: Vec<(usize, [usize; 3])> = (0..operations)
            .map(|_| (self.dice.below(12), [0; 3].map(|_| self.dice.below(1 << 16))))
            .collect();
        let stores: Vec<(usize, usize, usize)> = (0..1 + self.dice.below(4))
            .map(|_| (self.dice.below(self.arrays.len()), self.dice.below(6), self.dice.below(99)))
            .collect();
        for point in 0..points {
            self.point(point, &leaves, &body, &stores);
        }
        self.finish();
    }

    /// One point: the same draws at other cells.
    fn point(
        &mut self,
        point: usize,
        leaves: &[(usize, usize)],
        body: &[(usize, [usize; 3])],
        stores: &[(usize, usize, usize)],
    ) {
        let mut values: Vec<usize> = vec![0, 1, 2, 3];
        values.extend(leaves.iter().map(|&(array, cell)| self.load(array, cell + 2 * point)));
        for (way, draws) in body {
            let step = self.step(*way, *draws, &values);
            values.push(self.operation(step.does, &step.on));
        }
        for &(array, cell, pick) in stores {
            // A late value; its type is that of the array.
            let late = values[values.len() - 1 - pick % values.len().min(4)];
            let value = self.converted(late, self.arrays[array]);
            self.store(array, cell + 2 * point, value);
        }
    }

    /// An operation: mostly on recent values and on leaves, which many then share.
    fn step(&mut self, way: usize, draws: [usize; 3], values: &[usize]) -> Step {
        let pick = |draw: usize| match draw % 4 {
            0 => values[values.len() - 1 - draw / 4 % values.len().min(3)],
            _ => values[draw / 4 % values.len()],
        };
        let on = draws.map(pick);
        let (does, count) = match way {
            0..=4 => (Does::Fma, 3),
            5..=7 => (Does::Add, 2),
            8 => (Does::Subtract, 2),
            9 | 10 => (Does::Multiply, 2),
            _ => (Does::Convert, 1),
        };
        let is_double = self.doubles[on[0]];
        let on = on[..count].iter().map(|&value| self.converted(value, is_double)).collect();
        Step { does, on }
    }

    fn converted(&mut self, value: usize, is_double: bool) -> usize {
        match self.doubles[value] == is_double {
            true => value,
            false => self.operation(Does::Convert, &[value]),
        }
    }

    fn operation(&mut self, does: Does, on: &[usize]) -> usize {
        let name = format!("{does:?} {on:?}");
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let is_double = self.doubles[on[0]] != (does == Does::Convert);
        let kind = if does == Does::Fma { Kind::Accumulate(2) } else { Kind::Operation };
        let operands = on.iter().copied().map(ItemId::new).collect();
        let item = Item::new(kind, operands, if is_double { 2 } else { 1 });
        self.known.insert(name, self.items.len());
        self.push(does, item, is_double)
    }

    fn load(&mut self, array: usize, cell: usize) -> usize {
        let writes = self.touched[array].iter().filter(|(_, writes)| *writes).count();
        let (does, cell_name) = (Does::Load { array, cell }, (array, cell, writes));
        let name = format!("load {cell_name:?}");
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let is_double = self.arrays[array];
        let mut item = Item::new(Kind::Load, vec![], if is_double { 2 } else { 1 });
        item.after = self.after(array, false);
        item.array = Some(ArrayId(array as u32));
        self.known.insert(name, self.items.len());
        self.push(does, item, is_double)
    }

    fn store(&mut self, array: usize, cell: usize, value: usize) {
        let mut item = Item::new(Kind::Store, vec![ItemId::new(value)], 0);
        item.after = self.after(array, true);
        item.array = Some(ArrayId(array as u32));
        self.push(Does::Store { array, cell }, item, false);
    }

    /// What an access may not pass: writes of the array, and for a write what reads it.
    fn after(&mut self, array: usize, writes: bool) -> Vec<ItemId> {
        let touched = &mut self.touched[array];
        let conflicts = touched.iter().filter(|(_, other)| writes || *other);
        let after = conflicts.map(|(item, _)| ItemId::new(*item)).collect();
        touched.push((self.items.len(), writes));
        after
    }

    fn push(&mut self, does: Does, item: Item, is_double: bool) -> usize {
        self.does.push(does);
        self.items.push(item);
        self.doubles.push(is_double);
        self.items.len() - 1
    }

    /// What nobody reads is read behind the code.
    fn finish(&mut self) {
        let mut is_read = vec![false; self.items.len()];
        for operand in self.items.iter().flat_map(|item| &item.operands) {
            is_read[operand.index()] = true;
        }
        for (item, is_read) in self.items.iter_mut().zip(is_read) {
            item.live_out = !is_read && !matches!(item.kind, Kind::Store | Kind::Constant);
        }
    }
}

impl Program {
    /// Runs the items in an order, on a machine with so many registers of 32 bits: a value is
    /// gone when its last reader has run.
    pub fn run(&self, order: &[ItemId], registers: u32) -> Result<Outcome, Stuck> {
        let items = self.code.items();
        let mut readers = vec![0_usize; items.len()];
        for item in items {
            let mut operands = item.operands.clone();
            operands.sort_unstable();
            operands.dedup();
            operands.iter().for_each(|operand| readers[operand.index()] += 1);
        }
        let mut machine = Machine {
            values: vec![None; items.len()],
            memory: self.memory.clone(),
            free: i64::from(registers),
        };
        for (id, does) in self.does.iter().enumerate() {
            if let Does::Given(number) = does {
                let is_wanted = readers[id] > 0 || items[id].live_out;
                let taken = if is_wanted { items[id].registers } else { 0 };
                machine.put(id, *number, taken)?;
            }
        }
        let runs = order.iter().filter(|id| !matches!(self.does[id.index()], Does::Given(_)));
        for id in runs {
            let (id, item) = (id.index(), &items[id.index()]);
            let operands = item.operands.iter().map(|on| machine.values[on.index()]);
            let operands: Vec<Number> = operands.collect::<Option<_>>().ok_or(Stuck::Operand)?;
            let mut done = item.operands.clone();
            done.sort_unstable();
            done.dedup();
            for on in done.iter().map(|on| on.index()) {
                readers[on] -= 1;
                if readers[on] == 0 && !items[on].live_out {
                    machine.values[on] = None;
                    machine.free += i64::from(items[on].registers);
                }
            }
            match self.does[id] {
                Does::Store { array, cell } => machine.memory[array][cell] = operands[0],
                Does::Load { array, cell } => {
                    let number = machine.memory[array][cell];
                    machine.put(id, number, item.registers)?;
                }
                does => machine.put(id, does.compute(&operands), item.registers)?,
            }
        }
        machine.outcome(items, order)
    }
}

struct Machine {
    values: Vec<Option<Number>>,
    memory: Vec<[Number; CELLS]>,
    free: i64,
}

impl Machine {
    fn put(&mut self, id: usize, number: Number, registers: u32) -> Result<(), Stuck> {
        assert!(registers == 0 || registers == number.registers());
        self.values[id] = Some(number);
        self.free -= i64::from(registers);
        if self.free < 0 { Err(Stuck::Registers) } else { Ok(()) }
    }

    fn outcome(self, items: &[Item], order: &[ItemId]) -> Result<Outcome, Stuck> {
        let stores = items.iter().filter(|item| item.kind == Kind::Store).count();
        let run = order.iter().filter(|id| items[id.index()].kind == Kind::Store).count();
        let live_out = items.iter().enumerate().filter(|(_, item)| item.live_out);
        let escaped = live_out.map(|(id, _)| Some((id, self.values[id]?)));
        let escaped = escaped.collect::<Option<_>>();
        match escaped {
            Some(escaped) if run == stores => Ok(Outcome { memory: self.memory, escaped }),
            _ => Err(Stuck::Missing),
        }
    }
}
