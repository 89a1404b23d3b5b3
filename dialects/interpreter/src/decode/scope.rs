//! SSA values and what they are bound to while a frame is laid out.

use super::{Decoder, site_of, tiled::TiledScope, unsupported};
use crate::element::Element;
use crate::error::{ErrorKind, InterpreterError};
use crate::grid::RANK_MAX;
use crate::program::{FrameLayout, GridSlot, Moves, Slot};
use crate::tiled::TileSlot;
use melior::ir::{
    OperationRef, ShapedTypeLike, Type, Value, ValueLike,
    r#type::{DimSize, MemRefType},
};
use std::collections::HashMap;
use stencil_dialects::{
    Bounds, StencilType,
    types::{self, Number, StencilKind},
    walk,
    walk::ValueKey,
};

/// How the interpreter represents a type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Scalar(Element),
    /// `!stencil.result`.
    Maybe(Element),
    Field {
        rank: usize,
        bounds: Option<Bounds>,
        element: Element,
    },
    Temp {
        rank: usize,
        bounds: Option<Bounds>,
        element: Element,
    },
    /// `!llvm.ptr`: only passed through.
    Pointer,
    /// Anything else.
    Other,
}

/// Classifies a type.
pub(super) fn kind_of(r#type: Type<'_>) -> Kind {
    let Some(stencil) = StencilType::of(r#type) else {
        if let Ok(memory) = MemRefType::try_from(r#type) {
            return memory_kind(memory).unwrap_or(Kind::Other);
        }
        let text = r#type.to_string();
        return match Element::parse(&text) {
            Some(element) => Kind::Scalar(element),
            None if text == "!llvm.ptr" => Kind::Pointer,
            None => Kind::Other,
        };
    };
    let Some(element) = Element::parse(&stencil.element.to_string()) else { return Kind::Other };
    let StencilType { kind, rank, bounds, .. } = stencil;
    match kind {
        StencilKind::Result => Kind::Maybe(element),
        _ if element.stored_bytes().is_none() => Kind::Other,
        StencilKind::Field => Kind::Field { rank, bounds, element },
        StencilKind::Temp => Kind::Temp { rank, bounds, element },
    }
}

/// A memref of identity layout is a field, from 0 where its extents are known; none for others.
fn memory_kind(memory: MemRefType) -> Option<Kind> {
    let rank = memory.rank();
    let element = Element::parse(&memory.element().to_string())?;
    let mut below = 1;
    let (strides, offset) = memory.strides_and_offset();
    let mut extents = Vec::new();
    for d in (0..rank).rev() {
        let DimSize::Static(extent) = memory.dim_size(d).ok()? else {
            let bounds = None;
            let is_plain = !memory.to_string().contains("strided");
            return is_plain.then_some(Kind::Field { rank, bounds, element });
        };
        let extent = i64::try_from(extent).ok()?;
        if extent != 1 && strides[d] != below {
            return None;
        }
        below = below.checked_mul(extent)?;
        extents.insert(0, extent);
    }
    let is_usable =
        offset == 0 && (1..=RANK_MAX).contains(&rank) && element.stored_bytes().is_some();
    let bounds = Some(Bounds::new(vec![0; rank], extents));
    is_usable.then_some(Kind::Field { rank, bounds, element })
}

/// The location of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Scalar(Slot),
    /// A value of type `!stencil.result`: the value, and an `i1` that says whether there is one.
    Maybe {
        value: Slot,
        present: Slot,
    },
    /// A field or temp of the host.
    Grid(GridSlot),
    /// A field or temp that the body of an apply reads, by number of its input.
    Input(usize),
    /// A plane of a tile.
    Tile(TileSlot),
    /// Shared memory, by number of its allocation.
    Buffer(usize),
    /// A value that must not be used; the text describes it.
    Ignored(&'static str),
}

/// A frame being laid out.
pub(super) struct Scope {
    bindings: HashMap<ValueKey, Binding>,
    pub layout: FrameLayout,
    /// Inside of a kernel in the planes form.
    pub tiled: TiledScope,
}

impl Default for Scope {
    /// A frame with only the slot of absent operands.
    fn default() -> Self {
        let layout = FrameLayout { scalars: vec![0], symbols: Vec::new() };
        Self { bindings: HashMap::new(), layout, tiled: TiledScope::default() }
    }
}

impl Scope {
    /// A new slot with a constant initial value.
    pub fn constant(&mut self, bits: u64) -> Slot {
        let number = u32::try_from(self.layout.scalars.len());
        let slot = Slot(number.expect("a program has fewer than 2^32 values"));
        self.layout.scalars.push(bits);
        slot
    }

    /// A new slot.
    pub fn slot(&mut self) -> Slot {
        self.constant(0)
    }

