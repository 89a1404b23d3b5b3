//! `stencil-pad-rows`: pad the rows of fields, so that the points of the domain begin at aligned
//! addresses.
//!
//! Before: a function with `stencil.row_alignment`, in bytes, whose fields are as its caller's
//!         arrays.
//! After:  bounds of its fields are wider in the last dimension: the first point that is written of
//!         a row lies at a multiple of that alignment, and so does the next row. Arguments say by
//!         `stencil.padding` how many cells, first and last, are not the caller's. The attribute of
//!         the function is gone.
//!
//! Why: memory is accessed in sectors of 32 bytes. A warp whose points begin within one writes two
//! of them in part, which memory reads before it writes, and loads one more than it needs. A halo
//! of two cells, or an odd extent, moves every row.
//! "Written" are the points of the largest store or apply of the function. Allocations are padded
//! as arguments are, since loops rotate both. Fields of lower rank stay, such as tables.
//! What no point reads or writes is not computed, so no result changes. Who launches the kernels
//! copies rows into place; the manifest says how.
//! Refuses an alignment of functions with extents known only at run time, and of fields that become
//! other memory or are passed on.
//! Does not decide: that is `stencil-select-layout`. Does not pad other dimensions.

use crate::{
    analysis::{domain::written, run_time_extents::RunTimeExtents},
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic,
    },
};
use melior::ir::{
    BlockLike, OperationRef, Value, ValueLike, attribute::DenseI64ArrayAttribute,
    operation::OperationLike,
};
use stencil_dialects::{
    Bounds, StencilType, attributes, build,
    ods::stencil::{self, attribute},
    types, walk,
};

/// The table entry.
pub const PAD_ROWS: PassInfo = PassInfo {
    argument: "stencil-pad-rows",
    summary: "pad the rows of fields, so that points begin at aligned addresses",
    source: include_str!("pad_rows.rs"),
    anchor: Anchor::Function,
    options: &[],
    statistics: &[PADDED],
    dialects: &[],
    run: pad_rows,
};

const PADDED: Statistic = statistic("num-padded", "arguments and allocations with padded rows");

fn pad_rows(function: OperationRef, _: &OptionValues, cx: &mut PassContext) -> PassResult {
    let asked = function.attribute(attribute::ROW_ALIGNMENT).ok();
    let Some(bytes) = asked.and_then(attributes::integer) else { return Ok(()) };
    let padding =
        Padding::of(function, bytes).map_err(|Unpadded { operation, what, remedy }| {
            refuse(&operation, format!("{what}, so its rows cannot be padded"), remedy)
        })?;
    padding.rewrite(cx);
    build::remove_attribute(function, attribute::ROW_ALIGNMENT);
    Ok(())
}

/// Why rows cannot be padded.
pub struct Unpadded<'c, 'a> {
    /// Where.
    pub operation: OperationRef<'c, 'a>,
    /// What is there.
    pub what: String,
    /// What to do.
    pub remedy: &'static str,
}

/// The fields of a function with rows of their own: those of the rank of the domain.
pub struct Padding<'c, 'a> {
    function: OperationRef<'c, 'a>,
    /// The coordinate of the first point that is written of a row.
    start: i64,
    rank: usize,
    bytes: i64,
}

