//! `stencil-unroll`: unroll an apply's region to compute several neighbouring points.
//!
//! Before: `stencil.return %v`, for one point.
//! After:  with `unroll-factor=1,2`: `stencil.return %v, %w unroll <[1, 2]>`, for a point and the
//!         next one. All points of the first result come first, the last dimension fastest.
//!
//! Why: points share reads and point-invariant values; the region makes this explicit.
//! The points are consecutive copies of the region. Accesses of an earlier point are reused, and so
//! are point-invariant operations. Accesses in branches and loops stay there.
//! As in xDSL, the last factor is that of the last dimension: excess leading factors are dropped,
//! missing ones are 1.
//! Requires `stencil-infer-bounds`. Declines, with a remark, an apply whose bounds are unknown,
//! whose extents are no multiples of the factors, or that already computes several points, so that
//! the pass is idempotent. Refuses an empty list, and a factor that is not positive.
//! Unwritten points (`stencil.store_result`) are supported.
//! Shares only equal accesses between points (`cse` does more), and does not choose the number of
//! points (`stencil-select-plan` does).

use super::point_copy::{self, Names, Shift};
use crate::framework::{
    Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, integers, refuse, statistic,
};
use melior::ir::{OperationRef, Value, operation::OperationLike};
use std::collections::{HashMap, HashSet};
use stencil_dialects::{
    Bounds, attributes,
    build::{self, Inserter},
    ods::stencil,
    ops::{AccessOp, ApplyOp, DynAccessOp, IndexOp},
    walk::{self, ValueKey},
};

/// The table entry.
pub const UNROLL: PassInfo = PassInfo {
    argument: "stencil-unroll",
    summary: "unroll an apply's region to compute several neighbouring points",
    source: include_str!("unroll.rs"),
    anchor: Anchor::Function,
    options: &[integers("unroll-factor", "points along each dimension, the last one last", "")],
    statistics: &[UNROLLED, SHARED, DECLINED],
    dialects: &[],
    run: unroll,
};

const UNROLLED: Statistic = statistic("num-unrolled", "applies that compute several points");
const SHARED: Statistic = statistic("num-shared", "operations that points share");
const DECLINED: Statistic = statistic("num-declined", "applies that stay as they are");

fn unroll(function: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    let asked = match options.integers("unroll-factor") {
        Ok(factors) => factors,
        Err(error) => return Err(refuse(&function, error.to_string(), FORM)),
    };
    if let Err(what) = check(&asked) {
        return Err(refuse(&function, what, FORM));
    }
    // Returns are replaced: the list must not be read again.
    let applies = walk::nested(function).into_iter().filter_map(ApplyOp::of).collect::<Vec<_>>();
    for apply in applies {
        let factors = of_rank(&asked, apply.rank());
        let has_unroll = apply.terminator().unroll().is_some();
        match legal(&factors, apply.bounds().as_ref(), has_unroll) {
            Ok(true) => {
                let shared = rewrite(apply, &factors);
                let points = factors.iter().product::<i64>();
                cx.passed(&apply.operation(), &format!("computes {points} points at once"));
                cx.count(UNROLLED, 1);
                cx.count(SHARED, shared);
            }
            Ok(false) => {}
            Err(why) => {
                cx.decline(&apply.operation(), &why);
                cx.count(DECLINED, 1);
            }
        }
    }
    Ok(())
}

/// The expected form of a list of factors.
const FORM: &str = "give a positive factor per dimension, the last one last, as in \
                    unroll-factor=1,2,1";

/// Whether a list has factors, and all are positive.
fn check(factors: &[i64]) -> Result<(), String> {
    if factors.is_empty() {
        return Err("cannot be unrolled without factors".to_owned());
    }
    match factors.iter().find(|factor| **factor < 1) {
        Some(factor) => Err(format!("cannot be unrolled by {factor}")),
        None => Ok(()),
    }
}

/// The factors for so many dimensions: the last ones, with ones in front.
fn of_rank(factors: &[i64], rank: usize) -> Vec<i64> {
    let ones = vec![1; rank.saturating_sub(factors.len())];
    [&ones, &factors[factors.len().saturating_sub(rank)..]].concat()
}

/// Whether an apply may be unrolled; `Ok(false)` if all factors are 1.
fn legal(factors: &[i64], bounds: Option<&Bounds>, has_unroll: bool) -> Result<bool, String> {
    if factors.iter().all(|factor| *factor == 1) {
        return Ok(false);
    }
    if has_unroll {
        return Err("already computes several points".to_owned());
    }
    let Some(bounds) = bounds else {
        return Err("has unknown bounds: run stencil-infer-bounds first".to_owned());
    };
    let extents = bounds.extents();
    match (0..factors.len()).find(|d| extents[*d] % factors[*d] != 0) {
        Some(d) => Err(format!(
            "has {} points in dimension {d}, not a multiple of the factor {}",
            extents[d], factors[d]
        )),
        None => Ok(true),
    }
}

/// Copies the point's code; returns the number of operations that were shared.
fn rewrite(apply: ApplyOp, factors: &[i64]) -> u64 {
    let operation = apply.operation();
    let returned = apply.terminator();
    let at = Inserter::before(returned.operation());
    let mut code = walk::operations(apply.body());
    code.pop();
    let mut sharing = Sharing { depends: point_dependent(&code), ..Sharing::default() };
    for original in &code {
        sharing.enter(*original);
    }
    let mut points = vec![returned.values()];
    for offset in offsets(factors).into_iter().skip(1) {
        let (shift, mut names) = (Shift::within(offset), Names::new());
        for original in &code {
            sharing.copy(*original, at, &mut names, &shift);
        }
        let name = |value: &Value| names.get(&ValueKey::of(value)).copied();
        points.push(points[0].iter().map(|value| name(value).unwrap_or(*value)).collect());
    }
    let results = 0..points[0].len();
    let grouped = results.flat_map(|result| points.iter().map(move |values| values[result]));
    let grouped = grouped.collect::<Vec<_>>();
    let mut kept = build::attributes(&returned.operation());
    let factors = attributes::make_index(build::context(&operation), factors);
    kept.push(("unroll".to_owned(), factors));
    let kept = kept.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>();
    at.create(stencil::RETURN, &grouped, &kept, &[], Vec::new());
    build::erase(returned.operation());
    sharing.shared
}

