//! The Open Earth Compiler of 2021: MLIR before the standard dialect was split.
//!
//! Its dimension 0 is the fastest in memory, the last one is here: everything that has a number for
//! each dimension is reversed, so that a file means the same memory. A `0` in a type is a dimension
//! that the field does not have.

use super::{
    form::{Form, Read},
    grids::{Grid, list},
    ops::{Respeller, Spelling},
    tokens::{Kind, Tokens},
};
use crate::diagnostic::Diagnostic;

/// How it spells.
pub const SPELLING: Spelling =
    Spelling { is_reversed: true, custom: respell, rename: |name| renamed(name) };

/// Ops of the standard dialect of 2021, and of `loop`, with their names of today.
#[rustfmt::skip]
const OPS: [(&str, &str); 82] = [
    ("absf", "math.absf"), ("addf", "arith.addf"), ("addi", "arith.addi"),
    ("alloc", "memref.alloc"), ("alloca", "memref.alloca"), ("and", "arith.andi"),
    ("assert", "cf.assert"), ("atan", "math.atan"), ("atan2", "math.atan2"),
    ("bitcast", "arith.bitcast"), ("br", "cf.br"), ("call", "func.call"), ("ceilf", "math.ceil"),
    ("cmpf", "arith.cmpf"), ("cmpi", "arith.cmpi"), ("cond_br", "cf.cond_br"),
    ("constant", "arith.constant"), ("copysign", "math.copysign"), ("cos", "math.cos"),
    ("dealloc", "memref.dealloc"), ("dim", "memref.dim"), ("divf", "arith.divf"),
    ("divi_signed", "arith.divsi"), ("divi_unsigned", "arith.divui"), ("exp", "math.exp"),
    ("exp2", "math.exp2"), ("floorf", "math.floor"), ("fmaf", "math.fma"), ("fpext", "arith.extf"),
    ("fptosi", "arith.fptosi"), ("fptoui", "arith.fptoui"), ("fptrunc", "arith.truncf"),
    ("func", "func.func"), ("index_cast", "arith.index_cast"), ("load", "memref.load"),
    ("log", "math.log"), ("log10", "math.log10"), ("log1p", "math.log1p"), ("log2", "math.log2"),
    ("loop.for", "scf.for"), ("loop.if", "scf.if"), ("loop.parallel", "scf.parallel"),
    ("loop.yield", "scf.yield"), ("maxf", "arith.maximumf"), ("maxsi", "arith.maxsi"),
    ("maxui", "arith.maxui"), ("memref_cast", "memref.cast"), ("minf", "arith.minimumf"),
    ("minsi", "arith.minsi"), ("minui", "arith.minui"), ("module", "builtin.module"),
    ("mulf", "arith.mulf"), ("muli", "arith.muli"), ("negf", "arith.negf"), ("or", "arith.ori"),
    ("powf", "math.powf"), ("remf", "arith.remf"), ("remi_signed", "arith.remsi"),
    ("remi_unsigned", "arith.remui"), ("return", "func.return"), ("rsqrt", "math.rsqrt"),
    ("select", "arith.select"), ("sexti", "arith.extsi"), ("shift_left", "arith.shli"),
    ("shift_right_signed", "arith.shrsi"), ("shift_right_unsigned", "arith.shrui"),
    ("signed_divi", "arith.divsi"), ("signed_remi", "arith.remsi"), ("sin", "math.sin"),
    ("sitofp", "arith.sitofp"), ("sqrt", "math.sqrt"), ("store", "memref.store"),
    ("subf", "arith.subf"), ("subi", "arith.subi"), ("tanh", "math.tanh"),
    ("trunci", "arith.trunci"), ("uitofp", "arith.uitofp"), ("unsigned_divi", "arith.divui"),
    ("unsigned_remi", "arith.remui"), ("view", "memref.view"), ("xor", "arith.xori"),
    ("zexti", "arith.extui"),
];

