//! `stencil-combine-accesses`: neighbouring cells are loaded and stored as one vector.
//!
//! Before: a `gpu.module`; in a block `memref.load`s, or `memref.store`s, of f32 or f64 cells that
//!         follow one another in memory, at constant distances from one address.
//! After:  one `vector.load` with a `vector.extract` for each cell where the first of several loads
//!         was; one `vector.store` where the last of several stores was. Vectors are of two or four
//!         cells and of at most 16 bytes, each a multiple of its size from the start of the buffer.
//!
//! Why: a warp load whose words are not aligned to a cache line takes one wavefront more, and
//! kernels that read many cells are bound by L1 bandwidth. Neighbouring points of a thread
//! (`vector` in the plan) read the same words; as vectors the accesses are fewer and aligned.
//! A vector covers only cells that the block accesses anyway.
//! Buffers are 16-byte aligned; the alignment of an address is derived from the arithmetic that
//! computes it.
//! Loads move only past operations that write nothing, stores only past those that neither load nor
//! may write the same cells; barriers and operations with regions are never crossed.
//! Requires equal addresses to be one value (`cse`). Idempotent.
//! Does not combine accesses whose addresses share no base value.

use super::block_dag::{blocks, effect};
use super::launch;
use crate::builders;
use melior::ir::{OperationRef, Type, TypeLike, Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, HashMap};
use stencil_code::Effect;
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, memref},
    types,
    walk::{self, ValueKey},
};
use stencil_passes::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, statistic,
};

/// The table entry.
pub const COMBINE_ACCESSES: PassInfo = PassInfo {
    argument: "stencil-combine-accesses",
    summary: "load and store neighbouring cells as vectors",
    source: include_str!("combine_accesses.rs"),
    anchor: Anchor::GpuModule,
    options: &[],
    statistics: &[LOADS, STORES],
    dialects: &["arith", "vector"],
    run: combine_accesses,
};

const LOADS: Statistic = statistic("num-vector-loads", "vectors that are loaded");
const STORES: Statistic = statistic("num-vector-stores", "vectors that are stored");

/// Bytes of the widest access of a thread, to which buffers are aligned.
const WIDEST: i64 = 16;

fn combine_accesses(module: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    for block in blocks(module) {
        // Groups are found before the first is replaced.
        let mut multiples = Multiples::default();
        let mut groups = Groups::default();
        for operation in walk::operations(block) {
            groups.take(operation, &mut multiples);
        }
        groups.end();
        for group in groups.done {
            let (counted, made) = match group.stores {
                true => (STORES, group.store()),
                false => (LOADS, group.load()),
            };
            cx.count(counted, made);
        }
    }
    Ok(())
}

/// The largest power of two, up to the cells of the widest access, that divides a value.
#[derive(Default)]
struct Multiples {
    known: HashMap<ValueKey, i64>,
}

impl Multiples {
    /// An upper bound of the cells of an access.
    const MOST: i64 = WIDEST;

    fn of(&mut self, value: Value) -> i64 {
        let key = ValueKey::of(&value);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let multiple = self.computed(value);
        self.known.insert(key, multiple);
        multiple
    }

    fn computed(&mut self, value: Value) -> i64 {
        if let Some(number) = launch::constant(value) {
            return power_in(number);
        }
        let Some(definition) = walk::definition(value) else { return 1 };
        let operands = definition.operands().collect::<Vec<_>>();
        match (walk::name(&definition), operands.as_slice()) {
            (arith::ADDI | arith::SUBI, [one, two]) => self.of(*one).min(self.of(*two)),
            (arith::MULI, [one, two]) => (self.of(*one) * self.of(*two)).min(Self::MOST),
            (arith::INDEX_CAST, [one]) => self.of(*one),
            _ => 1,
        }
    }
}

/// The largest power of two that divides a number, up to the bound.
fn power_in(number: i64) -> i64 {
    match number {
        0 => Multiples::MOST,
        _ => (1 << number.trailing_zeros().min(62)).min(Multiples::MOST),
    }
}

/// An address as a value and a constant distance from it.
fn split<'c: 'a, 'a>(mut address: Value<'c, 'a>) -> (Value<'c, 'a>, i64) {
    let mut distance = 0;
    while let Some(sum) = walk::definition(address).filter(|sum| walk::name(sum) == arith::ADDI) {
        let operands = sum.operands().collect::<Vec<_>>();
        let Some(further) = launch::constant(operands[1]) else { break };
        (address, distance) = (operands[0], distance + further);
    }
    (address, distance)
}

/// Loads, or stores, of one buffer at distances from one value.
struct Group<'c, 'a> {
    stores: bool,
    buffer: Value<'c, 'a>,
    base: Value<'c, 'a>,
    /// Cells of the widest access, and bytes of each.
    widest: i64,
    bytes: i64,
    element: Type<'c>,
    /// By distance; a cell that is loaded twice has two entries.
    accesses: BTreeMap<i64, Vec<OperationRef<'c, 'a>>>,
    /// The insertion point: the first access for loads, the last for stores.
    place: OperationRef<'c, 'a>,
}

