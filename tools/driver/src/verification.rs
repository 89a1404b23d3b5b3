//! What a package is verified by: plain kernels, and a run whose results the interpreter computed.
//!
//! Both are made from the program before any plan has a say. The plain kernels are of the frozen
//! program: the arithmetic is that of the optimized ones, so that every bit must agree. The
//! self-test runs the same program on a small odd domain, with the plans of the package's kernels,
//! cut into fewer chunks; where no such kernels can be made, with what the compiler chooses for
//! that domain. Its extents are not multiples of a block in any dimension; margins that need more
//! room get larger ones.

use crate::{
    DriverError, arguments,
    arguments::Bound,
    compile::Compilation,
    interpreted,
    monitor::Silent,
    pipelines::{Kernels, PlanRequest},
    reading,
    session::{self, Module, Session},
};
use melior::ir::{BlockLike, Location, OperationRef, operation::OperationLike};
use serde::Serialize;
use std::collections::BTreeMap;
use stencil_dialects::{build, ods::stencil::attribute, ops::ApplyOp, walk};
use stencil_passes::{analysis::domain::Domain, strategy::decisions::Decided};
use stencil_runtime::{
    Code, ScalarType, ScalarValue,
    bind::Value,
    manifest::{Argument, ArgumentKind},
    package::{Selftest, SelftestRun, canonical_sha256},
    random,
};

/// The seed of a self-test's fields.
const SEED: u64 = 1;
/// Chunks of the streamed dimension: one has both ends of the domain, one an end, one none.
const CHUNKS_MOST: u32 = 3;
/// Operations that the interpreter may evaluate for one function: about a second.
const OPERATIONS_MAX: u64 = 50_000_000;

/// Whether a function of the package can be tested by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelfTestable {
    /// The function.
    pub function: String,
    /// The domain of the self-test, slowest dimension first; none without one.
    pub extents: Option<Vec<i64>>,
    /// Why there is none.
    pub why_not: Option<String>,
}

/// Adds plain kernels and a self-test to the package of a compiled program, and notes which
/// functions have one.
pub fn add<'c>(
    session: &Session<'c>,
    module: &Module<'c>,
    frozen: &Module<'c>,
    compiled: &mut Compilation,
) -> Result<(), DriverError> {
    let Compilation { package: Some(package), decisions, self_tests, .. } = compiled else {
        return Ok(());
    };
    if package.code.manifest.kernels.is_empty() {
        return Ok(());
    }
    package.plain = Some(plain_kernels(session, frozen)?);
    let together = Module::new(Location::unknown(session.context()));
    let mut runs = Vec::new();
    for name in base_functions(module) {
        let tried = session.suppressing_diagnostics(|| small(session, module, &name));
        let (extents, why_not) = match tried {
            Ok(Small { frozen, run, extents }) => {
                let function = session::find_function(&frozen, &name);
                let function = function.expect("a frozen program has its function");
                together.body().append_operation(build::clone(function));
                runs.push(run);
                (Some(extents), None)
            }
            Err(why) => (None, Some(why)),
        };
        self_tests.push(SelfTestable { function: name, extents, why_not });
    }
    if !runs.is_empty() {
        let code = of_small(session, &together, decisions)?;
        package.selftest = Some(Selftest { code, runs });
    }
    Ok(())
}

/// The kernels of a self-test: by the plans of the package's kernels, or else by those that were
/// asked for, or else by the compiler's choice.
fn of_small<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    decisions: &BTreeMap<String, Decided>,
) -> Result<Code, DriverError> {
    let asked = session.plan();
    let tried = [plans_of_package(decisions), asked.clone()].into_iter().find_map(|plan| {
        session.set_plan(plan);
        session.suppressing_diagnostics(|| code(session, frozen, Kernels::Part)).ok()
    });
    session.clear_suppressed_error();
    let made = tried.map_or_else(
        || {
            session.set_plan(PlanRequest::default());
            code(session, frozen, Kernels::Part)
        },
        Ok,
    );
    session.set_plan(asked);
    made
}

/// What was decided for all kernels, for domains of a few planes.
fn plans_of_package(decisions: &BTreeMap<String, Decided>) -> PlanRequest {
    let plans = decisions.values().map(|decided| {
        decided.plan.parse::<PlanRequest>().expect("decisions are written as they are read")
    });
    // The kernels of a stage have one decision.
    let all = plans.reduce(PlanRequest::with).unwrap_or_default();
    all.limited("chunks", CHUNKS_MOST).limited("edge_chunks", CHUNKS_MOST)
}

/// The kernels of a frozen program that others are compared with.
pub(crate) fn plain_kernels<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
) -> Result<Code, DriverError> {
    code(session, frozen, Kernels::Plain)
}

