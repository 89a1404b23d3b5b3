//! `stencil-convert-element-type`: convert a program from one float type to another, f64 to f32 by
//! default.
//!
//! Before: fields, temps, scalars and constants of the float type `from`.
//! After:  all of them of the type `to`; constants are rounded once to it.
//!
//! Why: precision is part of every type of a program. A user wants to know the performance at half
//! the bytes, and a benchmark runs one program in both types.
//! Extensions and truncations between the two types disappear; those to a third type become
//! conversions from the new one.
//! Functions that are only declared, calls of them and ops of the llvm dialect keep their types,
//! which are defined elsewhere.
//! Refuses a constant that would overflow or underflow to zero in the new type, bit casts, and
//! arithmetic on values that keep their type.
//! Keeps integers, other float types and fastmath flags. Run it first: other passes round constants
//! in the old type.
//! Does not check the accuracy of results.

use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, refuse, statistic, text,
};
use melior::ir::{
    Attribute, OperationRef, Type, Value, ValueLike, attribute::FloatAttribute,
    operation::OperationLike,
};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, func},
    walk::{self, ValueKey},
};

/// The table entry.
pub const CONVERT_ELEMENT_TYPE: PassInfo = PassInfo {
    argument: "stencil-convert-element-type",
    summary: "convert a program from one float type to another",
    source: include_str!("convert_element_type.rs"),
    anchor: Anchor::Module,
    options: &[
        text("from", "the float type to replace: f16, bf16, f32 or f64", "f64"),
        text("to", "the float type to put in its place", "f32"),
    ],
    statistics: &[RETYPED, ROUNDED],
    dialects: &["arith"],
    run: convert_element_type,
};

const RETYPED: Statistic = statistic("num-retyped", "values that got another type");
const ROUNDED: Statistic = statistic("num-rounded", "constants that changed their value");

/// Float types by name, with their widths in bits.
const FLOATS: [(&str, u32); 4] = [("f16", 16), ("bf16", 16), ("f32", 32), ("f64", 64)];

fn convert_element_type(
    module: OperationRef,
    options: &OptionValues,
    cx: &mut PassContext,
) -> PassResult {
    let (from, to) = (options.text("from"), options.text("to"));
    if let Some(wrong) = [from, to].into_iter().find(|name| width(name).is_none()) {
        let what = format!("cannot have elements of type '{wrong}'");
        return Err(refuse(&module, what, "name f16, bf16, f32 or f64"));
    }
    if from == to {
        return Ok(());
    }
    let conversion = Conversion::legal(module, from, to)?;
    conversion.rewrite(cx);
    Ok(())
}

fn width(name: &str) -> Option<u32> {
    FLOATS.iter().find(|(known, _)| *known == name).map(|(_, width)| *width)
}

/// A conversion known to be legal. Only `legal` makes one, so `rewrite` checks nothing again.
struct Conversion<'c, 'a> {
    from: &'c str,
    to: &'c str,
    /// Ops that are changed.
    operations: Vec<OperationRef<'c, 'a>>,
    /// New attributes.
    attributes: Vec<(OperationRef<'c, 'a>, String, Attribute<'c>)>,
    rounded: u64,
}

impl<'c: 'a, 'a> Conversion<'c, 'a> {
    fn legal(module: OperationRef<'c, 'a>, from: &'c str, to: &'c str) -> PassResult<Self> {
        let all = walk::nested(module);
        let declared = all.iter().filter(|operation| is_declaration(**operation));
        let declared: HashSet<String> =
            declared.filter_map(|function| symbol(*function, "sym_name")).collect();
        let is_foreign = |operation: &OperationRef| {
            let callee = symbol(*operation, "callee");
            walk::name(operation).starts_with("llvm.")
                || is_declaration(*operation)
                || callee.is_some_and(|name| declared.contains(&name))
        };
        let (foreign, own): (Vec<_>, Vec<_>) = all.into_iter().partition(is_foreign);
        let mut conversion =
            Conversion { from, to, operations: own, attributes: Vec::new(), rounded: 0 };
        conversion.check_borders(&foreign)?;
        for operation in conversion.operations.clone() {
            conversion.check_cast(operation)?;
            conversion.plan_attributes(operation)?;
        }
        Ok(conversion)
    }

