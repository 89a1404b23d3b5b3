//! Typed views of the dialect's ops. A view reads the IR on demand and relies on a verified op.

use crate::{Bounds, StencilType, attributes, build, walk};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Type, Value, ValueLike,
    attribute::DenseI32ArrayAttribute, operation::OperationLike,
};

/// `stencil.load`.
pub const LOAD: &str = "stencil.load";
/// `stencil.store`.
pub const STORE: &str = "stencil.store";
/// `stencil.apply`.
pub const APPLY: &str = "stencil.apply";
/// `stencil.access`.
pub const ACCESS: &str = "stencil.access";
/// `stencil.dyn_access`.
pub const DYN_ACCESS: &str = "stencil.dyn_access";
/// The attribute of `stencil.dyn_access` that makes its extent one of coordinates.
pub const ABSOLUTE: &str = "absolute";
/// The attribute of an f32 `math.rsqrt` that permits any result within a relative error of 2^-22.5.
/// Its uses must not depend on which one it is.
pub const ESTIMATE: &str = "stencil.estimate";
/// `stencil.index`.
pub const INDEX: &str = "stencil.index";
/// `stencil.store_result`.
pub const STORE_RESULT: &str = "stencil.store_result";
/// `stencil.return`.
pub const RETURN: &str = "stencil.return";
/// `stencil.buffer`.
pub const BUFFER: &str = "stencil.buffer";
/// `stencil.combine`.
pub const COMBINE: &str = "stencil.combine";
/// `stencil.cast`.
pub const CAST: &str = "stencil.cast";
/// `stencil.alloc`.
pub const ALLOC: &str = "stencil.alloc";

macro_rules! view {
    ($(#[$doc:meta])* $view:ident, $name:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $view<'c, 'a>(OperationRef<'c, 'a>);

        impl<'c: 'a, 'a> $view<'c, 'a> {
            /// The view, if the op is of this kind.
            pub fn of(operation: OperationRef<'c, 'a>) -> Option<Self> {
                (walk::name(&operation) == $name).then_some(Self(operation))
            }

            /// The op itself.
            pub fn operation(&self) -> OperationRef<'c, 'a> {
                self.0
            }
        }
    };
}

view!(
    /// A view of `stencil.apply`.
    ApplyOp, APPLY
);
view!(
    /// A view of `stencil.return`.
    ReturnOp, RETURN
);
view!(
    /// A view of `stencil.access`.
    AccessOp, ACCESS
);
view!(
    /// A view of `stencil.dyn_access`.
    DynAccessOp, DYN_ACCESS
);
view!(
    /// A view of `stencil.index`.
    IndexOp, INDEX
);
view!(
    /// A view of `stencil.store`.
    StoreOp, STORE
);
view!(
    /// A view of `stencil.combine`.
    CombineOp, COMBINE
);

fn operands<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    operation.operands().collect()
}

fn operand<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, position: usize) -> Value<'c, 'a> {
    operation.operand(position).expect("the verifier checked the number of operands")
}

fn index_attribute<'c: 'a, 'a>(operation: OperationRef<'c, 'a>, name: &str) -> Option<Vec<i64>> {
    attributes::index(operation.attribute(name).ok()?)
}

fn segments<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) -> Vec<usize> {
    operation
        .attribute("operandSegmentSizes")
        .ok()
        .and_then(attributes::integers)
        .map(|sizes| sizes.into_iter().map(|size| size as usize).collect())
        .expect("the verifier checked the operand segments")
}

pub(crate) fn segment<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
    which: usize,
) -> Vec<Value<'c, 'a>> {
    let sizes = segments(operation);
    let start = sizes[..which].iter().sum::<usize>();
    operands(operation)[start..start + sizes[which]].to_vec()
}

