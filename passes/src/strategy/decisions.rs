//! Decisions on a function, for reports: the plan of each of its stages in `--plan` syntax, with
//! its reason.
//!
//! A function carries them as one dictionary of plain attributes, which every pass leaves alone.

use melior::{
    Context,
    ir::{
        Attribute, Identifier, OperationRef,
        attribute::{ArrayAttribute, DictionaryAttribute},
        operation::OperationLike,
    },
};
use std::collections::BTreeMap;
use stencil_dialects::{attributes, build, ods::stencil::attribute};

const PLAN: &str = "plan";
const WHY: &str = "why";
/// In place of a plan that is chosen later: no text is empty in melior.
const OPEN: &str = "open";

/// The decision for a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Its plan in `--plan` syntax.
    pub plan: String,
    /// Why.
    pub why: String,
}

/// Decisions by stage.
pub type Decisions = BTreeMap<String, Decided>;

/// Those of a function; none before `stencil-select-plan`.
pub fn of(function: OperationRef) -> Decisions {
    let dictionary = function.attribute(attribute::DECISIONS).ok();
    let dictionary = dictionary.and_then(|found| DictionaryAttribute::try_from(found).ok());
    let entries = dictionary
        .iter()
        .flat_map(|found| (0..found.len()).filter_map(|position| found.element(position).ok()));
    entries
        .filter_map(|(stage, entry)| {
            let entry = DictionaryAttribute::try_from(entry).ok()?;
            let text = |key| entry.element_by_name(key).and_then(attributes::string);
            let decided = Decided { plan: text(PLAN)?, why: text(WHY)? };
            Some((stage.as_string_ref().as_str().unwrap_or_default().to_owned(), decided))
        })
        .collect()
}

/// The decision for a stage, or for the one that it was split from.
pub fn find<'d>(decisions: &'d Decisions, stage: &str) -> Option<&'d Decided> {
    let whole = || stage.rsplit_once('.').and_then(|(whole, _)| decisions.get(whole));
    decisions.get(stage).or_else(whole)
}

/// Writes the decisions. An earlier decision with the same plan keeps its original reason.
pub fn write(function: OperationRef, mut decisions: Decisions) {
    for (stage, before) in of(function) {
        if let Some(decided) = decisions.get_mut(&stage).filter(|now| now.plan == before.plan) {
            decided.why = before.why;
        }
    }
    if decisions.is_empty() {
        return;
    }
    let context = build::context(&function);
    let entry = |decided: &Decided| {
        let text = |text: &str| build::string(context, text);
        dictionary(context, [(PLAN, text(&decided.plan)), (WHY, text(&decided.why))])
    };
    let entries = decisions.iter().map(|(stage, decided)| (stage.as_str(), entry(decided)));
    build::set_attribute(function, attribute::DECISIONS, dictionary(context, entries));
}

/// Writes a reason for a kernel whose plan is chosen later.
pub fn note(function: OperationRef, stage: &str, why: &str) {
    let mut decisions = of(function);
    let decided = Decided { plan: OPEN.to_owned(), why: why.to_owned() };
    decisions.insert(stage.to_owned(), decided);
    write(function, decisions);
}

/// The reason that was noted for a kernel.
pub fn noted(function: OperationRef, stage: &str) -> Option<String> {
    let decided = of(function).remove(stage)?;
    (decided.plan == OPEN).then_some(decided.why)
}

/// What an apply computes of others, each with the reason.
pub fn includes(apply: OperationRef) -> Vec<String> {
    let list = apply.attribute(attribute::INCLUDES).ok();
    let list = list.and_then(|list| ArrayAttribute::try_from(list).ok());
    let texts = list.iter().flat_map(|list| (0..list.len()).filter_map(|at| list.element(at).ok()));
    texts.filter_map(attributes::string).collect()
}

/// Adds to what an apply computes of others.
pub fn include(apply: OperationRef, what: String) {
    let mut texts = includes(apply);
    texts.push(what);
    let context = build::context(&apply);
    let texts = texts.iter().map(|text| build::string(context, text)).collect::<Vec<_>>();
    build::set_attribute(apply, attribute::INCLUDES, ArrayAttribute::new(context, &texts).into());
}

fn dictionary<'c, 'n>(
    context: &'c Context,
    entries: impl IntoIterator<Item = (&'n str, Attribute<'c>)>,
) -> Attribute<'c> {
    let named = |(name, value)| (Identifier::new(context, name), value);
    let entries = entries.into_iter().map(named).collect::<Vec<_>>();
    DictionaryAttribute::new(context, &entries).into()
}
