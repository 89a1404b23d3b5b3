//! Operands of `gpu.launch_func`, and its dynamic shared memory.
//!
//! They come in segments, most of which are empty; the sizes of the segments are an attribute.

use melior::ir::{OperationRef, Value, operation::OperationLike, r#type::IntegerType};
use stencil_dialects::{
    attributes,
    build::{self, Inserter},
    ods::gpu,
    walk,
};

/// The operand segments that are read here, by number; the others are async dependencies (0), block
/// (4 to 6), cluster (7 to 9) and the async object (12).
pub const GRID: [usize; 3] = [1, 2, 3];
/// The segment of the dynamic shared memory.
pub const SHARED_BYTES: usize = 10;
/// The segment of the kernel operands.
pub const KERNEL_OPERANDS: usize = 11;

/// Attribute with the sizes of the segments.
const SIZES: &str = "operandSegmentSizes";

/// The operands of one segment.
pub fn segment<'c: 'a, 'a>(launch: OperationRef<'c, 'a>, number: usize) -> Vec<Value<'c, 'a>> {
    let (begin, count) = range(&sizes(launch), number);
    launch.operands().skip(begin).take(count).collect()
}

/// The value of an integer constant.
pub fn constant(value: Value) -> Option<i64> {
    attributes::integer(walk::constant(value)?)
}

/// Sets the bytes of dynamic shared memory of a launch.
pub fn ask_for_shared<'c: 'a, 'a>(launch: OperationRef<'c, 'a>, bytes: i64) {
    let at = Inserter::before(launch);
    let bytes = at.integer(IntegerType::new(at.context(), 32).into(), bytes);
    let mut sizes = sizes(launch);
    let (begin, count) = range(&sizes, SHARED_BYTES);
    if count > 0 {
        build::set_operand(launch, begin, bytes);
        return;
    }
    sizes[SHARED_BYTES] = 1;
    let mut operands = launch.operands().collect::<Vec<_>>();
    operands.insert(begin, bytes);
    let sizes = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let mut attributes = build::attributes(&launch);
    attributes.retain(|(name, _)| name != SIZES);
    let sizes = build::attribute(at.context(), &format!("array<i32: {sizes}>"));
    attributes.push((SIZES.to_owned(), sizes));
    let attributes = attributes.iter().map(|(name, value)| (name.as_str(), *value));
    at.create(gpu::LAUNCH_FUNC, &operands, &attributes.collect::<Vec<_>>(), &[], Vec::new());
    build::erase(launch);
}

fn sizes(launch: OperationRef) -> Vec<i64> {
    launch.attribute(SIZES).ok().and_then(attributes::integers).unwrap_or_default()
}

/// Where a segment begins, and how many operands it has.
fn range(sizes: &[i64], number: usize) -> (usize, usize) {
    let count = |size: Option<&i64>| size.and_then(|size| usize::try_from(*size).ok()).unwrap_or(0);
    let begin = sizes.iter().take(number).map(|size| count(Some(size))).sum();
    (begin, count(sizes.get(number)))
}
