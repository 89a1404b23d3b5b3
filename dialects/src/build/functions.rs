//! Functions: their arguments, the attributes of these, and their types.

use super::{argument, context, set_attribute};
use crate::{ods::func, walk};
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, OperationRef, Type, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};

/// Adds an argument of a type to a function: to its entry block and its type.
pub fn add_function_argument<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    r#type: Type<'c>,
    attributes: &[(&str, Attribute<'c>)],
) -> Value<'c, 'a> {
    let context = context(&function);
    let entry = entry_block(function).expect("the function has a body");
    let value = entry.add_argument(r#type, function.location());
    update_function_type(function);
    let count = entry.argument_count();
    let entries = attributes
        .iter()
        .map(|(name, value)| (Identifier::new(context, name), *value))
        .collect::<Vec<_>>();
    let added = DictionaryAttribute::new(context, &entries).into();
    let mut all = argument_attributes(function);
    all.resize(count - 1, DictionaryAttribute::new(context, &[]).into());
    all.push(added);
    let all = ArrayAttribute::new(context, &all).into();
    set_attribute(function, "arg_attrs", all);
    value
}

/// Removes an argument that nothing uses from a function: from its entry block, its type, its
/// attributes, and its list of names.
pub fn remove_function_argument<'c: 'a, 'a>(function: OperationRef<'c, 'a>, position: usize) {
    let entry = entry_block(function).expect("the function has a body");
    assert!(walk::uses(argument(entry, position)).is_empty(), "nothing uses the argument");
    // SAFETY: the block is live, has the argument, and nothing uses it.
    unsafe { mlir_sys::mlirBlockEraseArgument(entry.to_raw(), position as u32) };
    update_function_type(function);
    for list in ["arg_attrs", "param_names"] {
        let array = function.attribute(list).ok();
        let array = array.and_then(|it| ArrayAttribute::try_from(it).ok());
        let Some(array) = array.filter(|array| position < array.len()) else { continue };
        let kept = (0..array.len()).filter(|at| *at != position);
        let kept = kept.filter_map(|at| array.element(at).ok()).collect::<Vec<_>>();
        let kept = ArrayAttribute::new(context(&function), &kept);
        set_attribute(function, list, kept.into());
    }
}

/// The attribute dictionaries of a function's arguments; empty where none has attributes.
pub fn argument_attributes<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Vec<Attribute<'c>> {
    let Ok(attribute) = function.attribute("arg_attrs") else { return Vec::new() };
    let Ok(array) = ArrayAttribute::try_from(attribute) else {
        return Vec::new();
    };
    (0..array.len()).filter_map(|position| array.element(position).ok()).collect()
}

/// One attribute of a function's argument.
pub fn argument_attribute<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    argument: usize,
    name: &str,
) -> Option<Attribute<'c>> {
    let dictionary = *argument_attributes(function).get(argument)?;
    DictionaryAttribute::try_from(dictionary).ok()?.element_by_name(name)
}

/// Sets an attribute of a function's argument.
pub fn set_argument_attribute<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    argument: usize,
    name: &str,
    value: Attribute<'c>,
) {
    let context = context(&function);
    let mut all = argument_attributes(function);
    let count = entry_block(function).map_or(0, |entry| entry.argument_count());
    all.resize(count, DictionaryAttribute::new(context, &[]).into());
    let own = DictionaryAttribute::try_from(all[argument]).expect("attributes are dictionaries");
    let is_set = (Identifier::new(context, name), value);
    let entries = (0..own.len()).filter_map(|position| own.element(position).ok());
    let entries = entries.filter(|(other, _)| *other != is_set.0).chain([is_set]);
    let own = DictionaryAttribute::new(context, &entries.collect::<Vec<_>>());
    all[argument] = own.into();
    set_attribute(function, "arg_attrs", ArrayAttribute::new(context, &all).into());
}

/// Makes a function's type agree with its entry block's arguments and with its terminator's
/// operands.
pub fn update_function_type<'c: 'a, 'a>(function: OperationRef<'c, 'a>) {
    let context = context(&function);
    let Some(entry) = entry_block(function) else { return };
    let inputs = (0..entry.argument_count())
        .filter_map(|position| Some(entry.argument(position).ok()?.r#type()))
        .collect::<Vec<_>>();
    let end = walk::operations(entry).pop().filter(|end| walk::name(end) == func::RETURN);
    let results = match end {
        Some(end) => end.operands().map(|operand| operand.r#type()).collect::<Vec<_>>(),
        None => function_type(function).map(results_of).unwrap_or_default(),
    };
    let updated = FunctionType::new(context, &inputs, &results).into();
    set_attribute(function, "function_type", TypeAttribute::new(updated).into());
}

fn results_of(r#type: FunctionType) -> Vec<Type> {
    (0..r#type.result_count()).filter_map(|position| r#type.result(position).ok()).collect()
}

/// The type of a function.
pub fn function_type<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Option<FunctionType<'c>> {
    let attribute = function.attribute("function_type").ok()?;
    FunctionType::try_from(TypeAttribute::try_from(attribute).ok()?.value()).ok()
}

/// The first block of a function's body; none for a declaration.
pub fn entry_block<'c: 'a, 'a>(function: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    melior::ir::RegionLike::first_block(&function.region(0).ok()?)
}
