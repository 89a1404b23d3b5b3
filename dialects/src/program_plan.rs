//! `#stencil.program_plan`: the kernels of a function.

use crate::{
    attributes::{self, PlanValue},
    ffi,
};
use melior::{
    Context,
    ir::{
        Attribute, AttributeLike, Identifier,
        attribute::{ArrayAttribute, DictionaryAttribute, StringAttribute},
    },
};
use std::collections::BTreeMap;

const INLINED: &str = "inlined";
const NAME: &str = "name";
const PLAN: &str = "plan";
const STAGES: &str = "stages";
const TIME_LOOP: &str = "time_loop";

/// A kernel of a program plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelPlan {
    /// What keys and reports call it, if that was decided.
    pub name: Option<String>,
    /// The stages that it computes, at least one.
    pub stages: Vec<String>,
    /// Stages that they compute again.
    pub inlined: Vec<String>,
    /// The keys of its plan; none if all are open.
    pub plan: Option<BTreeMap<String, PlanValue>>,
    /// Whether its stages are the body of a loop, whose plan it is.
    pub is_time_loop: bool,
}

/// The kernels of a `#stencil.program_plan`; none if the attribute is another.
pub fn kernels(attribute: Attribute) -> Option<Vec<KernelPlan>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is live; kernels are read from a program plan only.
    let list = unsafe {
        if !ffi::stencilAttributeIsAProgramPlan(raw) {
            return None;
        }
        Attribute::from_raw(ffi::stencilProgramPlanAttrGetKernels(raw))
    };
    let list = ArrayAttribute::try_from(list).ok()?;
    (0..list.len()).map(|at| kernel(list.element(at).ok()?)).collect()
}

fn kernel(attribute: Attribute) -> Option<KernelPlan> {
    let entries = DictionaryAttribute::try_from(attribute).ok()?;
    let names = |key: &str| match entries.element_by_name(key) {
        Some(list) => strings(list),
        None => Some(Vec::new()),
    };
    Some(KernelPlan {
        name: entries.element_by_name(NAME).and_then(attributes::string),
        stages: names(STAGES)?,
        inlined: names(INLINED)?,
        plan: entries.element_by_name(PLAN).and_then(attributes::plan),
        is_time_loop: entries.element_by_name(TIME_LOOP).is_some(),
    })
}

fn strings(attribute: Attribute) -> Option<Vec<String>> {
    let list = ArrayAttribute::try_from(attribute).ok()?;
    (0..list.len()).map(|at| attributes::string(list.element(at).ok()?)).collect()
}

/// Constructs `#stencil.program_plan<[..]>`, in which no stage is twice.
pub fn make<'c>(context: &'c Context, kernels: &[KernelPlan]) -> Attribute<'c> {
    let list = kernels.iter().map(|kernel| make_kernel(context, kernel)).collect::<Vec<_>>();
    let list: Attribute = ArrayAttribute::new(context, &list).into();
    // SAFETY: the array belongs to the context.
    unsafe { Attribute::from_raw(ffi::stencilProgramPlanAttrGet(context.to_raw(), list.to_raw())) }
}

fn make_kernel<'c>(context: &'c Context, kernel: &KernelPlan) -> Attribute<'c> {
    let text = |text: &String| -> Attribute<'c> { StringAttribute::new(context, text).into() };
    let list = |names: &[String]| -> Attribute<'c> {
        ArrayAttribute::new(context, &names.iter().map(text).collect::<Vec<_>>()).into()
    };
    let mut entries = vec![(STAGES, list(&kernel.stages))];
    if !kernel.inlined.is_empty() {
        entries.push((INLINED, list(&kernel.inlined)));
    }
    entries.extend(kernel.name.as_ref().map(|name| (NAME, text(name))));
    entries.extend(kernel.plan.as_ref().map(|it| (PLAN, attributes::make_plan(context, it))));
    entries.extend(kernel.is_time_loop.then(|| (TIME_LOOP, Attribute::unit(context))));
    let entries = entries.iter().map(|(key, value)| (Identifier::new(context, key), *value));
    DictionaryAttribute::new(context, &entries.collect::<Vec<_>>()).into()
}
