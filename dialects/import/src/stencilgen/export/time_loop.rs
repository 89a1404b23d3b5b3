//! Time loops.
//!
//! Names of arrays are names of memory. A loop whose fields change places is written with as many
//! copies of its body as there are arrangements, and iterations that are left over after it; with
//! `swap` where the body uses the number of the iteration.

use super::{
    Refused,
    program::{Array, Program},
    refuse,
};
use melior::ir::{BlockRef, OperationRef, Value, operation::OperationLike};
use stencil_dialects::{
    attributes, build,
    ods::arith,
    walk::{self, ValueKey},
};

impl<'c: 'a, 'a> Program<'c, 'a> {
    /// A loop over time.
    pub fn repeat(
        &mut self,
        r#loop: OperationRef<'c, 'a>,
        indent: &str,
    ) -> Result<String, Refused> {
        let body = build::block_of(r#loop, 0);
        let carried = r#loop.operands().skip(3).collect::<Vec<_>>();
        let start = carried.iter().map(|field| self.arrays.get(&ValueKey::of(field)).cloned());
        let Some(start) = start.collect::<Option<Vec<_>>>() else {
            let remedy = "time loops carry fields; keep other values in arrays";
            return Err(refuse(&r#loop, "carries a value that is no field", remedy));
        };
        let variable = build::argument(body, 0);
        let uses_variable = !walk::uses(variable).is_empty();
        let number = self.names.fresh("n");
        self.scalars.insert(ValueKey::of(&variable), number.clone());
        let inner = format!("{indent}  ");
        // The bodies of one turn, until every field is back in its place.
        let (mut bodies, mut state) = (Vec::new(), start.clone());
        loop {
            bodies.push(self.iteration(body, &mut state, &inner)?);
            if state == start {
                break;
            }
            let is_permutation = state.iter().all(|array| start.contains(array));
            if !is_permutation || bodies.len() > start.len() * start.len() {
                let remedy = "yield the loop's fields in another order, each once";
                return Err(refuse(&r#loop, "does not permute its fields", remedy));
            }
        }
        let turn = bodies.len() as i64;
        let (head, left) = match trips(r#loop) {
            Some((first, count)) if uses_variable && count % turn == 0 => {
                bodies.truncate(1);
                let swaps = swaps(body, &start, &inner);
                bodies.extend(swaps);
                (format!("iterate {number} = {first}:{} {{", first + count - 1), 0)
            }
            Some((_, count)) if !uses_variable => {
                (format!("iterate {} {{", count / turn), count % turn)
            }
            None if turn == 1 && !uses_variable => {
                let name = given_trips(r#loop).and_then(|it| self.scalars.get(&ValueKey::of(&it)));
                let Some(name) = name else { return Err(unknown_length(r#loop)) };
                (format!("iterate {name} {{"), 0)
            }
            Some(_) => {
                let remedy = format!("make the number of iterations a multiple of {turn}");
                let message = "uses its number while its fields change places, and ends between";
                return Err(refuse(&r#loop, message, remedy));
            }
            None => return Err(unknown_length(r#loop)),
        };
        let mut text = String::new();
        if !head.starts_with("iterate 0 ") {
            text += &format!("{indent}{head}\n{}{indent}}}\n", bodies.concat());
        }
        let mut state = start;
        for _ in 0..left {
            text += &self.iteration(body, &mut state, indent)?;
        }
        for (position, array) in state.into_iter().enumerate() {
            self.arrays.insert(ValueKey::of(&build::result(r#loop, position)), array);
        }
        Ok(text)
    }

    /// The calls of one iteration; `state` is moved to the arrays of the next.
    fn iteration(
        &mut self,
        body: BlockRef<'c, 'a>,
        state: &mut Vec<Array>,
        indent: &str,
    ) -> Result<String, Refused> {
        for (position, array) in state.iter().enumerate() {
            let argument = build::argument(body, position + 1);
            self.arrays.insert(ValueKey::of(&argument), array.clone());
        }
        let text = self.steps(body, indent)?;
        let end = walk::operations(body).pop().expect("a loop ends with a yield");
        *state = end.operands().map(|field| self.arrays[&ValueKey::of(&field)].clone()).collect();
        Ok(text)
    }
}

fn unknown_length(r#loop: OperationRef) -> Refused {
    let remedy = "give the loop constant bounds, or let it run from 0 to an argument and no fields \
                  that change places";
    refuse(&r#loop, "has a length that the language cannot state", remedy)
}

/// The first number and how many there are, where bounds are constants.
fn trips(r#loop: OperationRef) -> Option<(i64, i64)> {
    let of =
        |position| walk::constant(r#loop.operand(position).ok()?).and_then(attributes::integer);
    let [first, end, step] = [of(0)?, of(1)?, of(2)?];
    let is_plain =
        step == 1 || walk::uses(build::argument(build::block_of(r#loop, 0), 0)).is_empty();
    (step > 0 && is_plain).then(|| (first, ((end - first).max(0) + step - 1) / step))
}

/// The argument that says how often a loop runs from 0 on.
fn given_trips<'c: 'a, 'a>(r#loop: OperationRef<'c, 'a>) -> Option<Value<'c, 'a>> {
    let of =
        |position| walk::constant(r#loop.operand(position).ok()?).and_then(attributes::integer);
    if (of(0)?, of(2)?) != (0, 1) {
        return None;
    }
    let end = r#loop.operand(1).ok()?;
    let cast = walk::definition(end).filter(|cast| walk::name(cast) == arith::INDEX_CAST);
    Some(cast.map_or(end, |cast| cast.operand(0).expect("a cast has an operand")))
}

/// After an iteration: names change arrays as the loop's fields do.
fn swaps(body: BlockRef, start: &[Array], indent: &str) -> Vec<String> {
    let end = walk::operations(body).pop().expect("a loop ends with a yield");
    let source = |field: Value| {
        let (_, position) = walk::block_argument(field).expect("fields are permuted");
        position - 1
    };
    let wanted = end.operands().map(source);
    let mut held = (0..start.len()).collect::<Vec<_>>();
    let mut texts = Vec::new();
    for (position, wanted) in wanted.enumerate() {
        let at = held.iter().position(|one| *one == wanted).expect("a permutation");
        if at != position {
            held.swap(at, position);
            let [one, two] = [position, at].map(|place| &start[place].name);
            texts.push(format!("{indent}swap ({one}, {two});\n"));
        }
    }
    texts
}