/// Kernels and host programs, without machine code: the driver makes it where it is needed.
fn code<'c>(
    session: &Session<'c>,
    frozen: &Module<'c>,
    kernels: Kernels,
) -> Result<Code, DriverError> {
    let mapped = session.map(frozen, kernels)?;
    let manifest = session.export(&mapped)?;
    let emitted = session.emit(&session.to_nvvm(&mapped)?)?;
    let llvm_ir = Some(emitted.llvm_ir);
    Ok(Code { manifest, ptx: emitted.ptx, cubin: None, llvm_ir })
}

/// Public functions that are no variants of others.
fn base_functions(module: &Module) -> Vec<String> {
    let is_base = |function: OperationRef| {
        !session::is_private(function) && !function.has_attribute(attribute::VARIANT_OF)
    };
    let all = session::functions(module).into_iter();
    all.filter(|(_, function)| is_base(*function)).map(|(name, _)| name).collect()
}

/// A function at a small size, and what it gives.
struct Small<'c> {
    frozen: Module<'c>,
    run: SelftestRun,
    extents: Vec<i64>,
}

fn small<'c>(session: &Session<'c>, module: &Module<'c>, name: &str) -> Result<Small<'c>, String> {
    let whole = session::copy(module);
    session::keep_only(session.context(), &whole, name);
    let alone = session.inlined(&whole).map_err(|error| session.suppressed_error(&error))?;
    // The self-test is of one size.
    let function = session::find_function(&alone, name).expect("the function was kept");
    build::remove_attribute(function, attribute::RUN_TIME_EXTENTS);
    let own = domain_extents(&alone, name)?;
    let whole = computed_as_a_whole(&alone, name, &own);
    let mut reason = String::new();
    for extents in candidates(&own, &whole) {
        let resized = match extents == own {
            true => Ok(session::copy(&alone)),
            false => session.transform(&alone, &reading::resizing(&extents)),
        };
        match resized.and_then(|resized| session.freeze(&resized)) {
            Ok(frozen) => return run(session, frozen, name, extents),
            Err(error) => reason = session.suppressed_error(&error),
        }
    }
    Err(reason)
}

fn domain_extents(module: &Module, name: &str) -> Result<Vec<i64>, String> {
    let function = session::find_function(module, name).expect("the function was kept");
    match Domain::of(&[function]) {
        Ok(Some(domain)) => Ok(domain.bounds.extents()),
        Ok(None) => Err("it stores nothing".to_owned()),
        Err(unclear) => Err(unclear.what),
    }
}

/// The dimensions whose points an apply computes all at once, as a scan does: they cannot be
/// fewer.
fn computed_as_a_whole(module: &Module, name: &str, own: &[i64]) -> Vec<bool> {
    let function = session::find_function(module, name).expect("the function was kept");
    let mut whole = vec![false; own.len()];
    for apply in walk::nested(function).into_iter().filter_map(ApplyOp::of) {
        let unroll = apply.terminator().unroll().unwrap_or_default();
        // What computes more than half of the points has no second turn.
        for (d, factor) in unroll.into_iter().enumerate().take(own.len()) {
            whole[d] |= factor > 1 && 2 * factor > own[d];
        }
    }
    whole
}

/// Domains to try, and the program's own where that is no larger; dimensions that are computed as
/// a whole keep their extents.
fn candidates(own: &[i64], whole: &[bool]) -> Vec<Vec<i64>> {
    let kept = |extents: Vec<i64>| -> Vec<i64> {
        let dimensions = extents.into_iter().zip(own).zip(whole);
        dimensions.map(|((extent, own), whole)| if *whole { *own } else { extent }).collect()
    };
    let smallest: &[&[i64]] = match own.len() {
        1 => &[&[515], &[2051]],
        2 => &[&[67, 67], &[67, 131], &[131, 259]],
        _ => &[&[67, 5, 67], &[67, 13, 67], &[67, 29, 67]],
    };
    let points = |extents: &[i64]| extents.iter().product::<i64>();
    let is_small = |extents: &Vec<i64>| points(extents) < points(own);
    let mut candidates: Vec<Vec<i64>> =
        smallest.iter().map(|extents| kept(extents.to_vec())).filter(is_small).collect();
    if candidates.len() < smallest.len() {
        let odd = |extent: &i64| extent - i64::from(extent % 2 == 0 && *extent > 2);
        candidates.extend([kept(own.iter().map(odd).collect()), own.to_vec()]);
        candidates.dedup();
    }
    candidates
}

