//! Every op of `arith`, `math` and `scf` that there is: it is in the list of what has a meaning,
//! and then interpreter and compiler take it, in every type; or it is not, and neither does.

use melior::ir::{Attribute, BlockLike, Identifier, Location, Module, operation::OperationBuilder};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};
use stencil_dialects::{
    context::operations_of,
    point::{self, Class, DIALECTS, POINT_OPS, PointOp},
};
use stencil_driver::{
    input::Input,
    pipelines::Kernels,
    session::{self, Context, Session},
    target::{self, Target},
};

const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];
const INTEGERS: [&str; 5] = ["i8", "i16", "i32", "i64", "index"];

#[test]
fn every_op_is_in_the_list_or_refused() {
    let context = session::new_context();
    let all = DIALECTS.iter().flat_map(|dialect| operations_of(&context, dialect));
    let all = all.collect::<Vec<_>>();
    for PointOp { name, .. } in POINT_OPS {
        assert!(all.iter().any(|known| known == name), "MLIR has no '{name}'");
    }
    let mut refused = 0;
    for name in &all {
        let is_taken = is_taken(&context, name, None);
        assert_eq!(is_taken, point::find(name).is_some(), "{name}");
        refused += usize::from(!is_taken);
    }
    assert!(refused > 10, "{refused} of {} are refused", all.len());
}

/// Whatever op has a rounding mode, now or later: only that of all others is taken.
#[test]
fn no_op_rounds_in_another_mode() {
    let context = session::new_context();
    for PointOp { name, .. } in POINT_OPS {
        for mode in 0..5 {
            let mode_text = format!("{mode} : i32");
            let is_taken = is_taken(&context, name, Some(("roundingmode", &mode_text)));
            assert_eq!(is_taken, mode == 0, "{name} {mode}");
        }
    }
}

/// Permissions change no meaning.
#[test]
fn ops_with_flags_are_taken() {
    let context = session::new_context();
    for PointOp { name, .. } in POINT_OPS {
        let flags = Some(("fastmath", "#arith.fastmath<fast>"));
        assert!(is_taken(&context, name, flags), "{name}");
    }
}

/// Whether an op without operands has a meaning, as far as its name and an attribute say.
fn is_taken(context: &Context, name: &str, attribute: Option<(&str, &str)>) -> bool {
    let location = Location::unknown(context);
    let parsed = attribute.map(|(name, value)| {
        (Identifier::new(context, name), Attribute::parse(context, value).unwrap())
    });
    let operation = OperationBuilder::new(name, location).add_attributes(parsed.as_slice());
    let module = Module::new(location);
    let operation = module.body().append_operation(operation.build().unwrap());
    point::check(operation).is_ok()
}

