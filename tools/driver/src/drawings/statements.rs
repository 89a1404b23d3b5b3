//! The pipelines of sweeps over several statements, with names for their streams.
//!
//! A stream is called by the field whose level it is, and the level: `u` enters, `u+1` is what the
//! first step makes of it, `u-1` the level before, which enters as well. What no step hands to the
//! next is called by its statement. Shadow buffers have no names; the fields that levels return to
//! have.

use super::{
    arrays::array,
    sweeps::{Drawn, head, planes},
};
use melior::ir::Value;
use std::collections::HashMap;
use stencil_dialects::{
    ods::sweep::{CarryOp, InputOp, OutputOp, StageOp, StagesOp},
    walk::{self, ValueKey},
};
use stencil_lowering::sweep::graph::{self, Levels};
use stencil_model::sweep::drawing::statements::{Sweep, drawing};

/// The drawing of a sweep, and the same without the names of fields, which is equal for sweeps that
/// do the same; none without a plan, which is refused where it is carried out.
pub fn text(stages: StagesOp) -> Option<Drawn> {
    let plan = graph::plan(stages).ok()?;
    let levels = Levels::of(stages, &plan);
    let mut first = head(&stages.stage(), &plan);
    if !levels.periodic.is_empty() {
        let dimensions = levels.periodic.iter().map(ToString::to_string).collect::<Vec<_>>();
        first.push_str(&format!(", periodic along {}", dimensions.join(" ")));
    }
    let domain = levels.domain();
    let sweep = Sweep {
        graph: &levels.graph,
        plan: &plan,
        rank: domain.rank(),
        planes: planes(&domain),
        streams: names(&levels),
        levels: levels.levels.iter().map(|level| level.stage.name()).collect(),
    };
    let text = format!("{first}\n{}", drawing(&sweep));
    let streams = (0..sweep.streams.len()).map(|number| number.to_string()).collect();
    let key = format!("{first}\n{}", drawing(&Sweep { streams, ..sweep }));
    Some(Drawn { key, text })
}

/// The names of all streams.
fn names(levels: &Levels) -> Vec<String> {
    let histories = Histories::of(levels.stages);
    let mut names = vec![String::new(); levels.streams.len()];
    for (number, stream) in levels.streams.iter().enumerate() {
        if let Some(input) = stream.input {
            let (field, age) = histories.of_input(input);
            names[number] = at(&field, -age);
        }
    }
    for level in &levels.levels {
        let results = level.stage.streams();
        let step = level.step as i64 + 1;
        for (position, (result, stream)) in results.iter().zip(&level.results).enumerate() {
            let own = match results.len() {
                1 => level.stage.name(),
                _ => format!("{}.{position}", level.stage.name()),
            };
            names[*stream] = at(histories.of_result(*result).unwrap_or(&own), step);
        }
    }
    names
}

/// A level of a field, counted from the one that a sweep starts from.
fn at(field: &str, level: i64) -> String {
    match level {
        0 => field.to_owned(),
        level => format!("{field}{level:+}"),
    }
}

/// Which streams are levels of one field.
struct Histories<'c, 'a> {
    stages: StagesOp<'c, 'a>,
    inputs: HashMap<ValueKey, InputOp<'c, 'a>>,
    carries: Vec<CarryOp<'c, 'a>>,
    outputs: Vec<OutputOp<'c, 'a>>,
    /// The name and the age of each input that steps hand on.
    ages: HashMap<ValueKey, (String, i64)>,
    /// The name of each result that steps hand on.
    results: HashMap<ValueKey, String>,
}

impl<'c: 'a, 'a> Histories<'c, 'a> {
    fn of(stages: StagesOp<'c, 'a>) -> Self {
        let operations = walk::operations(stages.body());
        let inputs = operations.iter().filter_map(|it| InputOp::of(*it));
        let mut histories = Self {
            stages,
            inputs: inputs.map(|input| (ValueKey::of(&input.stream()), input)).collect(),
            carries: operations.iter().filter_map(|it| CarryOp::of(*it)).collect(),
            outputs: operations.iter().filter_map(|it| OutputOp::of(*it)).collect(),
            ages: HashMap::new(),
            results: HashMap::new(),
        };
        for stage in operations.iter().filter_map(|it| StageOp::of(*it)) {
            stage.streams().into_iter().for_each(|result| histories.add(result));
        }
        histories
    }

    /// Names a result and the inputs that it becomes, if there are any.
    fn add(&mut self, result: Value<'c, 'a>) {
        let entered = self.entered(result);
        let Some(first) = entered.first() else { return };
        let stored = self.outputs.iter().filter(|output| output.stream() == result);
        let stored = stored.map(|output| output.field());
        let fields = std::iter::once(first.field()).chain(first.outside()).chain(stored);
        let name = fields.into_iter().find_map(|field| self.source(field));
        let name = name.unwrap_or_else(|| numbered(first.field()));
        for (age, input) in entered.iter().enumerate() {
            self.ages.insert(ValueKey::of(&input.stream()), (name.clone(), age as i64));
        }
        self.results.insert(ValueKey::of(&result), name);
    }

    /// The inputs that a result becomes step by step, the newest first.
    fn entered(&self, result: Value<'c, 'a>) -> Vec<InputOp<'c, 'a>> {
        let mut entered: Vec<InputOp> = Vec::new();
        let mut now = result;
        while let Some(carry) = self.carries.iter().find(|carry| carry.next() == now) {
            now = carry.input();
            // An input may be handed to itself.
            if entered.iter().any(|input| input.stream() == now) {
                break;
            }
            entered.push(self.inputs[&ValueKey::of(&now)]);
        }
        entered
    }

    fn of_input(&self, input: InputOp<'c, 'a>) -> (String, i64) {
        let known = self.ages.get(&ValueKey::of(&input.stream())).cloned();
        known.unwrap_or_else(|| {
            let name = self.source(input.field()).unwrap_or_else(|| numbered(input.field()));
            (name, 0)
        })
    }

    fn of_result(&self, result: Value) -> Option<&String> {
        self.results.get(&ValueKey::of(&result))
    }

    /// What the program calls a field of the op.
    fn source(&self, field: Value<'c, 'a>) -> Option<String> {
        let (_, position) = walk::block_argument(field)?;
        Some(array(*self.stages.fields().get(position)?)?.name)
    }
}

/// A name for a field of the op that the program has none for.
fn numbered(field: Value) -> String {
    walk::block_argument(field).map_or("field".to_owned(), |(_, number)| format!("field{number}"))
}