    pub fn bind<'c>(&mut self, value: impl ValueLike<'c>, binding: Binding) {
        self.bindings.insert(ValueKey::of(&value), binding);
    }

    pub fn binding<'c>(&self, value: impl ValueLike<'c>) -> Option<&Binding> {
        self.bindings.get(&ValueKey::of(&value))
    }

    /// Starts the bindings of a called function; gives back the caller's.
    pub fn enter_function(&mut self) -> HashMap<ValueKey, Binding> {
        std::mem::take(&mut self.bindings)
    }

    /// Returns to the caller's bindings.
    pub fn leave_function(&mut self, callers: HashMap<ValueKey, Binding>) {
        self.bindings = callers;
    }
}

impl<'c: 'a, 'a> Decoder<'c, 'a> {
    /// The number of a new grid slot.
    pub fn grid_slot(&mut self) -> GridSlot {
        self.grid_slots += 1;
        GridSlot(self.grid_slots - 1)
    }

    /// Binds a value to new slots of its kind.
    pub fn bind_new(
        &mut self,
        operation: OperationRef<'c, 'a>,
        value: Value<'c, 'a>,
        scope: &mut Scope,
    ) -> Result<Binding, InterpreterError> {
        let binding = match kind_of(value.r#type()) {
            Kind::Scalar(_) => Binding::Scalar(scope.slot()),
            Kind::Maybe(_) => Binding::Maybe { value: scope.slot(), present: scope.slot() },
            Kind::Field { .. } | Kind::Temp { .. } => Binding::Grid(self.grid_slot()),
            Kind::Pointer => Binding::Ignored("a pointer"),
            Kind::Other => return Err(unknown_type(operation, value.r#type())),
        };
        scope.bind(value, binding);
        Ok(binding)
    }
}

/// The binding of an operand.
pub(super) fn operand_binding<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    scope: &Scope,
) -> Result<Binding, InterpreterError> {
    match scope.binding(value) {
        Some(Binding::Ignored(_)) if foreign_element(value.r#type()).is_some() => {
            Err(unknown_type(operation, value.r#type()))
        }
        Some(Binding::Ignored(what)) => {
            Err(unsupported(operation, format!("uses {what}, which the interpreter ignores")))
        }
        Some(&binding) => Ok(binding),
        // Every op that the decoder accepts binds its results, and SSA orders definitions first.
        None => unreachable!("'{}' uses a value that was not decoded", walk::name(&operation)),
    }
}

/// The type of a field's or temp's elements, if memory holds no such elements.
fn foreign_element(r#type: Type<'_>) -> Option<Type<'_>> {
    let element = StencilType::of(r#type)?.element;
    types::element_bytes(element).is_none().then_some(element)
}

/// The slot of a scalar operand.
pub(super) fn scalar_slot<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    scope: &Scope,
) -> Result<Slot, InterpreterError> {
    match operand_binding(operation, value, scope)? {
        Binding::Scalar(slot) => Ok(slot),
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

/// The slot of a field or temp on the host.
pub(super) fn grid_slot<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    value: Value<'c, 'a>,
    scope: &Scope,
) -> Result<GridSlot, InterpreterError> {
    match operand_binding(operation, value, scope)? {
        Binding::Grid(slot) => Ok(slot),
        _ => Err(unknown_type(operation, value.r#type())),
    }
}

/// Adds the copy of one value to another of the same type.
pub(super) fn add_move<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    moves: &mut Moves,
    from: Binding,
    to: Binding,
) -> Result<(), InterpreterError> {
    match (from, to) {
        (Binding::Scalar(from), Binding::Scalar(to)) => moves.scalars.push((from, to)),
        (Binding::Grid(from), Binding::Grid(to)) => moves.grids.push((from, to)),
        (
            Binding::Maybe { value: from_value, present: from_present },
            Binding::Maybe { value, present },
        ) => {
            moves.scalars.push((from_value, value));
            moves.scalars.push((from_present, present));
        }
        _ => return Err(unsupported(operation, "passes on a value that cannot be copied")),
    }
    Ok(())
}

/// Reports an unsupported type.
pub(super) fn unknown_type<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    r#type: Type<'c>,
) -> InterpreterError {
    if let Some(element) = foreign_element(r#type) {
        let message = format!("has elements of type {element}");
        let error = site_of(operation).error(ErrorKind::Unsupported, message);
        return error.with_remedy(Number::ELEMENTS);
    }
    let message = format!("has a value of type {type}, which the interpreter does not support");
    site_of(operation).error(ErrorKind::Unsupported, message).with_remedy(
        "it runs i1 to i64, index, f16, bf16, f32, f64, and fields and temps of those of them that \
         memory holds",
    )
}