impl<'c: 'a, 'a> Padding<'c, 'a> {
    /// What aligns the rows of a function to so many bytes.
    ///
    /// # Errors
    /// Why they have the layout that they have.
    pub fn of(function: OperationRef<'c, 'a>, bytes: i64) -> Result<Self, Unpadded<'c, 'a>> {
        let no = |operation, what: &str, remedy| {
            Err(Unpadded { operation, what: what.to_owned(), remedy })
        };
        if RunTimeExtents::of(function).is_some() {
            return no(function, "has extents known only at run time", "compile it for one size");
        }
        let foreign = walk::nested(function).into_iter().find(|op| touches(*op) && !keeps(op));
        if let Some(foreign) = foreign {
            return no(foreign, "makes other memory of a field", "bind or inline it first");
        }
        let writes = written(function).into_iter();
        let largest = writes.max_by_key(|write| write.bounds.extents().iter().product::<i64>());
        let (start, rank) = match &largest {
            Some(write) => (write.bounds.lower[write.bounds.rank() - 1], write.bounds.rank()),
            None => (0, 0),
        };
        Ok(Self { function, start, rank, bytes })
    }

    /// Cells before and after the rows of a field; none for what stays as it is.
    fn cells(&self, field: &StencilType<'c>) -> Option<[i64; 2]> {
        let bounds = field.bounds.as_ref()?;
        let unit = self.bytes / i64::from(types::element_bytes(field.element)?);
        if unit < 2 || self.rank < 2 || bounds.rank() != self.rank {
            return None;
        }
        let last = self.rank - 1;
        let before = (bounds.lower[last] - self.start).rem_euclid(unit);
        let after = -(before + bounds.extents()[last]);
        let cells = [before, after.rem_euclid(unit)];
        (cells != [0, 0]).then_some(cells)
    }

    /// Whether any rows are not aligned.
    pub fn changes(&self) -> bool {
        self.values().iter().any(|value| self.of_value(*value).is_some())
    }

    /// Bytes of the fields that are arguments, without padding.
    pub fn argument_bytes(&self) -> u64 {
        let bytes = |value: Value<'c, 'a>| {
            let field = StencilType::of(value.r#type())?;
            let cells = field.bounds?.extents().iter().product::<i64>();
            Some(cells.unsigned_abs() * u64::from(types::element_bytes(field.element)?))
        };
        self.arguments()
            .into_iter()
            .filter(|it| types::is_field(it.r#type()))
            .filter_map(bytes)
            .sum()
    }

    fn of_value(&self, value: Value<'c, 'a>) -> Option<[i64; 2]> {
        let field = StencilType::of(value.r#type()).filter(StencilType::is_field)?;
        self.cells(&field)
    }

    fn arguments(&self) -> Vec<Value<'c, 'a>> {
        let Some(entry) = build::entry_block(self.function) else { return Vec::new() };
        (0..entry.argument_count()).map(|position| build::argument(entry, position)).collect()
    }

    /// Every value of the function.
    fn values(&self) -> Vec<Value<'c, 'a>> {
        walk::nested(self.function).into_iter().flat_map(walk::values).collect()
    }

    fn rewrite(&self, cx: &mut PassContext) {
        let context = build::context(&self.function);
        for (position, argument) in self.arguments().into_iter().enumerate() {
            if let Some(cells) = self.of_value(argument) {
                let cells = DenseI64ArrayAttribute::new(context, &cells).into();
                build::set_argument_attribute(self.function, position, attribute::PADDING, cells);
                cx.count(PADDED, 1);
            }
        }
        for value in self.values() {
            let Some([before, after]) = self.of_value(value) else { continue };
            let Some(field) = StencilType::of(value.r#type()) else { continue };
            let Some(Bounds { mut lower, mut upper }) = field.bounds else { continue };
            lower[self.rank - 1] -= before;
            upper[self.rank - 1] += after;
            let bounds = Bounds { lower, upper };
            value.set_type(types::field(context, &bounds, field.element));
            if walk::definition(value).is_some_and(|it| walk::name(&it) == stencil::ALLOC) {
                cx.count(PADDED, 1);
            }
        }
        build::update_function_type(self.function);
    }
}

/// Whether an op has a field.
fn touches(operation: OperationRef) -> bool {
    operation.operands().any(|operand| types::is_field(operand.r#type()))
        || operation.results().any(|result| types::is_field(result.r#type()))
}

/// Whether a field remains one of the same bounds there.
fn keeps(operation: &OperationRef) -> bool {
    let name = walk::name(operation);
    let is_other = matches!(name, stencil::CAST | stencil::EXTERNAL_LOAD | stencil::EXTERNAL_STORE);
    (name.starts_with("stencil.") && !is_other) || name.starts_with("scf.")
}
