//! Typed views of the dialect's ops. A view reads the IR on demand and relies on a verified op.

use crate::{Bounds, StencilType, attributes, build, ods, walk};
use melior::ir::{
    BlockLike, BlockRef, Type, Value, ValueLike, attribute::DenseI32ArrayAttribute,
    operation::OperationLike,
};

pub use crate::ods::stencil::{
    AccessOp, ApplyOp, CombineOp, DynAccessOp, IndexOp, ReturnOp, StoreOp,
};

impl<'c: 'a, 'a> ApplyOp<'c, 'a> {
    /// The values that the region gets, one per block argument.
    pub fn arguments(&self) -> Vec<Value<'c, 'a>> {
        self.args()
    }

    /// The fields that the buffer form writes; empty in the value form.
    pub fn destinations(&self) -> Vec<Value<'c, 'a>> {
        self.dest()
    }

    /// The block that computes one point.
    pub fn body(&self) -> BlockRef<'c, 'a> {
        self.region()
    }

    /// The points that are computed, where known.
    pub fn bounds(&self) -> Option<Bounds> {
        let declared = || attributes::bounds(self.operation().attribute("bounds").ok()?);
        match self.operation().results().next() {
            Some(result) => StencilType::of(result.r#type())?.bounds.or_else(declared),
            None => declared(),
        }
    }

    /// Dimensions of the iteration.
    pub fn rank(&self) -> usize {
        match self.operation().results().next() {
            Some(result) => StencilType::of(result.r#type()).map_or(0, |r#type| r#type.rank),
            None => self.bounds().map_or(0, |bounds| bounds.rank()),
        }
    }

    /// Element type of each result, or of each destination.
    pub fn elements(&self) -> Vec<Type<'c>> {
        let types = match self.operation().result_count() {
            0 => self.destinations().iter().map(ValueLike::r#type).collect::<Vec<_>>(),
            _ => self.operation().results().map(|result| result.r#type()).collect(),
        };
        types.into_iter().filter_map(|r#type| Some(StencilType::of(r#type)?.element)).collect()
    }

    /// The op that ends the region.
    pub fn terminator(&self) -> ReturnOp<'c, 'a> {
        let last = walk::operations(self.body()).pop();
        last.and_then(ReturnOp::of)
            .expect("the verifier checked that stencil.return ends the region")
    }

    /// The operand number of a block argument; none for other values.
    pub fn argument_of(&self, value: Value<'c, 'a>) -> Option<usize> {
        let (block, position) = walk::block_argument(value)?;
        (block == self.body()).then_some(position)
    }
}

impl<'c: 'a, 'a> ReturnOp<'c, 'a> {
    /// The operands: with unroll, all points of the first result, then those of the next.
    pub fn values(&self) -> Vec<Value<'c, 'a>> {
        self.arg()
    }
}

impl<'c: 'a, 'a> AccessOp<'c, 'a> {
    /// The temp or field that is read.
    pub fn source(&self) -> Value<'c, 'a> {
        self.temp()
    }

    /// Offset from the current point in each dimension of the source.
    pub fn offset(&self) -> Vec<i64> {
        let offset = self.operation().attribute("offset").ok().and_then(attributes::index);
        offset.expect("the verifier checked the offset")
    }

    /// For each dimension of the source, which dimension of the iteration it follows.
    pub fn mapping(&self) -> Vec<usize> {
        let mapping = self.operation().attribute("offset_mapping").ok().and_then(|attribute| {
            attributes::index(attribute).or_else(|| attributes::integers(attribute))
        });
        match mapping {
            Some(mapping) => mapping.into_iter().map(|d| d as usize).collect(),
            None => (0..self.offset().len()).collect(),
        }
    }
}

impl<'c: 'a, 'a> DynAccessOp<'c, 'a> {
    /// The temp or field that is read.
    pub fn source(&self) -> Value<'c, 'a> {
        self.temp()
    }
}