/// Ops of the dialect, with how they are written.
const STENCIL_OPS: [(&str, &str, Rule); 11] = [
    ("access", "'%v = stencil.access %t[0, -1, 0] : (!stencil.temp<?x?x?xf64>) -> f64'", access),
    (
        "apply",
        "'%r = stencil.apply (%a = %t : !stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64> {'",
        apply,
    ),
    (
        "buffer",
        "'%b = stencil.buffer %t : (!stencil.temp<?x?x?xf64>) -> !stencil.temp<?x?x?xf64>'",
        convert,
    ),
    (
        "cast",
        "'%f = stencil.cast %a([-4, -4, -4] : [68, 68, 68]) : (!stencil.field<?x?x?xf64>) -> \
         !stencil.field<72x72x72xf64>'",
        convert,
    ),
    (
        "combine",
        "'%r = stencil.combine 0 at 11 lower = (%a : !stencil.temp<?x?x?xf64>) upper = (%b : \
         !stencil.temp<?x?x?xf64>) : !stencil.temp<?x?x?xf64>'",
        combine,
    ),
    (
        "dyn_access",
        "'%v = stencil.dyn_access %t(%i, %j, %k) in [-1, 0, 0] : [1, 0, 0] : \
         (!stencil.temp<?x?x?xf64>) -> f64'",
        dyn_access,
    ),
    ("index", "'%i = stencil.index 2 [0, 0, 0] : index'", index),
    (
        "load",
        "'%t = stencil.load %f : (!stencil.field<72x72x72xf64>) -> !stencil.temp<?x?x?xf64>'",
        convert,
    ),
    (
        "return",
        "'stencil.return %a : f64' or 'stencil.return unroll [1, 2, 1] %a, %b : f64, f64'",
        returned,
    ),
    (
        "store",
        "'stencil.store %t to %f([0, 0, 0] : [64, 64, 64]) : !stencil.temp<?x?x?xf64> to \
         !stencil.field<72x72x72xf64>'",
        store,
    ),
    (
        "store_result",
        "'%r = stencil.store_result %v : (f64) -> !stencil.result<f64>'",
        store_result,
    ),
];

type Rule = for<'r, 'a, 't> fn(Form<'r, 'a, 't>, &'t str, Option<&'t str>) -> Read<usize>;

fn renamed(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("std.").unwrap_or(name);
    OPS.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
}

/// Whether a text holds a function as they were written before 2022, and types of the dialect.
pub fn is_it(text: &str) -> bool {
    if !text.contains("func") || !text.contains("!stencil.") {
        return false;
    }
    // A bracket that is missing is reported by the reader.
    let tokens = Tokens::of_damaged(text);
    let is_function = |at: usize| {
        let name = at + 1 + usize::from(["private", "public"].contains(&tokens.text(at + 1)));
        let after = |text| at > 0 && tokens.is(at - 1, text);
        let is_first = tokens.starts_line(at) || after("{") || after("}");
        tokens.is(at, "func") && tokens.kind(name) == Kind::Symbol && is_first
    };
    let is_generic = |at: usize| tokens.text(at) == "\"func\"" && tokens.is(at + 1, "(");
    let is_type = |at: usize| tokens.text(at).starts_with("!stencil.");
    (0..tokens.len()).any(is_type) && (0..tokens.len()).any(|at| is_function(at) || is_generic(at))
}

fn respell(respeller: &mut Respeller, at: usize) -> Result<usize, Diagnostic> {
    let name = respeller.tokens.text(at);
    if let Some(op) = name.strip_prefix("stencil.") {
        respeller.refuse(name, at)?;
        let Some((_, example, rule)) = STENCIL_OPS.iter().find(|(name, ..)| *name == op) else {
            return unknown(respeller, at, STENCIL_OPS.iter().map(|(name, ..)| *name), "stencil.");
        };
        let result = respeller.result(at);
        return rule(Form::new(respeller, at, example), op, result);
    }
    if name == "module_terminator" {
        respeller.put(at..at + 1, "");
        return Ok(at + 1);
    }
    let Some(new) = renamed(name) else {
        let names = OPS.iter().map(|(name, _)| *name);
        return unknown(respeller, at, names, "");
    };
    let is_symbol = respeller.tokens.kind(at + 1) == Kind::Symbol;
    let new = if name == "constant" && is_symbol { "func.constant" } else { new };
    respeller.put(at..at + 1, new);
    // Predicates were strings.
    if ["cmpf", "cmpi"].contains(&name) && respeller.tokens.kind(at + 1) == Kind::Text {
        let predicate = respeller.tokens.text(at + 1).trim_matches('"');
        respeller.put(at + 1..at + 2, predicate);
    }
    Ok(at + 1)
}

