//! Accessors and constructors of `#stencil.index`, `#stencil.bounds`, `#stencil.plan` and of the
//! builtin attributes that the ops use.

use crate::{Bounds, ffi};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike, Identifier, Type,
        attribute::{
            ArrayAttribute, BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute,
            DictionaryAttribute, IntegerAttribute, StringAttribute,
        },
        r#type::IntegerType,
    },
};
use std::{collections::BTreeMap, sync::OnceLock};
pub use stencil_model::plan::PlanValue;

/// The numbers of a `#stencil.index`; none if the attribute is another.
pub fn index(attribute: Attribute) -> Option<Vec<i64>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is live, and the getters are called on an index attribute only.
    unsafe {
        ffi::stencilAttributeIsAIndex(raw).then(|| {
            (0..ffi::stencilIndexAttrGetSize(raw))
                .map(|position| ffi::stencilIndexAttrGetValue(raw, position))
                .collect()
        })
    }
}

/// Constructs `#stencil.index<[..]>`.
pub fn make_index<'c>(context: &'c Context, values: &[i64]) -> Attribute<'c> {
    // SAFETY: `values` holds as many numbers as stated.
    unsafe {
        Attribute::from_raw(ffi::stencilIndexAttrGet(
            context.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// The box of a `#stencil.bounds`, or of the dictionary that [`make_plain_bounds`] makes; none if
/// the attribute is another.
pub fn bounds(attribute: Attribute) -> Option<Bounds> {
    if let Ok(plain) = DictionaryAttribute::try_from(attribute) {
        let corner = |name| plain.element_by_name(name).and_then(integers);
        return Some(Bounds { lower: corner(LOWER)?, upper: corner(UPPER)? });
    }
    let raw = attribute.to_raw();
    // SAFETY: the attribute is live, and the getters are called on a bounds attribute only.
    unsafe {
        ffi::stencilAttributeIsABounds(raw).then(|| {
            let rank = ffi::stencilBoundsAttrGetRank(raw);
            Bounds {
                lower: (0..rank).map(|d| ffi::stencilBoundsAttrGetLower(raw, d)).collect(),
                upper: (0..rank).map(|d| ffi::stencilBoundsAttrGetUpper(raw, d)).collect(),
            }
        })
    }
}

/// Constructs `#stencil.bounds<[..], [..]>`.
pub fn make_bounds<'c>(context: &'c Context, bounds: &Bounds) -> Attribute<'c> {
    // SAFETY: both arrays hold `rank` numbers.
    unsafe {
        Attribute::from_raw(ffi::stencilBoundsAttrGet(
            context.to_raw(),
            bounds.rank() as isize,
            bounds.lower.as_ptr(),
            bounds.upper.as_ptr(),
        ))
    }
}

/// `{lower = array<i64: ..>, upper = array<i64: ..>}`: bounds as builtin attributes, for tools
/// without the dialect.
pub fn make_plain_bounds<'c>(context: &'c Context, bounds: &Bounds) -> Attribute<'c> {
    let corner = |name, corner: &[i64]| {
        (Identifier::new(context, name), DenseI64ArrayAttribute::new(context, corner).into())
    };
    let corners = [corner(LOWER, &bounds.lower), corner(UPPER, &bounds.upper)];
    DictionaryAttribute::new(context, &corners).into()
}

const LOWER: &str = "lower";
const UPPER: &str = "upper";

/// The integer of an integer attribute.
pub fn integer(attribute: Attribute) -> Option<i64> {
    IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
}

/// The text of a string attribute; invalid UTF-8 is replaced.
pub fn string(attribute: Attribute) -> Option<String> {
    let attribute = StringAttribute::try_from(attribute).ok()?;
    // melior's `value` indexes the last byte, which an empty string does not have.
    // SAFETY: the attribute is live, and is a string.
    Some(ffi::text(unsafe { mlir_sys::mlirStringAttrGetValue(attribute.to_raw()) }))
}

/// The numbers of an `array<i32: ..>`, `array<i64: ..>`, or of an array of integers.
pub fn integers(attribute: Attribute) -> Option<Vec<i64>> {
    if let Ok(array) = DenseI32ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|i| array.element(i).ok().map(i64::from)).collect();
    }
    if let Ok(array) = DenseI64ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|i| array.element(i).ok()).collect();
    }
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|i| integer(array.element(i).ok()?)).collect()
}

