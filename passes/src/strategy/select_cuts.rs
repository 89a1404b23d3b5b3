//! `stencil-select-cuts`: decide which values of an apply its readers go on from.
//!
//! Before: applies that others read, without `stencil.crosses`.
//! After:  where that is cheaper, ops of such an apply have `stencil.crosses` with the numbers that
//!         decided it, for `stencil-cut-producers`: their values are kept in memory instead of the
//!         results, which readers compute from them.
//!
//! Why: what lies between two kernels is written and read. Results are often products of a few
//! values, or of such a value and an input that is in memory anyway.
//! Of all cuts between the inputs of an apply and its results the cheapest is found
//! (`stencil_code::cut`): a value that crosses is written once and read by each reader; an
//! operation behind the cut is computed at each offset at which a reader needs it; an input that an
//! operation behind the cut reads is read by readers that do not read it already. It is taken if
//! its bytes and operations, counted in tiles as for `stencil-select-inlining`, take less time than
//! without, and if the function is not predicted to be slower, sweeps included.
//! Not cut: applies that have a plan or constraints, or a reader that has, or that something else
//! reads than applies and stores; applies that a reader cannot compute. A field that is
//! overwritten before a reader has finished is not read behind a cut.
//! `plain=true` marks nothing, for the reference kernels of verification. Existing marks are kept.
//! Requires `stencil-unify-applies`, and runs after `stencil-inline-producers`: what readers
//! compute as a whole has no cut.
//! Does not look across blocks. Does not cut what a sum of several parts could be split into: that
//! is `stencil-split-applies`.

use super::{
    forms,
    fusion::{Traffic, pays, seconds_of_bytes, seconds_of_work},
    run_counts::times_run,
    select_inlining::Fusing,
};
use crate::{
    analysis::{
        fission::Code,
        placement, point_code,
        shared_work::{self, Work},
        stages::{self, Block, Range, Read, Stages},
    },
    framework::{
        Anchor, OptionValues, PassContext, PassInfo, PassResult, Statistic, flag, statistic, text,
        try_pass,
    },
    transforms::{cut_producers::CUT_PRODUCERS, inline_producers},
};
use melior::ir::{BlockLike, Module, OperationRef, ValueLike, operation::OperationLike};
use std::collections::{BTreeMap, BTreeSet};
use stencil_code::{
    ItemId, Slice,
    cut::{self, Price, Prices},
};
use stencil_dialects::{StencilType, build, ods::stencil::attribute, ops::ApplyOp, types, walk};
use stencil_model::product::Product;

/// The table entry.
pub const SELECT_CUTS: PassInfo = PassInfo {
    argument: "stencil-select-cuts",
    summary: "decide which values of an apply its readers go on from",
    source: include_str!("select_cuts.rs"),
    anchor: Anchor::Function,
    options: &[
        text("target", "architecture, as sm_90a", "sm_90a"),
        text("chip", "chip that times are predicted for, as h100; else the target's", ""),
        text("plan", "as for stencil-select-plan", ""),
        flag("plain", "mark nothing", false),
        flag("part", "as for stencil-select-plan", false),
    ],
    statistics: &[SELECTED],
    dialects: &[],
    run: select_cuts,
};

const SELECTED: Statistic = statistic("num-selected", "applies whose readers compute a part");

/// Prices are attoseconds a point: a byte takes 200,000 and an operation 30,000 on an H200.
const ATTOSECONDS: f64 = 1e18;

fn select_cuts(function: OperationRef, options: &OptionValues, cx: &mut PassContext) -> PassResult {
    if options.flag("plain") {
        return Ok(());
    }
    let fusing = Fusing::of(function, options)?;
    let product = fusing.target.product;
    for (number, block) in stages::blocks(function).into_iter().enumerate() {
        for producer in 0..block.applies.len() {
            let Some(crossing) = Producer::of(&block, producer).and_then(|it| it.cut(product))
            else {
                continue;
            };
            decide(function, (number, block.applies[producer]), &crossing, &fusing, cx);
        }
    }
    Ok(())
}

/// Marks ops of an apply of a block if the cut at them pays.
fn decide<'c: 'a, 'a>(
    function: OperationRef<'c, 'a>,
    (block, apply): (usize, ApplyOp<'c, 'a>),
    crossing: &[OperationRef<'c, 'a>],
    fusing: &Fusing,
    cx: &mut PassContext,
) {
    let operation = apply.operation();
    let Some(before) = Outcome::of(function, block, fusing) else { return };
    mark(crossing, "");
    let after = Outcome::of(function, block, fusing);
    let why = after.as_ref().map(|after| after.against(&before)).unwrap_or_default();
    let (values, results) = (crossing.len(), operation.result_count());
    match after {
        Some(after) if after.is_better_than(&before, fusing.target.product) => {
            let what = format!(
                "keeps {values} values instead of {results}, and its readers compute the rest: \
                 {why}"
            );
            cx.passed(&operation, &what);
            mark(crossing, &why);
            cx.count(SELECTED, 1);
            return;
        }
        Some(_) => {
            let what = format!("keeps its {results} results instead of {values} values: {why}");
            cx.decline(&operation, &what);
        }
        None => {}
    }
    crossing.iter().for_each(|it| build::remove_attribute(*it, attribute::CROSSES));
}