/// The points of a box from its first one, the last dimension fastest.
fn offsets(factors: &[i64]) -> Vec<Vec<i64>> {
    let mut offsets = vec![Vec::new()];
    for factor in factors {
        let extend = |start: Vec<i64>| (0..*factor).map(move |at| [&start[..], &[at]].concat());
        offsets = offsets.into_iter().flat_map(extend).collect();
    }
    offsets
}

/// The ops of a point's code whose results differ from point to point.
fn point_dependent<'c: 'a, 'a>(code: &[OperationRef<'c, 'a>]) -> HashSet<ValueKey> {
    let mut depends = HashSet::new();
    for operation in code {
        let is_own = |inner: &OperationRef| {
            let near = DynAccessOp::of(*inner).is_some_and(|access| !access.absolute());
            near || AccessOp::of(*inner).is_some() || IndexOp::of(*inner).is_some()
        };
        let inner = walk::nested(*operation);
        let reads = |key: &ValueKey| depends.contains(key);
        let follows =
            inner.iter().flat_map(OperationLike::operands).any(|v| reads(&ValueKey::of(&v)));
        if follows || inner.iter().any(is_own) {
            depends.extend(operation.results().map(|result| ValueKey::of(&result)));
        }
    }
    depends
}

/// The identity of an access or a coordinate: source, offset and mapping, or dimension and offset.
#[derive(PartialEq, Eq, Hash)]
enum Given {
    Cell(ValueKey, Vec<i64>, Vec<usize>),
    Coordinate(usize, Vec<i64>),
}

/// Operations that points share.
#[derive(Default)]
struct Sharing<'c, 'a> {
    depends: HashSet<ValueKey>,
    known: HashMap<Given, Value<'c, 'a>>,
    shared: u64,
}

impl<'c: 'a, 'a> Sharing<'c, 'a> {
    /// Remembers an access or a coordinate.
    fn enter(&mut self, operation: OperationRef<'c, 'a>) {
        if let Some(given) = given(operation, None) {
            self.known.entry(given).or_insert_with(|| build::single(operation));
        }
    }

    /// Copies an op to the end, unless an earlier point has the same.
    fn copy(
        &mut self,
        original: OperationRef<'c, 'a>,
        at: Inserter<'c, 'a>,
        names: &mut Names<'c, 'a>,
        shift: &Shift,
    ) {
        let keys = original.results().map(|result| ValueKey::of(&result)).collect::<Vec<_>>();
        if !keys.is_empty() && keys.iter().all(|key| !self.depends.contains(key)) {
            self.shared += 1;
            return;
        }
        let known = given(original, Some(shift)).and_then(|given| self.known.get(&given));
        if let Some(known) = known {
            names.insert(keys[0], *known);
            self.shared += 1;
            return;
        }
        let copied = point_copy::copy(original, at, names, shift);
        self.enter(copied);
    }
}

/// The identity of an access or a coordinate after a shift; none for other ops.
fn given(operation: OperationRef, shift: Option<&Shift>) -> Option<Given> {
    if let Some(access) = AccessOp::of(operation) {
        let own = (access.offset(), access.mapping());
        let (offset, mapping) = shift.map_or(own.clone(), |shift| shift.access(&own.0, &own.1));
        return Some(Given::Cell(ValueKey::of(&access.source()), offset, mapping));
    }
    let index = IndexOp::of(operation)?;
    let (dimension, offset) = (index.dimension(), index.offset());
    let moved = shift.map_or(offset, |shift| shift.index(dimension, offset).1[dimension]);
    Some(Given::Coordinate(dimension, vec![moved]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_belong_to_the_last_dimensions() {
        assert_eq!(of_rank(&[4, 2], 3), [1, 4, 2]);
        assert_eq!(of_rank(&[4, 2], 2), [4, 2]);
        assert_eq!(of_rank(&[4, 2], 1), [2]);
    }

    #[test]
    fn the_last_dimension_is_fastest() {
        assert_eq!(offsets(&[2, 1, 2]), [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
    }

    #[test]
    fn extents_are_multiples_of_factors() {
        let bounds = Bounds::new(vec![-1, 0], vec![5, 9]);
        assert_eq!(legal(&[3, 9], Some(&bounds), false), Ok(true));
        assert_eq!(legal(&[1, 1], None, true), Ok(false));
        let why = legal(&[3, 2], Some(&bounds), false).unwrap_err();
        assert_eq!(why, "has 9 points in dimension 1, not a multiple of the factor 2");
        let why = legal(&[3, 9], Some(&bounds), true).unwrap_err();
        assert_eq!(why, "already computes several points");
        let why = legal(&[3, 9], None, false).unwrap_err();
        assert_eq!(why, "has unknown bounds: run stencil-infer-bounds first");
    }

    #[test]
    fn a_list_has_positive_factors() {
        assert_eq!(check(&[1, 2]), Ok(()));
        assert_eq!(check(&[]).unwrap_err(), "cannot be unrolled without factors");
        assert_eq!(check(&[2, 0]).unwrap_err(), "cannot be unrolled by 0");
    }
}
