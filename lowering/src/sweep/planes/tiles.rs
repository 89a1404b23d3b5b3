//! The type of tiles, tiles of zeros, and which fields are the same memory.

use melior::ir::{Type, Value, operation::OperationLike};
use stencil_dialects::{
    build::Inserter,
    ods::{stencil, sweep as ops},
    walk,
};

/// The type of a tile.
pub fn tile_type<'c>(at: Inserter<'c, '_>, element: Type<'c>) -> Type<'c> {
    Type::parse(at.context(), &format!("!sweep.tile<{element}>")).expect("the text is a type")
}

/// A tile of zeros.
pub fn zero<'c: 'a, 'a>(at: Inserter<'c, 'a>, element: Type<'c>) -> Value<'c, 'a> {
    let zero = match melior::ir::TypeLike::is_float(&element) {
        true => at.float(element, 0.0),
        false => at.integer(element, 0),
    };
    ops::splat(at, tile_type(at, element), zero)
}

/// A field without casts, which name the same memory.
pub fn bare<'c: 'a, 'a>(field: Value<'c, 'a>) -> Value<'c, 'a> {
    match walk::definition(field) {
        Some(cast) if walk::name(&cast) == stencil::CAST => {
            bare(cast.operand(0).expect("a cast has an operand"))
        }
        _ => field,
    }
}