/// Marks ops as those whose values cross.
fn mark(crossing: &[OperationRef], why: &str) {
    for operation in crossing {
        let context = build::context(operation);
        let mark = match why {
            "" => build::attribute(context, "unit"),
            _ => build::string(context, why),
        };
        build::set_attribute(*operation, attribute::CROSSES, mark);
    }
}

/// An apply that may be cut.
struct Producer<'b, 'c, 'a> {
    apply: ApplyOp<'c, 'a>,
    code: Code,
    block: &'b Block<'c, 'a>,
    number: usize,
    /// The applies of the block that read it.
    readers: Vec<usize>,
}

impl<'b, 'c: 'a, 'a> Producer<'b, 'c, 'a> {
    /// An apply of a block, if its readers can compute parts of it.
    fn of(block: &'b Block<'c, 'a>, number: usize) -> Option<Self> {
        let Stages { list, .. } = &block.stages;
        let apply = block.applies[number];
        let is_read = |reader: &usize| list[*reader].reads.iter().any(|read| read.is_of(number));
        let readers = (number + 1..list.len()).filter(is_read).collect::<Vec<_>>();
        let is_marked = || {
            let body = walk::nested(apply.operation());
            body.iter().any(|operation| operation.has_attribute(attribute::CROSSES))
        };
        if list[number].stays.is_some() || readers.is_empty() || is_marked() {
            return None;
        }
        let obstacle = |it: &usize| inline_producers::obstacle(block.applies[*it], apply).is_some();
        let is_one_point = apply.terminator().unroll().is_none() && apply.destinations().is_empty();
        if !is_one_point || readers.iter().any(obstacle) {
            return None;
        }
        Some(Self { apply, code: point_code::of(apply), block, number, readers })
    }

    /// The ops at the cheapest cut, if it is cheaper than to keep the results.
    fn cut(&self, product: &Product) -> Option<Vec<OperationRef<'c, 'a>>> {
        let wanted = self.wanted();
        let roots = wanted.keys().map(|result| self.root(*result)).collect::<Option<Vec<_>>>()?;
        let prices = self.prices(&wanted, product);
        let results = roots.iter().copied().collect::<BTreeSet<_>>();
        let results = results.iter().map(|root| prices.items[root.index()].crossing);
        let as_it_is = results.sum::<Option<u64>>();
        let cut = cut::cheapest(&self.code.dag, &roots, &prices);
        if cut.crossing.is_empty() || as_it_is.is_some_and(|as_it_is| as_it_is <= cut.price) {
            return None;
        }
        let body = walk::operations(self.apply.body());
        Some(cut.crossing.iter().map(|item| body[item.index()]).collect())
    }

    /// The results that readers read, and where each does.
    fn wanted(&self) -> BTreeMap<usize, BTreeSet<(usize, &'b [Range])>> {
        let mut wanted = BTreeMap::<usize, BTreeSet<_>>::new();
        for reader in &self.readers {
            let reads = self.block.stages.list[*reader].reads.iter();
            let reads = reads.filter(|read| read.is_of(self.number)).filter_map(Read::result);
            for (result, ranges) in reads {
                wanted.entry(result).or_default().insert((*reader, ranges));
            }
        }
        wanted
    }

    /// The item that computes a result.
    fn root(&self, result: usize) -> Option<ItemId> {
        let value = inline_producers::returned(self.apply, result)?;
        let operation = walk::definition(value)?;
        let body = walk::operations(self.apply.body());
        body.iter().position(|other| *other == operation).map(ItemId::new)
    }

    fn prices(
        &self,
        wanted: &BTreeMap<usize, BTreeSet<(usize, &[Range])>>,
        product: &Product,
    ) -> Prices {
        let body = walk::operations(self.apply.body());
        let price = |seconds: f64| (seconds * ATTOSECONDS).round() as u64;
        let dag = &self.code.dag;
        let cone = |result: &usize| {
            let root = self.root(*result).into_iter().collect::<Vec<_>>();
            Slice::of(dag, &root, &BTreeSet::new()).items
        };
        let cones = wanted.iter().map(|(result, reads)| (cone(result), reads)).collect::<Vec<_>>();
        let stored = self.stored();
        let items = dag.ids().map(|item| {
            let needing = cones.iter().filter(|(cone, _)| cone.contains(&item));
            let places = needing.flat_map(|(_, reads)| reads.iter()).collect::<BTreeSet<_>>();
            let readers = places.iter().map(|(reader, _)| reader).collect::<BTreeSet<_>>().len();
            let (operation, computes) = (body[item.index()], &dag[item].kind);
            let load = seconds_of_work(Work { slots: 1.0, ..Work::default() }, product);
            let loads = load * places.len() as f64;
            let reads = if computes.reads.is_empty() { 0.0 } else { loads };
            let work = seconds_of_work(shared_work::work(operation), product) * places.len() as f64;
            let crossing = computes.is_storable.then(|| {
                let r#type = build::single(operation).r#type();
                let bytes = u64::from(types::element_bytes(r#type).unwrap_or_default());
                let written = u64::from(!stored.contains(&item));
                price(seconds_of_bytes(bytes * (written + readers as u64), product) + loads)
            });
            let inputs = computes.reads.iter().map(|cell| cell.array).collect();
            Price { crossing, behind: price(work + reads), inputs }
        });
        let inputs = (0..self.apply.arguments().len()).map(|input| match self.input(input) {
            None => cut::NEVER,
            Some(bytes) => price(seconds_of_bytes(bytes, product)),
        });
        Prices { items: items.collect(), inputs: inputs.collect() }
    }

    /// The items whose values are stored in any case.
    fn stored(&self) -> BTreeSet<ItemId> {
        let results = self.block.stages.list[self.number].results.iter().enumerate();
        let stored = results.filter(|(_, output)| !output.fields.is_empty());
        stored.filter_map(|(result, _)| self.root(result)).collect()
    }

    /// Bytes a point that readers read more if they read an input of the apply, too; none if they
    /// must not.
    fn input(&self, number: usize) -> Option<u64> {
        let argument = self.apply.arguments()[number];
        let r#type = StencilType::of(argument.r#type())?;
        let bytes = u64::from(types::element_bytes(r#type.element)?);
        let field = placement::loaded_field(argument);
        let Stages { list, memory, .. } = &self.block.stages;
        let known = field.and_then(|field| self.block.fields.iter().position(|it| *it == field));
        let of_field = memory.iter().filter(|memory| Some(memory.field) == known);
        let last = self.readers.iter().map(|reader| list[*reader].position).max()?;
        let from = list[self.number].position;
        let mut writes = of_field.flat_map(|memory| &memory.writes);
        if known.is_some() && writes.any(|write| write.at > from && write.by <= last) {
            return None;
        }
        let reads_it = |reader: &&usize| {
            let arguments = self.block.applies[**reader].arguments();
            let fields = arguments.iter().filter_map(|it| placement::loaded_field(*it));
            arguments.contains(&argument)
                || field.is_some_and(|own| fields.into_iter().any(|it| it == own))
        };
        let lacking = self.readers.iter().filter(|reader| !reads_it(reader)).count();
        Some(bytes * lacking as u64)
    }
}

/// What a block and its function take with the marks that applies have.
struct Outcome {
    stages: Stages,
    traffic: Traffic,
    /// Nanoseconds of a time step, as predicted.
    ns: f64,
}

impl Outcome {
    fn of(function: OperationRef, block: usize, fusing: &Fusing) -> Option<Self> {
        let module = Module::new(function.location());
        let copy = module.body().append_operation(build::clone(function));
        try_pass(&CUT_PRODUCERS, copy, &[]).ok()?;
        let Block { applies, stages, .. } = stages::blocks(copy).into_iter().nth(block)?;
        let traffic = stages.merged_traffic();
        let steps = applies.first().map_or(1.0, |apply| times_run(apply.operation()));
        let ns = forms::predicted_ns(copy, fusing)? / steps;
        Some(Self { stages, traffic, ns })
    }

    fn is_better_than(&self, before: &Self, product: &Product) -> bool {
        let is_small = self.stages.grows_little(&before.stages);
        is_small && pays(before.traffic, self.traffic, product) && self.ns <= before.ns
    }

    /// The numbers of both.
    fn against(&self, before: &Self) -> String {
        let points = before.stages.points();
        let [(bytes, work, us), (fewer, more, less)] = [before, self].map(|it| {
            let work = (it.traffic.work.slots / points as f64).round();
            (it.traffic.bytes.div_ceil(points), work, it.ns / 1e3)
        });
        format!(
            "{bytes} -> {fewer} bytes a point, {work} -> {more} issue slots, {us:.1} -> {less:.1} \
             us predicted"
        )
    }
}