/// An op that is none, with the one that has a similar name.
fn unknown<'n>(
    respeller: &Respeller,
    at: usize,
    names: impl Iterator<Item = &'n str>,
    prefix: &str,
) -> Read<usize> {
    let name = respeller.tokens.text(at);
    let plain = name.strip_prefix(prefix).unwrap_or(name);
    let is_op = !plain.contains('.') && (respeller.has_results(at) || !prefix.is_empty());
    if !is_op || respeller.tokens.is(at + 1, "}") || respeller.tokens.is(at + 1, ",") {
        return Ok(at + 1);
    }
    let near = names.min_by_key(|name| strsim::damerau_levenshtein(name, plain));
    let near = near.filter(|near| strsim::damerau_levenshtein(near, plain) <= 1 + plain.len() / 4);
    let error = respeller.error(at..at + 1, format!("there is no op '{name}'"));
    Err(match near {
        Some(near) => error.help(format!("'{prefix}{near}' is meant?")),
        None => error.help("ops of the Open Earth Compiler of 2021 are read, with those of 'std'"),
    })
}

fn access(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    form.value()?;
    let (offset, range) = form.list()?;
    form.expect(":")?;
    form.remove("(")?;
    let grid = form.grid(None)?;
    let end = form.at;
    form.expect(")")?;
    form.expect("->")?;
    let element = form.at;
    form.at = form.respeller.after_type(element);
    form.respeller.put(end..form.at, "");
    let (values, mapping) = form.respeller.access_offset(&offset, grid.as_ref(), range.clone())?;
    let mut parts: Vec<String> = values.iter().map(i64::to_string).collect();
    if let Some(mapping) = mapping {
        let rank = form.respeller.apply().map_or(0, |has| has.iter().filter(|h| **h).count());
        let mut own = parts.into_iter();
        let has = |dim: usize| mapping.iter().any(|own| usize::try_from(*own) == Ok(dim));
        let part = |dim| if has(dim) { own.next() } else { Some("_".to_owned()) };
        parts = (0..rank).filter_map(part).collect();
    }
    form.respeller.put(range, list(&parts));
    Ok(form.at)
}

fn apply(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    let start = form.at;
    if form.is("seq") {
        return Err(form.respeller.sequential(start..start + 1));
    }
    if form.is("(") {
        form.skip("(")?;
    } else {
        form.respeller.insert(start, "() ");
    }
    form.expect("->")?;
    let results = form.at;
    let first = if form.is("(") { form.at + 1 } else { form.at };
    let Some(grid) = Grid::at(form.respeller.tokens, first) else {
        return Err(form.unexpected("the types of its results"));
    };
    if form.is("(") {
        form.skip("(")?;
    } else {
        form.at = form.respeller.after_type(first);
        let text = form.respeller.spell(&grid, first, None)?;
        form.respeller.put(results..form.at, format!("({text})"));
    }
    if form.optional("attributes").is_some() {
        form.skip("{")?;
    }
    let region = form.skip("{")?;
    let end = form.at - 1;
    form.respeller.enter_apply(end, grid.has());
    if let Some(to) = form.optional("to") {
        form.bounds()?;
        form.respeller.put(to..form.at, "");
    }
    // Arguments, results and region hold types and ops of their own.
    let _ = region;
    Ok(start)
}

/// `cast`, `load` and `buffer`: from a type to another, with bounds that were inferred or are of a
/// field.
fn convert<'t>(mut form: Form<'_, '_, 't>, op: &str, result: Option<&'t str>) -> Read<usize> {
    let value = form.value()?;
    let clause = form.bounds()?;
    if form.is("{") {
        form.skip("{")?;
    }
    form.expect(":")?;
    form.bare_grid(Some(value))?;
    form.expect("->")?;
    if let (Some((bounds, range)), "cast") = (&clause, op) {
        let at = if form.is("(") { form.at + 1 } else { form.at };
        if let Some(grid) = Grid::at(form.respeller.tokens, at) {
            form.respeller.note_cast(result, &grid, range.clone(), bounds.clone())?;
        }
    }
    form.bare_grid(result)?;
    if let Some((_, range)) = clause {
        form.respeller.put(range, "");
    }
    Ok(form.at)
}