impl<'c: 'a, 'a> Group<'c, 'a> {
    /// The group of one access; none if its cells are combined with no others.
    fn of(operation: OperationRef<'c, 'a>, multiples: &mut Multiples) -> Option<(Self, i64)> {
        let operands = operation.operands().collect::<Vec<_>>();
        let (stores, buffer, address) = match (walk::name(&operation), operands.as_slice()) {
            (memref::LOAD, [buffer, address]) => (false, *buffer, *address),
            (memref::STORE, [_, buffer, address]) => (true, *buffer, *address),
            _ => return None,
        };
        let element = if stores { operands[0] } else { build::single(operation) }.r#type();
        let bytes = i64::from(types::element_bytes(element)?);
        let (base, distance) = split(address);
        let widest = multiples.of(base).min(WIDEST / bytes);
        if !element.is_float() || bytes < 4 || widest < 2 {
            return None;
        }
        let accesses = BTreeMap::from([(distance, vec![operation])]);
        let place = operation;
        let group = Self { stores, buffer, base, widest, bytes, element, accesses, place };
        Some((group, distance))
    }

    /// The vectors of the group, as first distance and size; all their cells are accessed.
    fn vectors(&self) -> Vec<(i64, i64)> {
        let mut vectors = Vec::new();
        let mut next = i64::MIN;
        for &first in self.accesses.keys() {
            let fits = |size: &i64| {
                first % size == 0
                    && (first..first + size).all(|cell| self.accesses.contains_key(&cell))
            };
            let size = [4, 2].into_iter().filter(|size| *size <= self.widest).find(fits);
            if let (true, Some(size)) = (first >= next, size) {
                vectors.push((first, size));
                next = first + size;
            }
        }
        vectors
    }

    /// Replaces loads of cells by loads of vectors; returns their number.
    fn load(self) -> u64 {
        // The insertion point is one of the replaced loads: it is erased last.
        let (at, mut gone) = (Inserter::before(self.place), Vec::new());
        let vectors = self.vectors();
        for &(first, size) in &vectors {
            let address = arith::addi(at, self.base, at.index(first));
            let cells = builders::load(at, self.buffer, address, (self.element, self.bytes, size));
            for (cell, distance) in cells.into_iter().zip(first..) {
                for access in &self.accesses[&distance] {
                    build::replace_uses(build::single(*access), cell);
                    gone.push(*access);
                }
            }
        }
        gone.into_iter().for_each(build::erase);
        vectors.len() as u64
    }

    /// Replaces stores of cells by stores of vectors; returns their number.
    fn store(self) -> u64 {
        let (at, mut gone) = (Inserter::after(self.place), Vec::new());
        let vectors = self.vectors();
        for &(first, size) in &vectors {
            let accesses = (first..first + size).map(|cell| self.accesses[&cell][0]);
            let accesses = accesses.collect::<Vec<_>>();
            let values = accesses.iter().map(|access| access.operand(0).expect("a store has one"));
            let address = arith::addi(at, self.base, at.index(first));
            builders::store(at, &values.collect::<Vec<_>>(), self.buffer, address, self.bytes);
            gone.extend(accesses);
        }
        gone.into_iter().for_each(build::erase);
        vectors.len() as u64
    }
}

/// Accesses of a block that may be combined.
#[derive(Default)]
struct Groups<'c, 'a> {
    open: Vec<Group<'c, 'a>>,
    done: Vec<Group<'c, 'a>>,
}

impl<'c: 'a, 'a> Groups<'c, 'a> {
    /// Visits the next operation of the block.
    fn take(&mut self, operation: OperationRef<'c, 'a>, multiples: &mut Multiples) {
        let stores = match effect(operation) {
            Effect::Pure | Effect::Warp => return,
            Effect::Fence => return self.end(),
            Effect::Load => false,
            Effect::Store => true,
        };
        // Loads do not cross stores.
        self.end_if(|group| group.stores != stores);
        let Some((group, distance)) = Group::of(operation, multiples) else {
            if stores {
                self.end();
            }
            return;
        };
        let is_same = |other: &Group| other.buffer == group.buffer && other.base == group.base;
        // A store at another base may hit the same cell, and so does a second store.
        self.end_if(|other| {
            let again = is_same(other) && other.accesses.contains_key(&distance);
            stores && other.buffer == group.buffer && (again || !is_same(other))
        });
        match self.open.iter_mut().find(|other| is_same(other)) {
            Some(known) => {
                known.accesses.entry(distance).or_default().push(operation);
                if stores {
                    known.place = operation;
                }
            }
            None => self.open.push(group),
        }
    }

    /// Closes the groups that a condition holds for.
    fn end_if(&mut self, condition: impl Fn(&Group<'c, 'a>) -> bool) {
        let (closed, open) = self.open.drain(..).partition(condition);
        self.done.extend::<Vec<_>>(closed);
        self.open = open;
    }

    /// Closes all groups.
    fn end(&mut self) {
        self.done.append(&mut self.open);
    }
}
