//! Who notices a fault: the verifier, the check of the order against the code that was put in
//! order, and the run.

use super::lines::{Op, blocks};
use melior::ir::{Module, OperationRef, operation::OperationLike};
use std::{collections::BTreeMap, sync::Arc};
use stencil_code::ItemId;
use stencil_dialects::{attributes, build, walk};
use stencil_driver::{
    DriverError, arguments,
    emulated::{Emulation, Watch},
    input::Input,
    monitor::Silent,
    pipelines::{self, Kernels, LoweringOptions, PlanRequest},
    session::{self, Session},
    target::{self, Target},
    verify,
};
use stencil_emulator::Races;
use stencil_lowering::gpu::{
    block_dag::{BlockDag, Origin},
    order,
};
use stencil_model::plan::Plan;
use stencil_runtime::{
    bind::{Requests, Value},
    manifest::Argument,
};

/// The number of an operation.
const TAG: &str = "tag";

/// Kernels before and after the passes that order operations, which have numbers.
pub struct Ordered {
    pub made: String,
    pub in_order: String,
}

/// Who noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    pub by_verifier: bool,
    pub by_order: bool,
    pub by_run: bool,
}

impl Noticed {
    pub fn by_anybody(self) -> bool {
        self.by_verifier || self.by_order || self.by_run
    }
}

/// Does something with the module of a text, in a session of its own that says nothing.
fn parsed<R>(
    text: &str,
    work: impl for<'c> FnOnce(&Session<'c>, &Module<'c>) -> Result<R, DriverError>,
) -> Result<R, DriverError> {
    let context = session::new_context();
    let input = Input { name: "kernels.mlir".into(), text: text.to_owned() };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None)?);
    // Of several handlers the last is asked first: the session's is not.
    context.attach_diagnostic_handler(|_| true);
    work(&session, &session.parse()?)
}

/// The kernels of a program, in the order that they were made in.
pub fn kernels(program: &str, plan: &PlanRequest) -> String {
    let made = parsed(program, |session, module| {
        let frozen = session.freeze(module)?;
        let (made, _) = pipelines::around_order();
        let options = LoweringOptions { kernels: Kernels::Planned, plan, chip: "" };
        let made = session.transform(&frozen, &pipelines::text(made, target::DEFAULT, &options))?;
        Ok(made.as_operation().to_string())
    });
    made.unwrap()
}

/// Puts kernels in order as their plans say.
pub fn ordered(kernels: &str) -> Ordered {
    let texts = parsed(kernels, |session, module| {
        let mut tag = 0;
        for (kernel, _) in found(module) {
            for operation in walk::nested(kernel).into_iter().filter(|other| *other != kernel) {
                let text = format!("{tag} : i64");
                let context = build::context(&operation);
                let number = melior::ir::Attribute::parse(context, &text).unwrap();
                build::set_attribute(operation, TAG, number);
                tag += 1;
            }
        }
        let (_, order) = pipelines::around_order();
        let plan = PlanRequest::default();
        let options = LoweringOptions { kernels: Kernels::Planned, plan: &plan, chip: "" };
        let text = pipelines::text(order, target::DEFAULT, &options);
        let in_order = session.transform(module, &text)?.as_operation().to_string();
        Ok(Ordered { made: module.as_operation().to_string(), in_order })
    });
    texts.unwrap()
}

fn found<'c: 'a, 'a>(module: &'a Module<'c>) -> Vec<(OperationRef<'c, 'a>, Plan)> {
    order::kernels(module.as_operation()).unwrap()
}

/// What is wrong with the order of kernels, if one says so.
pub fn fault_of_order(made: &str, in_order: &str) -> Result<Option<String>, DriverError> {
    let (before, after) = (operations(made), operations(in_order));
    if before != after {
        let differs = before.iter().find(|(tag, text)| after.get(tag) != Some(text));
        return Ok(Some(format!("operations differ: {differs:?}")));
    }
    // The orders of both, by numbers; the first with its code.
    let orders = parsed(in_order, |_, module| Ok(tags(module)))?;
    parsed(made, |_, module| {
        let kernels = found(module).into_iter();
        let codes: Vec<_> = kernels.flat_map(|(k, _)| BlockDag::all_of(k)).collect();
        if codes.len() != orders.len() {
            return Ok(Some("blocks differ".to_owned()));
        }
        let wrong = codes.iter().zip(&orders).find(|(code, order)| !allows(code, order));
        Ok(wrong.map(|(_, order)| format!("an order is not allowed: {order:?}")))
    })
}