#[test]
fn both_sides_take_the_list_in_every_type() {
    let mut seen = BTreeSet::new();
    for r#type in FLOATS.into_iter().chain(INTEGERS) {
        let cases = cases(r#type);
        seen.extend(cases.iter().map(|case| case.op));
        check(r#type, &cases);
    }
    let unseen = POINT_OPS.iter().filter(|op| !seen.contains(op.name));
    let unseen = unseen.map(|op| op.name).collect::<Vec<_>>();
    assert_eq!(unseen, ["arith.constant", "scf.yield"], "these are in every program, or in a case");
}

/// A body that computes `%y` from `%a`, `%b` and `%c` by an op.
struct Case {
    op: &'static str,
    body: String,
}

fn cases(r#type: &str) -> Vec<Case> {
    POINT_OPS.iter().filter_map(|op| Some(Case { op: op.name, body: body(op, r#type)? })).collect()
}

/// The op on values of a type, where it takes them.
fn body(op: &PointOp, t: &str) -> Option<String> {
    let (name, is_float) = (op.name, FLOATS.contains(&t));
    let local = name.split_once('.')?.1;
    let (less, add) = if is_float { ("f olt,", "f") } else { ("i slt,", "i") };
    match local {
        "if" => Some(format!(
            "%k = arith.cmp{less} %a, %b : {t}\n%y = scf.if %k -> {t} {{ scf.yield %a : {t} }} \
             else {{ scf.yield %b : {t} }}"
        )),
        "for" => Some(format!(
            "%l = arith.constant 0 : index\n%u = arith.constant 3 : index\n\
             %s = arith.constant 1 : index\n%y = scf.for %i = %l to %u step %s iter_args(%x = %a) \
             -> {t} {{ %z = arith.add{add} %x, %b : {t}\nscf.yield %z : {t} }}"
        )),
        "select" => {
            Some(format!("%k = arith.cmp{less} %a, %b : {t}\n%y = {name} %k, %a, %b : {t}"))
        }
        _ if is_float => of_floats(name, local, t),
        _ => of_integers(name, local, t),
    }
}

fn of_floats(name: &str, local: &str, t: &str) -> Option<String> {
    Some(match local {
        "cmpf" => format!("%k = {name} olt, %a, %b : {t}\n%y = arith.select %k, %a, %b : {t}"),
        "isnan" | "isinf" | "isfinite" | "isnormal" => {
            format!("%k = {name} %a : {t}\n%y = arith.select %k, %a, %b : {t}")
        }
        "fma" => format!("%y = {name} %a, %b, %c : {t}"),
        "fpowi" => format!("%n = arith.fptosi %b : {t} to i32\n%y = {name} %a, %n : {t}, i32"),
        "sincos" => format!("%p, %q = {name} %a : {t}\n%y = arith.addf %p, %q : {t}"),
        "absf" | "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "cbrt" | "ceil"
        | "cos" | "cosh" | "erf" | "erfc" | "exp" | "exp2" | "expm1" | "floor" | "log"
        | "log10" | "log1p" | "log2" | "negf" | "round" | "roundeven" | "rsqrt" | "sin"
        | "sinh" | "sqrt" | "tan" | "tanh" | "trunc" => format!("%y = {name} %a : {t}"),
        "addf" | "atan2" | "copysign" | "divf" | "maximumf" | "maxnumf" | "minimumf"
        | "minnumf" | "mulf" | "powf" | "remf" | "subf" => format!("%y = {name} %a, %b : {t}"),
        "bitcast" if t == "f32" => there_and_back(name, t, "i32", name),
        "extf" if matches!(t, "f16" | "bf16") => there_and_back(name, t, "f32", "arith.truncf"),
        "truncf" if t == "f64" => there_and_back(name, t, "f32", "arith.extf"),
        "fptosi" => there_and_back(name, t, "i32", "arith.sitofp"),
        "fptoui" => there_and_back(name, t, "i32", "arith.uitofp"),
        _ => return None,
    })
}

fn of_integers(name: &str, local: &str, t: &str) -> Option<String> {
    let is_index = t == "index";
    Some(match local {
        "cmpi" => format!("%k = {name} slt, %a, %b : {t}\n%y = arith.select %k, %a, %b : {t}"),
        "absi" | "ctlz" | "ctpop" | "cttz" => format!("%y = {name} %a : {t}"),
        "addi" | "andi" | "ceildivsi" | "ceildivui" | "divsi" | "divui" | "floordivsi"
        | "ipowi" | "maxsi" | "maxui" | "minsi" | "minui" | "muli" | "ori" | "remsi" | "remui"
        | "shli" | "shrsi" | "shrui" | "subi" | "xori" => format!("%y = {name} %a, %b : {t}"),
        "addui_extended" if !is_index => {
            format!("%p, %k = {name} %a, %b : {t}, i1\n%y = arith.select %k, %p, %a : {t}")
        }
        "mulsi_extended" | "mului_extended" if !is_index => {
            format!("%p, %q = {name} %a, %b : {t}\n%y = arith.xori %p, %q : {t}")
        }
        "sitofp" if !is_index => there_and_back(name, t, "f32", "arith.fptosi"),
        "uitofp" if !is_index => there_and_back(name, t, "f32", "arith.fptoui"),
        "extsi" | "extui" if matches!(t, "i8" | "i16" | "i32") => {
            there_and_back(name, t, "i64", "arith.trunci")
        }
        "trunci" if matches!(t, "i16" | "i32" | "i64") => {
            there_and_back(name, t, "i8", "arith.extsi")
        }
        "index_cast" | "index_castui" if is_index => there_and_back(name, t, "i32", name),
        _ => return None,
    })
}

fn there_and_back(there: &str, from: &str, to: &str, back: &str) -> String {
    format!("%p = {there} %a : {from} to {to}\n%y = {back} %p : {to} to {from}")
}

/// Both must take each case, but the compiler what cannot be compiled.
fn check(t: &str, cases: &[Case]) {
    assert!(cases.len() > 20, "{t} has {} cases", cases.len());
    let entry = |case: &&Case| point::find(case.op).unwrap();
    let (compiled, interpreted): (Vec<_>, Vec<_>) =
        cases.iter().partition(|case| entry(case).instead.is_none());
    assert_eq!(compile(t, &compiled), Ok(()));
    for case in interpreted {
        let refused = compile(t, &[case]).unwrap_err();
        let op = format!("'{}' op", case.op);
        assert!(refused.contains(&op), "{} of {t}: {refused}", case.op);
    }
}

/// Lowers a program of these cases, which the interpreter takes in any case.
fn compile(t: &str, cases: &[&Case]) -> Result<(), String> {
    let context = session::new_context();
    let told = Arc::new(Mutex::new(String::new()));
    let listener = Arc::clone(&told);
    let function = |(number, case): (usize, &&Case)| function(t, number, &case.body);
    let text = cases.iter().enumerate().map(function).collect();
    let input = Input { name: format!("{t}.mlir"), text };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    context.attach_diagnostic_handler(move |diagnostic| {
        *listener.lock().unwrap() += &format!("{}: {diagnostic}\n", diagnostic.location());
        true
    });
    let module = session.parse().unwrap_or_else(|_| panic!("{}", told.lock().unwrap()));
    let frozen = session.freeze(&module).unwrap();
    for (number, case) in cases.iter().enumerate() {
        let op = point::find(case.op).unwrap();
        let program = session.decode(&frozen, &format!("f{number}"));
        let program = program.unwrap_or_else(|_| panic!("{op:?}: {}", told.lock().unwrap()));
        assert_eq!(program.is_approximate(), op.class == Class::Approximate, "{op:?} of {t}");
    }
    let mapped = session.map(&frozen, Kernels::Planned);
    let lowered = mapped.and_then(|mapped| session.to_nvvm(&mapped));
    lowered.map(|_| ()).map_err(|_| told.lock().unwrap().clone())
}

/// An apply on three fields; those of index are of 64 bits.
fn function(t: &str, number: usize, body: &str) -> String {
    let stored = if t == "index" { "i64" } else { t };
    let load = |name: &str| match t == stored {
        true => format!("%{name} = stencil.access %{name}s[0] : !stencil.temp<?x{t}>\n"),
        false => format!(
            "%{name}w = stencil.access %{name}s[0] : !stencil.temp<?xi64>\n\
             %{name} = arith.index_cast %{name}w : i64 to index\n"
        ),
    };
    let end = match t == stored {
        true => format!("stencil.return %y : {t}"),
        false => "%w = arith.index_cast %y : index to i64\nstencil.return %w : i64".to_owned(),
    };
    let (field, temp) =
        (format!("!stencil.field<[0,64]x{stored}>"), format!("!stencil.temp<?x{stored}>"));
    let fields = ["ua", "ub", "uc"].map(|name| format!("%{name}: {field}")).join(", ");
    let names = ["a", "b", "c"];
    let loads = names.map(|n| format!("%t{n} = stencil.load %u{n} : {field} -> {temp}\n")).concat();
    let arguments = names.map(|n| format!("%{n}s = %t{n} : {temp}")).join(", ");
    let accesses = names.map(load).concat();
    format!(
        "func.func @f{number}({fields}, %o: {field}) {{\n{loads}\
         %r = stencil.apply({arguments}) -> ({temp}) {{\n{accesses}{body}\n{end}\n}}\n\
         stencil.store %r to %o(<[0], [64]>) : {temp} to \
         {field}\nreturn\n}}\n"
    )
}