    /// Refuses values of the old type between changed and unchanged ops.
    fn check_borders(&self, foreign: &[OperationRef<'c, 'a>]) -> PassResult {
        let keys = |operation: &OperationRef<'c, 'a>| {
            operation.results().map(|result| ValueKey::of(&result)).collect::<Vec<_>>()
        };
        let kept: HashSet<ValueKey> = foreign.iter().flat_map(keys).collect();
        let crosses = |operation: &OperationRef<'c, 'a>, is_own: bool| {
            operation.operands().any(|operand| {
                self.changes(operand.r#type()) && kept.contains(&ValueKey::of(&operand)) == is_own
            })
        };
        let own = self.operations.iter().map(|operation| (operation, true));
        let foreign = foreign.iter().map(|operation| (operation, false));
        match own.chain(foreign).find(|(operation, is_own)| crosses(operation, *is_own)) {
            None => Ok(()),
            Some((operation, _)) => {
                let what = format!("uses a number of type {} that keeps its type", self.from);
                let remedy = "functions without a body and the llvm dialect keep their types; \
                              change the program by hand";
                Err(refuse(operation, what, remedy))
            }
        }
    }

    fn check_cast(&self, operation: OperationRef<'c, 'a>) -> PassResult {
        let changes = |value: Value| self.changes(value.r#type());
        let name = walk::name(&operation);
        let is_bits = name.ends_with("bitcast")
            && (operation.operands().any(changes)
                || operation.results().any(|result| changes(result.into())));
        if is_bits {
            let what = format!("reads the bits of a number of type {}", self.from);
            return Err(refuse(&operation, what, "change the program by hand"));
        }
        if let Some((old, new)) = self.ends_of_cast(operation)
            && old != new
            && width(&old) == width(&new)
        {
            let what = format!("would convert {old} to {new}, for which there is no operation");
            return Err(refuse(&operation, what, "choose another type"));
        }
        Ok(())
    }

    /// Source and result type of an extension or truncation after the conversion.
    fn ends_of_cast(&self, operation: OperationRef<'c, 'a>) -> Option<(String, String)> {
        let is_cast = CASTS.contains(&walk::name(&operation));
        let ends = [operation.operands().next()?, operation.results().next()?.into()];
        let [old, new] = ends.map(|value| self.text_of(&value.r#type().to_string()));
        is_cast.then_some((old, new))
    }

    fn plan_attributes(&mut self, operation: OperationRef<'c, 'a>) -> PassResult {
        let context = build::context(&operation);
        let to = Type::parse(context, self.to).expect("names of float types are types");
        for (name, attribute) in build::attributes(&operation) {
            if !self.names_it(&attribute.to_string()) {
                continue;
            }
            let number = FloatAttribute::try_from(attribute).ok().map(|number| number.value());
            let changed = match number {
                Some(old) => {
                    let new = FloatAttribute::new(context, to, old);
                    let value = new.value();
                    let is_lost =
                        value.is_infinite() && old.is_finite() || value == 0.0 && old != 0.0;
                    if is_lost {
                        let what = format!("is {old:e}, which would be {value} in {}", self.to);
                        return Err(refuse(&operation, what, "scale the program's numbers"));
                    }
                    self.rounded += u64::from(value != old);
                    Some(new.into())
                }
                None => Attribute::parse(context, &self.text_of(&attribute.to_string())),
            };
            let Some(changed) = changed else {
                let what = format!("has an attribute '{name}' that is not convertible");
                return Err(refuse(&operation, what, "change the program by hand"));
            };
            self.attributes.push((operation, name, changed));
        }
        Ok(())
    }

    /// Builds; cannot refuse.
    fn rewrite(self, cx: &mut PassContext) {
        let mut types: HashMap<String, Type<'c>> = HashMap::new();
        let mut retype = |value: Value<'c, 'a>, operation: &OperationRef<'c, 'a>| {
            let text = value.r#type().to_string();
            if !self.names_it(&text) {
                return;
            }
            let changed = self.text_of(&text);
            let context = build::context(operation);
            let parsed = || Type::parse(context, &changed).expect("a type with another element");
            value.set_type(*types.entry(text).or_insert_with(parsed));
            cx.count(RETYPED, 1);
        };
        for operation in &self.operations {
            walk::values(*operation).into_iter().for_each(|value| retype(value, operation));
        }
        for (operation, name, attribute) in &self.attributes {
            build::set_attribute(*operation, name, *attribute);
        }
        cx.count(ROUNDED, self.rounded);
        self.operations.iter().for_each(|operation| fix_cast(*operation));
    }

    fn changes(&self, r#type: Type) -> bool {
        self.names_it(&r#type.to_string())
    }

    fn names_it(&self, text: &str) -> bool {
        self.text_of(text) != text
    }

    /// The text of a type or attribute with the new element type.
    fn text_of(&self, text: &str) -> String {
        with_element(text, self.from, self.to)
    }
}

const EXTENSION: &str = arith::EXTF;
const TRUNCATION: &str = arith::TRUNCF;
const CASTS: [&str; 2] = [EXTENSION, TRUNCATION];

/// Removes a cast between equal types, and reverses one whose direction changed.
fn fix_cast<'c: 'a, 'a>(operation: OperationRef<'c, 'a>) {
    let name = walk::name(&operation);
    if !CASTS.contains(&name) {
        return;
    }
    let operand = operation.operands().next().expect("a cast has an operand");
    let result = build::single(operation);
    let (old, new) = (operand.r#type().to_string(), result.r#type().to_string());
    let replacement = match (width(&old), width(&new)) {
        _ if old == new => operand,
        (Some(old), Some(new)) => {
            let wanted = if new > old { EXTENSION } else { TRUNCATION };
            if wanted == name {
                return;
            }
            Inserter::before(operation).value(wanted, &[operand], &[], result.r#type())
        }
        _ => return,
    };
    build::replace_uses(result, replacement);
    build::erase(operation);
}

/// Replaces a type's name on its own or after an extent, as in `4xf64`.
fn with_element(text: &str, from: &str, to: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let starts = before.chars().next_back().is_none_or(|c| !is_word(c) || c == 'x');
        let ends = after.chars().next().is_none_or(|c| !is_word(c));
        replaced.push_str(before);
        replaced.push_str(if starts && ends { to } else { from });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

fn is_declaration(operation: OperationRef) -> bool {
    walk::name(&operation) == func::FUNC && build::entry_block(operation).is_none()
}

fn symbol(operation: OperationRef, attribute: &str) -> Option<String> {
    let text = operation.attribute(attribute).ok()?.to_string();
    Some(text.trim_start_matches('@').trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::with_element;

    #[test]
    fn names_are_replaced_where_they_are_types() {
        for (text, changed) in [
            ("f64", "f32"),
            ("!stencil.field<[0,64]x[-4,68]xf64>", "!stencil.field<[0,64]x[-4,68]xf32>"),
            ("(memref<4x?xf64, 1>, i64) -> f64", "(memref<4x?xf32, 1>, i64) -> f32"),
            ("vector<4xbf64>", "vector<4xbf64>"),
            ("@f64_kernel", "@f64_kernel"),
            ("tuple<f640, af64>", "tuple<f640, af64>"),
        ] {
            assert_eq!(with_element(text, "f64", "f32"), changed);
        }
        assert_eq!(with_element("2xbf16", "f16", "f32"), "2xbf16");
    }
}