/// The numbers of the operations of each block with an order.
fn tags(module: &Module) -> Vec<Vec<i64>> {
    let kernels = found(module).into_iter();
    let codes: Vec<_> = kernels.flat_map(|(kernel, _)| BlockDag::all_of(kernel)).collect();
    codes.iter().map(|code| numbered(code).into_iter().map(|(tag, _)| tag).collect()).collect()
}

/// The items of a code that are operations of the block, with their numbers.
fn numbered(code: &BlockDag) -> Vec<(i64, ItemId)> {
    let items = code.dag.ids();
    items
        .filter_map(|item| match code.origin(item) {
            Origin::LiveIn(_) => None,
            Origin::Operation(operation) => {
                let tag = operation.attribute(TAG).ok().and_then(attributes::integer);
                Some((tag.unwrap(), item))
            }
        })
        .collect()
}

fn allows(code: &BlockDag, order: &[i64]) -> bool {
    let numbered = numbered(code);
    let of_tag: BTreeMap<i64, ItemId> = numbered.iter().copied().collect();
    let is_given = |item: &ItemId| matches!(code.origin(*item), Origin::LiveIn(_));
    let given = code.dag.ids().filter(is_given);
    let placed = order.iter().map(|tag| of_tag.get(tag).copied()).collect::<Option<Vec<_>>>();
    placed.is_some_and(|placed| code.dag.allows(&given.chain(placed).collect::<Vec<_>>()))
}

/// What each operation is, by its number: its line, with operands named by what gives them.
fn operations(text: &str) -> BTreeMap<usize, String> {
    let mut of_block: Vec<Op> = blocks(text).into_iter().flatten().collect();
    of_block.sort_by_key(|op| op.lines.start);
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let mut told = BTreeMap::new();
    for op in of_block {
        let mut parts = op.rest.split('%');
        let mut line = parts.next().unwrap_or_default().to_owned();
        for (name, part) in op.operands.iter().zip(parts) {
            let behind = &part[name.len() - 1..];
            let meaning = known.get(name).unwrap_or(name);
            line.push_str(&format!("<{meaning}>{behind}"));
        }
        for (number, result) in op.results.iter().enumerate() {
            known.insert(result.clone(), format!("{}.{number}", op.tag));
        }
        told.insert(op.tag, line);
    }
    told
}

/// What a function leaves when its kernels run on the emulator, which watches for races.
pub fn run(
    text: &str,
    requests: &Requests,
) -> Result<(Arc<Vec<Argument>>, Vec<Value>), DriverError> {
    parsed(text, |session, module| {
        let watch = Watch { races: Races::All, order_seed: Some(requests.seed) };
        let emulation = Emulation::of_kernels(session, module)?.watched(watch);
        let function = emulation.manifest().function(Some("main"));
        let arguments = function.expect("programs have a main function").arguments.clone();
        let mut bound = arguments::bind(&arguments, requests)?;
        emulation.run("main", &mut bound, &Silent)?;
        Ok((Arc::new(arguments), bound.values))
    })
}

/// Asks everybody.
pub fn notice(made: &str, planted: &str, requests: &Requests, right: &[Value]) -> Noticed {
    if parsed(planted, |_, _| Ok(())).is_err() {
        return Noticed { by_verifier: true, ..Noticed::default() };
    }
    let by_order = fault_of_order(made, planted).unwrap().is_some();
    let by_run = match run(planted, requests) {
        Err(_) => true,
        Ok((arguments, found)) => !verify::compare(&arguments, right, &found).is_identical(),
    };
    Noticed { by_verifier: false, by_order, by_run }
}