impl<'c: 'a, 'a> ApplyOp<'c, 'a> {
    /// The values that the region gets, one per block argument.
    pub fn arguments(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 0)
    }

    /// The fields that the buffer form writes; empty in the value form.
    pub fn destinations(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 1)
    }

    /// The block that computes one point.
    pub fn body(&self) -> BlockRef<'c, 'a> {
        self.0
            .region(0)
            .ok()
            .and_then(|region| region.first_block())
            .expect("the verifier checked that the region has a block")
    }

    /// The points that are computed, where known.
    pub fn bounds(&self) -> Option<Bounds> {
        let declared = || attributes::bounds(self.0.attribute("bounds").ok()?);
        match self.0.results().next() {
            Some(result) => StencilType::of(result.r#type())?.bounds.or_else(declared),
            None => declared(),
        }
    }

    /// Dimensions of the iteration.
    pub fn rank(&self) -> usize {
        match self.0.results().next() {
            Some(result) => StencilType::of(result.r#type()).map_or(0, |r#type| r#type.rank),
            None => self.bounds().map_or(0, |bounds| bounds.rank()),
        }
    }

    /// Element type of each result, or of each destination.
    pub fn elements(&self) -> Vec<Type<'c>> {
        let types = match self.0.result_count() {
            0 => self.destinations().iter().map(ValueLike::r#type).collect::<Vec<_>>(),
            _ => self.0.results().map(|result| result.r#type()).collect(),
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
        operands(self.0)
    }

    /// Unroll factors per dimension, where not all are 1.
    pub fn unroll(&self) -> Option<Vec<i64>> {
        index_attribute(self.0, "unroll")
    }
}

impl<'c: 'a, 'a> AccessOp<'c, 'a> {
    /// The temp or field that is read.
    pub fn source(&self) -> Value<'c, 'a> {
        operand(self.0, 0)
    }

    /// Offset from the current point in each dimension of the source.
    pub fn offset(&self) -> Vec<i64> {
        index_attribute(self.0, "offset").expect("the verifier checked the offset")
    }

    /// For each dimension of the source, which dimension of the iteration it follows.
    pub fn mapping(&self) -> Vec<usize> {
        let mapping = self.0.attribute("offset_mapping").ok().and_then(|attribute| {
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
        operand(self.0, 0)
    }

    /// Absolute coordinates of the cell.
    pub fn indices(&self) -> Vec<Value<'c, 'a>> {
        operands(self.0)[1..].to_vec()
    }

    /// Whether the extent is in coordinates, and not in offsets from the current point.
    pub fn is_absolute(&self) -> bool {
        self.0.has_attribute(ABSOLUTE)
    }

    /// Lowest offset from the current point, or lowest coordinate, that is read.
    pub fn lower(&self) -> Vec<i64> {
        index_attribute(self.0, "lb").expect("the verifier checked the extent")
    }

    /// Highest offset from the current point, or highest coordinate, that is read, inclusive.
    pub fn upper(&self) -> Vec<i64> {
        index_attribute(self.0, "ub").expect("the verifier checked the extent")
    }
}

impl<'c: 'a, 'a> IndexOp<'c, 'a> {
    /// Dimension of the iteration.
    pub fn dimension(&self) -> usize {
        let attribute = self.0.attribute("dim").expect("the verifier checked the dimension");
        attributes::integer(attribute).expect("the dimension is an integer") as usize
    }

    /// What is added to the coordinate.
    pub fn offset(&self) -> i64 {
        let offset = index_attribute(self.0, "offset").expect("the verifier checked the offset");
        offset[self.dimension()]
    }
}

impl<'c: 'a, 'a> StoreOp<'c, 'a> {
    /// The temp whose points are stored.
    pub fn temp(&self) -> Value<'c, 'a> {
        operand(self.0, 0)
    }

    /// The field they go to.
    pub fn field(&self) -> Value<'c, 'a> {
        operand(self.0, 1)
    }

    /// The points.
    pub fn bounds(&self) -> Bounds {
        let attribute = self.0.attribute("bounds").expect("the verifier checked the bounds");
        attributes::bounds(attribute).expect("the bounds are a #stencil.bounds")
    }
}

impl<'c: 'a, 'a> CombineOp<'c, 'a> {
    /// The dimension along which the sides meet.
    pub fn dimension(&self) -> usize {
        let attribute = self.0.attribute("dim").expect("the verifier checked the dimension");
        attributes::integer(attribute).expect("the dimension is an integer") as usize
    }

    /// First coordinate of the upper side.
    pub fn index(&self) -> i64 {
        let attribute = self.0.attribute("index").expect("the verifier checked the index");
        attributes::integer(attribute).expect("the index is an integer")
    }

    /// Temps of the lower side, one per combined result.
    pub fn lower(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 0)
    }

    /// Temps of the upper side, one per combined result.
    pub fn upper(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 1)
    }

    /// Temps that exist on the lower side only; their results follow the combined ones.
    pub fn lower_extra(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 2)
    }

    /// Temps that exist on the upper side only; their results come last.
    pub fn upper_extra(&self) -> Vec<Value<'c, 'a>> {
        segment(self.0, 3)
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
    let inner = apply.body().add_argument(outer.r#type(), apply.0.location());
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
        mlir_sys::mlirOperationSetOperands(apply.0.to_raw(), raw.len() as isize, raw.as_ptr());
    }
    let sizes = DenseI32ArrayAttribute::new(build::context(&apply.0), &sizes).into();
    build::set_attribute(apply.0, "operandSegmentSizes", sizes);
}
