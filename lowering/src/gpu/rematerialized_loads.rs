//! Rematerialised loads: values of a thread that are loaded from global memory again instead of
//! being spilled.
//!
//! They come from arrays that the kernel only reads. Such an array does not change while the kernel
//! runs, and its parameter says so, so that loads take the read-only path. To the assembler two
//! such loads of one element are one: it keeps the value in a register, or spills it. A load that
//! is relaxed and ordered within the block (`ld.relaxed.cta`) stays in place, as a volatile one of
//! shared memory does; it is served by the first-level cache like any other.

use super::slots::{self, DYNAMIC_INDEX};
use melior::ir::{
    Attribute, OperationRef, Type, TypeLike, Value, attribute::IntegerAttribute,
    operation::OperationLike, r#type::IntegerType,
};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::{arith, llvm, memref, vector},
    walk,
};
use stencil_faults::{Fault, planted};

/// The element of an array that a value was loaded from.
#[derive(Clone, Copy)]
pub struct Source<'c, 'a> {
    memory: Value<'c, 'a>,
    index: Value<'c, 'a>,
    /// Elements after that index.
    further: i64,
}

impl<'c: 'a, 'a> Source<'c, 'a> {
    /// Where a value of a kernel was loaded from; none if it cannot be loaded again.
    pub fn of(kernel: OperationRef<'c, 'a>, value: Value<'c, 'a>) -> Option<Self> {
        let definition = walk::definition(value)?;
        let (load, further) = match walk::name(&definition) {
            memref::LOAD => (definition, 0),
            vector::EXTRACT => {
                let position = definition.attribute("static_position").ok();
                let [position] = position.and_then(attributes::integers)?[..] else { return None };
                let vector = definition.operands().next()?;
                // A position that is no constant is another operand.
                let is_constant = definition.operands().count() == 1;
                let load = walk::definition(vector).filter(|_| is_constant)?;
                (Some(load).filter(|load| walk::name(load) == vector::LOAD)?, position)
            }
            _ => return None,
        };
        let operands = load.operands().collect::<Vec<_>>();
        let [memory, index] = operands[..] else { return None };
        only_read(kernel, memory).then_some(Self { memory, index, further })
    }

    /// Loads it again.
    pub fn load(&self, at: Inserter<'c, 'a>, r#type: Type<'c>) -> Value<'c, 'a> {
        let i64_type: Type = IntegerType::new(at.context(), 64).into();
        let pointer = Type::parse(at.context(), "!llvm.ptr").expect("the text is a type");
        let base = slots::base_pointer(at, self.memory, pointer);
        let index = arith::index_cast(at, i64_type, self.index);
        let element = slots::element(at, base, &[index], DYNAMIC_INDEX, r#type);
        // With the fault a value is taken from beside its place.
        let further = if planted(Fault::OtherOrigin) { self.further + 1 } else { self.further };
        let element = match further {
            0 => element,
            further => slots::element(at, element, &[], further, r#type),
        };
        at.value(llvm::LOAD, &[element], &relaxed(at, r#type), r#type)
    }
}

/// Whether an array is a parameter of a kernel that nothing writes while it runs.
fn only_read(kernel: OperationRef, memory: Value) -> bool {
    let entry = build::block_of(kernel, 0);
    let Some((block, position)) = walk::block_argument(memory) else { return false };
    let promises = |name| build::argument_attribute(kernel, position, name).is_some();
    block == entry && promises("llvm.noalias") && promises("llvm.readonly")
}

/// The attributes of a load that stays in place.
fn relaxed<'c>(at: Inserter<'c, '_>, r#type: Type<'c>) -> [(&'static str, Attribute<'c>); 3] {
    let i64_type = IntegerType::new(at.context(), 64).into();
    let bytes = if r#type.is_f64() { 8 } else { 4 };
    [
        ("ordering", IntegerAttribute::new(i64_type, MONOTONIC).into()),
        ("syncscope", build::string(at.context(), "block")),
        ("alignment", IntegerAttribute::new(i64_type, bytes).into()),
    ]
}

/// The number of LLVM's ordering for relaxed.
const MONOTONIC: i64 = 2;