fn plan_tree(dictionary: DictionaryAttribute) -> BTreeMap<String, PlanValue> {
    (0..dictionary.len())
        .filter_map(|position| dictionary.element(position).ok())
        .map(|(name, value)| {
            let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
            (name, plan_value(value))
        })
        .collect()
}

fn plan_value(value: Attribute) -> PlanValue {
    // A flag is an integer attribute of one bit.
    if BoolAttribute::try_from(value).is_ok() {
        return PlanValue::Other(value.to_string());
    }
    if let Some(number) = integer(value) {
        return PlanValue::Integer(number);
    }
    if let Some(text) = string(value) {
        return PlanValue::Text(text);
    }
    match integers(value) {
        Some(numbers) => PlanValue::Integers(numbers),
        None => PlanValue::Other(value.to_string()),
    }
}

/// The keys and values of a `#stencil.plan`, or of the dictionary that [`make_plain_plan`] makes;
/// none if the attribute is another.
pub fn plan(attribute: Attribute) -> Option<BTreeMap<String, PlanValue>> {
    if let Ok(plain) = DictionaryAttribute::try_from(attribute) {
        return Some(plan_tree(plain));
    }
    let raw = attribute.to_raw();
    // SAFETY: the attribute is live; its dictionary is read from a plan attribute only.
    let dictionary = unsafe {
        if !ffi::stencilAttributeIsAPlan(raw) {
            return None;
        }
        Attribute::from_raw(ffi::stencilPlanAttrGetDictionary(raw))
    };
    DictionaryAttribute::try_from(dictionary).ok().map(plan_tree)
}

/// Constructs `#stencil.plan<{..}>`.
pub fn make_plan<'c>(context: &'c Context, tree: &BTreeMap<String, PlanValue>) -> Attribute<'c> {
    let dictionary = make_plain_plan(context, tree);
    // SAFETY: the dictionary belongs to the context.
    unsafe { Attribute::from_raw(ffi::stencilPlanAttrGet(context.to_raw(), dictionary.to_raw())) }
}

/// A plan as a builtin dictionary, for tools without the dialect.
pub fn make_plain_plan<'c>(
    context: &'c Context,
    tree: &BTreeMap<String, PlanValue>,
) -> Attribute<'c> {
    let i64_type = IntegerType::new(context, 64).into();
    let entries = tree
        .iter()
        .map(|(name, value)| {
            (Identifier::new(context, name), plan_attribute(context, i64_type, value))
        })
        .collect::<Vec<_>>();
    DictionaryAttribute::new(context, &entries).into()
}

fn plan_attribute<'c>(
    context: &'c Context,
    i64_type: Type<'c>,
    value: &PlanValue,
) -> Attribute<'c> {
    match value {
        PlanValue::Integer(number) => IntegerAttribute::new(i64_type, *number).into(),
        PlanValue::Text(text) | PlanValue::Other(text) => {
            StringAttribute::new(context, text).into()
        }
        PlanValue::Integers(numbers) => DenseI64ArrayAttribute::new(context, numbers).into(),
    }
}

/// Verifies a plan's keys and values; returns the error messages.
pub type PlanCheck = fn(&BTreeMap<String, PlanValue>) -> Vec<String>;

static PLAN_CHECK: OnceLock<PlanCheck> = OnceLock::new();

/// Installs the schema that verifies every `#stencil.plan` of the process. Only the first call has
/// an effect.
pub fn set_plan_check(check: PlanCheck) {
    if PLAN_CHECK.set(check).is_ok() {
        // SAFETY: the function lives as long as the process.
        unsafe { ffi::stencilSetPlanVerifier(verify_plan) };
    }
}

extern "C" fn verify_plan(
    dictionary: mlir_sys::MlirAttribute,
    emit: ffi::EmitFault,
    user_data: *mut std::ffi::c_void,
) -> bool {
    // SAFETY: C++ hands over a live dictionary attribute.
    let attribute = unsafe { Attribute::from_raw(dictionary) };
    let (Ok(dictionary), Some(check)) =
        (DictionaryAttribute::try_from(attribute), PLAN_CHECK.get())
    else {
        return true;
    };
    let problems = check(&plan_tree(dictionary));
    for problem in &problems {
        emit(ffi::string_ref(problem), user_data);
    }
    problems.is_empty()
}
