//! One program at several sizes in one module.
//!
//! Sizes are part of a kernel: extents are constants in its code. Where a program is to run on
//! fields of several sizes, the text is read once for each, and the module holds a function for
//! each: the base under its own name, the others under a name that ends with the size, with the
//! attribute `stencil.variant_of`. A launcher chooses by the extents of the fields it is given.

use crate::{
    DriverError,
    input::Input,
    open_sizes,
    reading::Reading,
    session::{self, Session},
};
use melior::ir::{BlockLike, Module, OperationRef, operation::OperationLike};
use stencil_dialects::{attributes, build, ods::stencil::attribute};
use stencil_passes::analysis::run_time_extents::RunTimeExtents;

/// Reads a program, and once more for each size.
pub fn read<'c>(
    session: &Session<'c>,
    input: &Input,
    reading: &Reading,
    sizes: &[String],
) -> Result<Module<'c>, DriverError> {
    let module = session.read(reading)?;
    if !reading.open.is_empty() {
        open_sizes::settle(session, input, reading, &module)?;
    }
    if reading.has_run_time_sizes() {
        add_swept(session, &module)?;
    }
    for size in sizes {
        let (at_size, suffix) = reading.at(size)?;
        let read = session.read(&at_size)?;
        // What a function calls becomes part of it: there is nothing else to be renamed.
        let alone = session.inlined(&read)?;
        let added = add(&module, &alone, &suffix)?;
        if added == 0 {
            let problem = "gives no function fields of other extents than those it has already";
            return Err(DriverError::Option(format!("--size {size} {problem}; remove it")));
        }
    }
    Ok(module)
}

/// Adds to each public function whose extents are given at run time two variants that may have
/// sweeps, which are right from some extents on: the first for rows that are aligned as those of
/// the reference, the second for others. Those that are left without a sweep are erased where plans
/// are chosen, but for the first where alignment makes other plans of its kernels.
pub fn add_swept<'c>(session: &Session<'c>, module: &Module<'c>) -> Result<(), DriverError> {
    let context = build::context(&module.as_operation());
    // What a function calls becomes part of it: there is nothing else to be renamed.
    let alone = session.inlined(module)?;
    for (base, function) in public_functions(&alone) {
        let Some(extents) = RunTimeExtents::of(function) else { continue };
        let aligned = extents.for_aligned_rows(function);
        let variants = [("_aligned", aligned), ("_swept", Some(extents))];
        for (suffix, extents) in variants {
            let Some(extents) = extents else { continue };
            let name = free_name(module, &base, suffix)?;
            let copy = module.body().append_operation(build::clone(function));
            build::set_attribute(copy, "sym_name", build::string(context, &name));
            build::set_attribute(copy, attribute::VARIANT_OF, build::string(context, &base));
            let extents = extents.attribute(context);
            build::set_attribute(copy, attribute::RUN_TIME_EXTENTS, extents);
        }
    }
    Ok(())
}

/// The name of a variant, which no function may have.
fn free_name(module: &Module, base: &str, suffix: &str) -> Result<String, DriverError> {
    let name = format!("{base}{suffix}");
    if public_functions(module).iter().any(|(known, _)| *known == name) {
        let problem = format!("the program has a function '{name}' already");
        let remedy = format!("rename it: variants of '{base}' are called by their size");
        return Err(DriverError::Option(format!("{problem}; {remedy}")));
    }
    Ok(name)
}

/// Adds the public functions of a module to another one, as variants of those of the same names;
/// gives their number. Functions that a size leaves as they are, are not added.
fn add(module: &Module, at_size: &Module, suffix: &str) -> Result<usize, DriverError> {
    let context = build::context(&module.as_operation());
    let mut added = 0;
    for (base, function) in public_functions(at_size) {
        let present = public_functions(module);
        let family = present.iter().filter(|(name, of)| *name == base || is_variant(*of, &base));
        if family.into_iter().any(|(_, other)| type_text(*other) == type_text(function)) {
            continue;
        }
        let name = free_name(module, &base, suffix)?;
        let copy = module.body().append_operation(build::clone(function));
        build::set_attribute(copy, "sym_name", build::string(context, &name));
        build::set_attribute(copy, attribute::VARIANT_OF, build::string(context, &base));
        added += 1;
    }
    Ok(added)
}