fn combine(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    let start = form.at;
    let (dim, dim_at) = form.integer()?;
    form.expect("at")?;
    form.integer()?;
    for side in ["lower", "upper"] {
        form.expect(side)?;
        form.expect("=")?;
        form.skip("(")?;
    }
    for side in ["lowerext", "upperext"] {
        if form.optional(side).is_some() {
            form.expect("=")?;
            let open = form.skip("(")?;
            let close = form.at - 1;
            form.respeller.put(open..open + 1, "");
            form.respeller.put(close..close + 1, "");
        }
    }
    if let Some((_, range)) = form.bounds()? {
        form.respeller.put(range, "");
    }
    form.expect(":")?;
    let grid = Grid::at(form.respeller.tokens, form.at);
    let dim = form.respeller.dimension(dim, grid.as_ref(), dim_at.clone())?;
    form.respeller.put(dim_at, dim.to_string());
    Ok(start)
}

fn dyn_access(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    form.value()?;
    let open = form.skip("(")?;
    let indices = open + 1..form.at - 1;
    form.expect("in")?;
    let Some((bounds, end)) = form.respeller.two_lists(form.at) else {
        return Err(form.unexpected("the reach, '[...] : [...]'"));
    };
    let lower = form.at..form.respeller.tokens.close(form.at) + 1;
    let upper = lower.end + 1..end;
    form.at = end;
    form.expect(":")?;
    form.remove("(")?;
    let grid = form.grid(None)?;
    let end = form.at;
    form.expect(")")?;
    form.expect("->")?;
    form.at = form.respeller.after_type(form.at);
    form.respeller.put(end..form.at, "");
    if let (Some(grid), Some(apply)) = (&grid, form.respeller.apply())
        && grid.has() != apply
    {
        let message = "a field that lacks dimensions is read at a computed place";
        return Err(form
            .respeller
            .error(indices, message)
            .help("read it with 'stencil.access', or give the field all dimensions of the apply"));
    }
    for (values, range) in bounds.iter().zip([lower, upper]) {
        let values = form.respeller.of_grid(values, grid.as_ref(), range.clone())?;
        form.put_index(range, &values);
    }
    let parts = form.respeller.parts(indices.clone());
    let texts: Vec<&str> = parts.iter().map(|part| form.respeller.source_of(part)).collect();
    let has = grid.map_or(vec![true; texts.len()], |grid| grid.has());
    if has.len() != texts.len() {
        let message = format!("{} indices for {} dimensions", texts.len(), has.len());
        return Err(form.respeller.error(indices, message));
    }
    let texts = form.respeller.select(&texts, &has);
    form.respeller.put(open..indices.end + 1, format!("[{}]", texts.join(", ")));
    Ok(form.at)
}

fn index(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    let (dim, dim_at) = form.integer()?;
    let (offset, range) = form.list()?;
    let end = form.at;
    if form.optional(":").is_some() {
        form.expect("index")?;
        form.respeller.put(end..form.at, "");
    }
    let dim = form.respeller.dimension(dim, None, dim_at.clone())?;
    form.respeller.put(dim_at, dim.to_string());
    let offset = form.respeller.of_apply(&offset, range.clone())?;
    form.put_index(range, &offset);
    Ok(form.at)
}

fn returned(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    let Some(unroll) = form.optional("unroll") else { return Ok(form.at) };
    let (factors, range) = form.list()?;
    form.respeller.check_unroll(&factors, range.clone())?;
    let factors = form.respeller.of_apply(&factors, range.clone())?;
    form.respeller.put(unroll..range.end, "");
    form.value()?;
    while form.optional(",").is_some() {
        form.value()?;
    }
    let colon = form.expect(":")?;
    form.respeller.insert(colon, format!("unroll <{}> ", list(&factors)));
    Ok(form.at)
}

fn store(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    form.value()?;
    form.expect("to")?;
    let field = form.value()?;
    let Some((bounds, range)) = form.bounds()? else {
        return Err(form.unexpected("bounds, '([...] : [...])'"));
    };
    form.expect(":")?;
    let temp = form.grid(None)?;
    form.expect("to")?;
    form.grid(Some(field))?;
    let mut lists = Vec::new();
    for values in &bounds {
        lists.push(list(&form.respeller.of_grid(values, temp.as_ref(), range.clone())?));
    }
    form.respeller.put(range, format!("(<{}>)", lists.join(", ")));
    Ok(form.at)
}

fn store_result(mut form: Form, _: &str, _: Option<&str>) -> Read<usize> {
    if !form.is(":") {
        form.value()?;
    }
    form.expect(":")?;
    let start = form.at;
    if form.is("(") {
        form.skip("(")?;
        form.expect("->")?;
        form.respeller.put(start..form.at, "");
    }
    Ok(form.at)
}