impl<'c: 'a, 'a> IndexOp<'c, 'a> {
    /// Dimension of the iteration.
    pub fn dimension(&self) -> usize {
        self.dim() as usize
    }

    /// What is added to the coordinate.
    pub fn offset(&self) -> i64 {
        let offset = self.operation().attribute("offset").ok().and_then(attributes::index);
        offset.expect("the verifier checked the offset")[self.dimension()]
    }
}

impl<'c: 'a, 'a> CombineOp<'c, 'a> {
    /// The dimension along which the sides meet.
    pub fn dimension(&self) -> usize {
        self.dim() as usize
    }

    /// Temps of the lower side, one per combined result.
    pub fn lower(&self) -> Vec<Value<'c, 'a>> {
        ods::operand_segment(self.operation(), 0)
    }

    /// Temps of the upper side, one per combined result.
    pub fn upper(&self) -> Vec<Value<'c, 'a>> {
        ods::operand_segment(self.operation(), 1)
    }

    /// Temps that exist on the lower side only; their results follow the combined ones.
    pub fn lower_extra(&self) -> Vec<Value<'c, 'a>> {
        ods::operand_segment(self.operation(), 2)
    }

    /// Temps that exist on the upper side only; their results come last.
    pub fn upper_extra(&self) -> Vec<Value<'c, 'a>> {
        ods::operand_segment(self.operation(), 3)
    }

    /// For each result: the temps it takes its points from, below and from `index` on.
    pub fn sources(&self) -> Vec<(Option<Value<'c, 'a>>, Option<Value<'c, 'a>>)> {
        let both = self.lower().into_iter().zip(self.upper());
        let mut sources = both.map(|(lower, upper)| (Some(lower), Some(upper))).collect::<Vec<_>>();
        sources.extend(self.lower_extra().into_iter().map(|lower| (Some(lower), None)));
        sources.extend(self.upper_extra().into_iter().map(|upper| (None, Some(upper))));
        sources
    }
}

/// Adds an operand to an apply, and returns its block argument.
pub fn add_apply_argument<'c: 'a, 'a>(
    apply: ApplyOp<'c, 'a>,
    outer: Value<'c, 'a>,
) -> Value<'c, 'a> {
    let mut arguments = apply.arguments();
    let inner = apply.body().add_argument(outer.r#type(), apply.operation().location());
    arguments.push(outer);
    set_apply_arguments(apply, arguments);
    inner
}

/// Removes unused operands of an apply; returns their number.
pub fn remove_unused_apply_arguments(apply: ApplyOp) -> usize {
    let (body, mut arguments) = (apply.body(), apply.arguments());
    let before = arguments.len();
    for position in (0..before).rev() {
        if walk::uses(build::argument(body, position)).is_empty() {
            // SAFETY: the block is live, has the argument, and nothing uses it.
            unsafe { mlir_sys::mlirBlockEraseArgument(body.to_raw(), position as u32) };
            arguments.remove(position);
        }
    }
    let removed = before - arguments.len();
    if removed > 0 {
        set_apply_arguments(apply, arguments);
    }
    removed
}

/// Replaces the operands that are arguments; destinations stay.
fn set_apply_arguments<'c: 'a, 'a>(apply: ApplyOp<'c, 'a>, arguments: Vec<Value<'c, 'a>>) {
    let destinations = apply.destinations();
    let sizes = [arguments.len() as i32, destinations.len() as i32];
    let operands = arguments.into_iter().chain(destinations);
    let raw = operands.map(|operand| operand.to_raw()).collect::<Vec<_>>();
    // SAFETY: op and values are live; the segment sizes are set to match right after.
    unsafe {
        mlir_sys::mlirOperationSetOperands(
            apply.operation().to_raw(),
            raw.len() as isize,
            raw.as_ptr(),
        );
    }
    let sizes = DenseI32ArrayAttribute::new(build::context(&apply.operation()), &sizes).into();
    build::set_attribute(apply.operation(), "operandSegmentSizes", sizes);
}
