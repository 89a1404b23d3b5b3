//! What a host function takes: buffers for fields, scalars, and the extents that are given at run
//! time.

use super::sizes::Sizes;
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, OperationRef, Region, Type, Value, ValueLike,
    attribute::{ArrayAttribute, DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::{FunctionType, MemRefType},
};
use stencil_dialects::{
    StencilType, attributes,
    build::{self, Inserter},
    ods::{func, stencil::attribute},
    types::{self, Number},
};
use stencil_passes::{
    analysis::run_time_extents,
    framework::{Failed, PassResult, refuse},
};

/// `memref<Nxelement>` for so many points; their number may be unknown.
pub fn flat<'c: 'a, 'a>(
    user: OperationRef<'c, 'a>,
    points: Option<i64>,
    element: Type<'c>,
) -> PassResult<Type<'c>> {
    if types::element_bytes(element).is_none() {
        return Err(refuse(&user, format!("has elements of type {element}"), Number::ELEMENTS));
    }
    let points = points.unwrap_or(i64::MIN);
    Ok(MemRefType::new(element, &[points], None, None).into())
}

/// The new function, before the old one, with an empty body.
pub fn new_function<'c: 'a, 'a>(
    old: OperationRef<'c, 'a>,
    entry: BlockRef<'c, 'a>,
    sizes: &Sizes<'c, 'a>,
) -> PassResult<OperationRef<'c, 'a>> {
    let context = build::context(&old);
    let (mut types, mut dictionaries) = (Vec::new(), Vec::new());
    let old_attributes = build::argument_attributes(old);
    for position in 0..entry.argument_count() {
        let argument = build::argument(entry, position);
        let mut entries = old_attributes
            .get(position)
            .and_then(|attribute| DictionaryAttribute::try_from(*attribute).ok())
            .map(|dictionary| {
                (0..dictionary.len()).filter_map(|i| dictionary.element(i).ok()).collect::<Vec<_>>()
            })
            .unwrap_or_default();
        types.push(argument_type(old, argument, position, sizes, &mut entries)?);
        dictionaries.push(Attribute::from(DictionaryAttribute::new(context, &entries)));
    }
    for d in 0..sizes.extents().map_or(0, |extents| extents.reference.rank()) {
        let number = build::attribute(context, &format!("{d} : i64"));
        let entry = (Identifier::new(context, attribute::EXTENT), number);
        types.push(Type::index(context));
        dictionaries.push(Attribute::from(DictionaryAttribute::new(context, &[entry])));
    }
    let function_type = FunctionType::new(context, &types, &[]).into();
    let mut kept = build::attributes(&old);
    kept.retain(|(name, _)| name != "function_type" && name != "arg_attrs" && name != "res_attrs");
    let mut attributes =
        kept.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    attributes.push(("function_type", TypeAttribute::new(function_type).into()));
    attributes.push(("arg_attrs", ArrayAttribute::new(context, &dictionaries).into()));
    let region: Region = build::region_with_block(&types, old.location());
    Ok(Inserter::before(old).create(func::FUNC, &[], &attributes, &[], vec![region]))
}

fn argument_type<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    argument: Value<'c, 'a>,
    position: usize,
    sizes: &Sizes<'c, 'a>,
    entries: &mut Vec<(Identifier<'c>, Attribute<'c>)>,
) -> PassResult<Type<'c>> {
    let context = build::context(&function);
    let Some(field) = StencilType::of(argument.r#type()) else { return Ok(argument.r#type()) };
    let unusable = |why: &str| -> Failed {
        let what = format!("has an argument {position} that {why}");
        refuse(&function, what, "arguments are fields with bounds, and scalars")
    };
    if !types::is_field(argument.r#type()) {
        return Err(unusable("is a temp or a result"));
    }
    let Some(bounds) = field.bounds else { return Err(unusable("is a field of unknown bounds")) };
    let stated = Identifier::new(context, attribute::FOLLOWS);
    entries.retain(|(name, _)| *name != stated);
    let mut entry = |name, value| entries.push((Identifier::new(context, name), value));
    entry(attribute::BOUNDS, attributes::make_plain_bounds(context, &bounds));
    if sizes.extents().is_some() {
        let follows = sizes.followed(function, argument, &bounds)?.into_iter();
        entry(attribute::FOLLOWS, run_time_extents::follows(context, follows));
    }
    let points = sizes.bounds(function, argument, &bounds)?.points().constant();
    flat(function, points, field.element)
}