fn public_functions<'c, 'a>(module: &'a Module<'c>) -> Vec<(String, OperationRef<'c, 'a>)> {
    let all = session::functions(module).into_iter();
    all.filter(|(_, function)| !session::is_private(*function)).collect()
}

fn is_variant(function: OperationRef, base: &str) -> bool {
    let of = function.attribute(attribute::VARIANT_OF).ok().and_then(attributes::string);
    of.as_deref() == Some(base)
}

/// Field types hold their bounds.
fn type_text(function: OperationRef) -> String {
    function.attribute("function_type").map(|r#type| r#type.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pipelines::Kernels, target::Target};

    fn program(cells: usize) -> String {
        let (field, temp) = (format!("!stencil.field<[0,{cells}]xf32>"), "!stencil.temp<?xf32>");
        format!(
            "func.func private @helper(%out: {field}) {{
  %r = stencil.apply() -> ({temp}) {{
    %one = arith.constant 1.0 : f32
    stencil.return %one : f32
  }}
  stencil.store %r to %out(<[0], [{cells}]>) : {temp} to {field}
  return
}}
func.func @fill(%out: {field}) {{
  func.call @helper(%out) : ({field}) -> ()
  return
}}
func.func @fixed(%out: !stencil.field<[0,4]xf32>) {{
  return
}}
"
        )
    }

    fn parse<'c>(context: &'c session::Context, text: String) -> (Session<'c>, Module<'c>) {
        let input = Input { name: "a.mlir".to_owned(), text };
        let session = Session::new(context, &input, Target::new("sm_90a", None).unwrap());
        let module = session.parse().unwrap();
        (session, module)
    }

    #[test]
    fn functions_of_other_sizes_are_added_once_under_names_of_their_own() {
        let context = session::new_context();
        let (session, module) = parse(&context, program(8));
        let (_, larger) = parse(&context, program(16));
        let alone = session.inlined(&larger).unwrap();
        assert_eq!(add(&module, &alone, "_16").unwrap(), 1);
        assert!(module.as_operation().verify());
        let names: Vec<String> =
            session::functions(&module).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["helper", "fill", "fixed", "fill_16"]);
        let added = session::find_function(&module, "fill_16").unwrap();
        assert!(is_variant(added, "fill"));
        // Once more is no other size, whatever it is called.
        assert_eq!(add(&module, &alone, "_sixteen").unwrap(), 0);
        let (_, third) = parse(&context, program(32));
        let alone = session.inlined(&third).unwrap();
        let error = add(&module, &alone, "_16").unwrap_err().to_string();
        assert!(error.starts_with("the program has a function 'fill_16' already"), "{error}");
    }

    #[test]
    fn variants_reach_the_manifest() {
        let context = session::new_context();
        let (session, module) = parse(&context, program(8));
        let (_, larger) = parse(&context, program(16));
        add(&module, &session.inlined(&larger).unwrap(), "_16").unwrap();
        let mapped = session.map(&session.freeze(&module).unwrap(), Kernels::Planned).unwrap();
        let manifest = session.export(&mapped).unwrap();
        assert_eq!(manifest.validate(), Ok(()));
        let of: Vec<_> = manifest.functions.iter().map(|f| f.variant_of.as_deref()).collect();
        assert_eq!(of, [None, None, Some("fill")]);
        let kernels: Vec<&str> = manifest.kernels.iter().map(|k| k.name.as_str()).collect();
        assert_eq!(kernels.len(), 2);
        assert_ne!(kernels[0], kernels[1]);
    }
}