fn run<'c>(
    session: &Session<'c>,
    frozen: Module<'c>,
    name: &str,
    extents: Vec<i64>,
) -> Result<Small<'c>, String> {
    let reason = |error: DriverError| session.suppressed_error(&error);
    let program = session.decode(&frozen, name).map_err(reason)?;
    if program.is_approximate() {
        return Err("it has operations whose last bits differ between machines".to_owned());
    }
    let described = arguments::arguments(&program, &frozen).map_err(reason)?;
    let mut why = "no numbers of steps were found for which it computes something".to_owned();
    for order in [Order::Ascending, Order::Descending] {
        let scalars = scalars(&described, order);
        let values =
            described.iter().enumerate().map(|(position, argument)| match &argument.kind {
                ArgumentKind::Scalar { .. } => Some(Value::Scalar(scalars[&position])),
                ArgumentKind::Field(shape) => {
                    let content =
                        random::random_field(SEED, position, shape.element, shape.elements());
                    content.map(Value::Field)
                }
            });
        let values = values.collect::<Option<Vec<_>>>().ok_or("memory does not suffice")?;
        let mut bound = Bound { values, symbols: BTreeMap::new() };
        let work = interpreted::operations(session, &program, &described, &mut bound);
        match work.map_err(reason)? {
            Some(operations) if operations > OPERATIONS_MAX => {
                return Err(format!("the interpreter would evaluate {operations} operations"));
            }
            _ => {}
        }
        match interpreted::run(session, &program, &described, &mut bound, &Silent) {
            Err(error) => why = reason(error),
            Ok(done) if done.outcome.counters.points == 0 => {}
            Ok(_) => {
                let fields = checksums(&described, &bound.values);
                let run = SelftestRun { function: name.to_owned(), seed: SEED, scalars, fields };
                return Ok(Small { frozen, run, extents });
            }
        }
    }
    Err(why)
}

/// Which integers are given to a function that takes several: bounds of a loop among them must
/// leave it something to do.
#[derive(Clone, Copy)]
enum Order {
    Ascending,
    Descending,
}

/// Numbers for scalar arguments: integers a few apart, so that loops between two of them run a few
/// steps; the others random as cells are.
fn scalars(arguments: &[Argument], order: Order) -> BTreeMap<usize, ScalarValue> {
    let scalar = |(position, argument): (usize, &Argument)| match &argument.kind {
        ArgumentKind::Scalar { scalar, .. } => Some((position, *scalar)),
        ArgumentKind::Field(_) => None,
    };
    let types: Vec<(usize, ScalarType)> = arguments.iter().enumerate().filter_map(scalar).collect();
    let counts = |ty: ScalarType| !ty.is_float() && ty != ScalarType::I1;
    let integers = types.iter().filter(|(_, ty)| counts(*ty)).count() as i64;
    let mut met = 0;
    let mut value = |position: usize, ty: ScalarType| {
        if !counts(ty) {
            return random::random_scalar(SEED, position, ty);
        }
        met += 1;
        let rank = match order {
            Order::Ascending => met,
            Order::Descending => integers + 1 - met,
        };
        ScalarValue::from_integer(ty, 3 * rank)
    };
    types.iter().map(|(position, ty)| (*position, value(*position, *ty))).collect()
}

fn checksums(arguments: &[Argument], values: &[Value]) -> BTreeMap<usize, String> {
    let checksum = |(position, (argument, value)): (usize, (&Argument, &Value))| {
        let shape = argument.kind.as_field().filter(|shape| !shape.scratch)?;
        let Value::Field(cells) = value else { return None };
        Some((position, canonical_sha256(shape, cells)))
    };
    arguments.iter().zip(values).enumerate().filter_map(checksum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_that_are_computed_as_a_whole_keep_their_extents() {
        let whole = [true, false, false];
        assert_eq!(super::candidates(&[64, 512, 512], &whole)[0], [64, 5, 67]);
        let odd = [vec![64, 7, 9], vec![64, 8, 10]];
        assert_eq!(super::candidates(&[64, 8, 10], &whole), odd);
    }

    #[test]
    fn domains_are_odd_and_no_larger_than_the_program_has() {
        let candidates = |own: &[i64]| super::candidates(own, &vec![false; own.len()]);
        assert_eq!(candidates(&[512, 512, 512])[0], [67, 5, 67]);
        assert_eq!(candidates(&[512, 512, 512]).len(), 3);
        assert_eq!(candidates(&[64, 64]), [vec![63, 63], vec![64, 64]]);
        assert_eq!(candidates(&[100, 64]), [vec![67, 67], vec![99, 63], vec![100, 64]]);
        assert_eq!(candidates(&[601]), [vec![515], vec![601]]);
    }

    #[test]
    fn integers_leave_loops_something_to_do() {
        let scalar =
            |scalar| Argument { name: None, kind: ArgumentKind::Scalar { scalar, symbol: None } };
        let arguments =
            [scalar(ScalarType::Index), scalar(ScalarType::F32), scalar(ScalarType::I64)];
        let signed = |order, position: usize| scalars(&arguments, order)[&position].signed();
        assert_eq!([0, 2].map(|p| signed(Order::Ascending, p)), [3, 6]);
        assert_eq!([0, 2].map(|p| signed(Order::Descending, p)), [6, 3]);
        assert_eq!(scalars(&arguments, Order::Ascending)[&1].ty(), ScalarType::F32);
    }
}
