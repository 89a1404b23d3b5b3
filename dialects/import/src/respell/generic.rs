//! Ops in generic form: attributes that older tools wrote, and those that are gone.

use super::{
    grids::{Grid, integers, list},
    ops::Respeller,
    tokens::Kind,
};
use crate::diagnostic::Diagnostic;
use std::ops::Range;

/// Where the parts of an op in generic form are.
pub struct Generic<'t> {
    /// Its name, without quotes.
    pub name: &'t str,
    /// The values that it takes.
    pub operands: Vec<&'t str>,
    /// The last token of its regions, if it has any.
    regions_end: Option<usize>,
    /// Its properties and attributes.
    pub entries: Vec<Entry<'t>>,
    /// The first tokens of the operands' types.
    operand_types: Vec<usize>,
    /// The first tokens of the results' types.
    result_types: Vec<usize>,
    /// The token after all of it.
    end: usize,
}

/// `name = value` in a dictionary.
pub struct Entry<'t> {
    key: &'t str,
    /// All of its tokens, and those of the value.
    all: Range<usize>,
    value: Range<usize>,
    /// The dictionary's opening bracket.
    open: usize,
}

/// Bounds that were inferred, and will be inferred again.
const WITH_INFERRED_BOUNDS: [&str; 5] =
    ["stencil.cast", "stencil.load", "stencil.apply", "stencil.buffer", "stencil.combine"];

impl<'t> Respeller<'_, 't> {
    /// Respells an op in generic form; the walk continues inside of it.
    pub fn generic(&mut self, at: usize) -> Result<usize, Diagnostic> {
        let Some(op) = self.layout(at) else { return Ok(at + 1) };
        if let Some(name) = (self.spelling.rename)(op.name) {
            self.put(at..at + 1, format!("\"{name}\""));
        }
        if ["func", "func.func"].contains(&op.name) {
            self.clear_casts();
            let typed = op.entries.iter().find(|entry| entry.key == "type" && op.name == "func");
            typed.into_iter().for_each(|e| self.put(e.all.start..e.all.start + 1, "function_type"));
        }
        // `"module_terminator"() : () -> ()`: modules end without one.
        if op.name == "module_terminator" {
            self.put(at..op.end, "");
            return Ok(op.end);
        }
        self.segments(&op);
        if op.name.starts_with("stencil.") {
            self.refuse(op.name, at)?;
            self.stencil_op(&op, at)?;
        }
        Ok(at + 1)
    }

    fn stencil_op(&mut self, op: &Generic<'t>, at: usize) -> Result<(), Diagnostic> {
        let grid = |at: &usize| Grid::at(self.tokens, *at);
        let operand = op.operand_types.first().and_then(grid);
        let result = op.result_types.first().and_then(grid);
        if let (Some(end), "stencil.apply", Some(result)) = (op.regions_end, op.name, &result) {
            self.enter_apply(end, result.has());
            self.add_segments(op, at);
        }
        if let Some(entry) = op.entries.iter().find(|entry| entry.key == "seq") {
            return Err(self.sequential(entry.all.clone()));
        }
        let removed: &[&str] = match op.name {
            "stencil.store" => self.store_bounds(op, operand.as_ref())?,
            name if WITH_INFERRED_BOUNDS.contains(&name) => &["lb", "ub"],
            _ => &[],
        };
        if let ("stencil.cast", Some(result)) = (op.name, &result) {
            self.generic_cast(op, result, at)?;
        }
        self.remove(op, removed);
        for entry in &op.entries {
            self.entry(op, entry, operand.as_ref(), result.as_ref())?;
        }
        if op.name == "stencil.dyn_access" && self.spelling.is_reversed {
            self.reverse_operands(at, operand.as_ref());
        }
        for (position, at) in op.operand_types.iter().enumerate() {
            self.respell_type(*at, op.operands.get(position).copied())?;
        }
        let value = self.result(at);
        for at in &op.result_types {
            self.respell_type(*at, value)?;
        }
        Ok(())
    }

    fn generic_cast(
        &mut self,
        op: &Generic,
        result: &Grid<'t>,
        at: usize,
    ) -> Result<(), Diagnostic> {
        let list = |key| {
            let entry = op.entries.iter().find(|entry| entry.key == key)?;
            Some((integers(self.tokens, entry.value.clone())?, entry.all.clone()))
        };
        let (Some((lower, clause)), Some((upper, _))) = (list("lb"), list("ub")) else {
            return Ok(());
        };
        self.note_cast(self.result(at), result, clause, [lower, upper])
    }

    /// Makes `bounds` of `lb` and `ub` of a store.
    fn store_bounds(
        &mut self,
        op: &Generic,
        temp: Option<&Grid>,
    ) -> Result<&'static [&'static str], Diagnostic> {
        let entry = |key| op.entries.iter().find(|entry| entry.key == key);
        let (Some(lower), Some(upper)) = (entry("lb"), entry("ub")) else { return Ok(&[]) };
        let mut lists = Vec::new();
        for entry in [lower, upper] {
            let Some(values) = integers(self.tokens, entry.value.clone()) else { return Ok(&[]) };
            lists.push(list(&self.of_grid(&values, temp, entry.value.clone())?));
        }
        let text = format!("bounds = #stencil.bounds<{}>", lists.join(", "));
        self.put(lower.all.clone(), text);
        Ok(&["ub"])
    }

    /// Respells the value of one attribute of an op of the dialect.
    fn entry(
        &mut self,
        op: &Generic,
        entry: &Entry,
        operand: Option<&Grid>,
        result: Option<&Grid>,
    ) -> Result<(), Diagnostic> {
        let Some(values) = integers(self.tokens, entry.value.clone()) else { return Ok(()) };
        let range = entry.value.clone();
        let is_old = !self.tokens.is(range.start, "#stencil.index")
            || !self.tokens.is(range.start + 1, "<")
            || !self.tokens.is(range.start + 2, "[")
            || range.clone().any(|at| self.tokens.is(at, ":"));
        match (op.name, entry.key) {
            ("stencil.access", "offset") if self.spelling.is_reversed => {
                let (offset, mapping) = self.access_offset(&values, operand, range.clone())?;
                let mapping = mapping.map(|mapping| {
                    format!(", offset_mapping = #stencil.index<{}>", list(&mapping))
                });
                let mapping = mapping.unwrap_or_default();
                self.put(range, format!("#stencil.index<{}>{mapping}", list(&offset)));
            }
            ("stencil.index", "dim") => {
                let dim = self.dimension(values[0], None, range.clone())?;
                self.index_number(range, dim);
            }
            ("stencil.combine", "dim") => {
                let dim = self.dimension(values[0], result, range.clone())?;
                self.index_number(range, dim);
            }
            ("stencil.combine", "index") => self.index_number(range, values[0]),
            ("stencil.index", "offset") | ("stencil.return", "unroll") => {
                if entry.key == "unroll" {
                    self.check_unroll(&values, range.clone())?;
                }
                let values = self.of_apply(&values, range.clone())?;
                if is_old || self.spelling.is_reversed {
                    self.put(range, format!("#stencil.index<{}>", list(&values)));
                }
            }
            ("stencil.dyn_access", "lb" | "ub") => {
                let values = self.of_grid(&values, operand, range.clone())?;
                if is_old || self.spelling.is_reversed {
                    self.put(range, format!("#stencil.index<{}>", list(&values)));
                }
            }
            ("stencil.access", "offset" | "offset_mapping") if is_old => {
                self.put(range, format!("#stencil.index<{}>", list(&values)));
            }
            _ => {}
        }
        Ok(())
    }

    /// `2 : index`, which was `2` or `2 : i64`.
    fn index_number(&mut self, range: Range<usize>, value: i64) {
        if self.spelling.is_reversed || !self.tokens.is(range.end - 1, "index") {
            self.put(range, format!("{value} : index"));
        }
    }

    /// `operandSegmentSizes`, whose name and form changed in 2023.
    fn segments(&mut self, op: &Generic) {
        let Some(entry) = op.entries.iter().find(|entry| entry.key == "operand_segment_sizes")
        else {
            return;
        };
        self.put(entry.all.start..entry.all.start + 1, "operandSegmentSizes");
        let value = entry.value.clone();
        if !self.tokens.is(value.start, "dense") || !self.tokens.is(value.start + 1, "<") {
            return;
        }
        let sizes = self.tokens.inside(value.start + 1).trim();
        let sizes = sizes.trim_start_matches('[').trim_end_matches(']');
        self.put(value, format!("array<i32: {sizes}>"));
    }

    /// The sizes of an apply's operands, which there are since the buffer form: all are arguments.
    fn add_segments(&mut self, op: &Generic, at: usize) {
        if op.entries.iter().any(|entry| entry.key.starts_with("operand")) {
            return;
        }
        let sizes = format!("operandSegmentSizes = array<i32: {}, 0>", op.operands.len());
        let next = self.tokens.close(at + 1) + 1;
        match op.entries.iter().find(|entry| entry.open == next + 1) {
            Some(entry) => self.insert(entry.all.start, format!("{sizes}, ")),
            None => self.insert(next, format!("<{{{sizes}}}> ")),
        }
    }

    /// Removes entries from the dictionaries, with their commas.
    fn remove(&mut self, op: &Generic, keys: &[&str]) {
        let is_removed = |entry: &Entry| keys.contains(&entry.key);
        for (position, entry) in op.entries.iter().enumerate().filter(|(_, e)| is_removed(e)) {
            let with = |other: &&Entry| other.open == entry.open;
            let next = op.entries.get(position + 1).filter(with);
            let kept = op.entries[..position].iter().rev().filter(with).find(|e| !is_removed(e));
            let end = next.map_or(entry.all.end, |next| next.all.start);
            // The comma before a last entry belongs to it, unless an entry before took it along.
            let previous = op.entries[..position].last().filter(with);
            let start = match (next, kept, previous) {
                (None, Some(_), Some(previous)) if !is_removed(previous) => previous.all.end,
                _ => entry.all.start,
            };
            self.put(start..end, "");
        }
    }

    /// Reverses the indices of a dyn_access, without those of absent dimensions.
    fn reverse_operands(&mut self, at: usize, grid: Option<&Grid>) {
        let open = at + 1;
        let values: Vec<usize> = (open + 1..self.tokens.close(open))
            .filter(|at| self.tokens.kind(*at) == Kind::Value)
            .collect();
        let Some((grid, indices)) = grid.zip(values.get(1..)) else { return };
        let [Some(first), Some(last)] = [indices.first(), indices.last()] else { return };
        let texts: Vec<&str> = indices.iter().map(|at| self.tokens.text(*at)).collect();
        let texts = self.select(&texts, &grid.has());
        self.put(*first..last + 1, texts.join(", "));
    }

    /// Reads the parts of an op whose name is at a token; none where they are not all there.
    fn layout(&self, at: usize) -> Option<Generic<'t>> {
        let tokens = self.tokens;
        let name = tokens.text(at).trim_matches('"');
        let values = at + 2..tokens.close(at + 1);
        let mut next = values.end + 1;
        let is_value = |at: &usize| tokens.kind(*at) == Kind::Value;
        let operands = values.filter(is_value).map(|at| tokens.text(at)).collect();
        // Successors of a terminator.
        if tokens.is(next, "[") {
            next = tokens.close(next) + 1;
        }
        let (mut entries, mut regions_end) = (Vec::new(), None);
        if tokens.is(next, "<") && tokens.is(next + 1, "{") {
            entries.extend(self.entries(next + 1));
            next = tokens.close(next) + 1;
        }
        if tokens.is(next, "(") {
            next = tokens.close(next) + 1;
            regions_end = Some(next - 1);
        }
        if tokens.is(next, "{") {
            entries.extend(self.entries(next));
            next = tokens.close(next) + 1;
        }
        if !tokens.is(next, ":") || !tokens.is(next + 1, "(") {
            return None;
        }
        let arrow = tokens.close(next + 1) + 1;
        let operand_types = self.types(next + 2..arrow - 1);
        let results = match (tokens.is(arrow, "->"), tokens.is(arrow + 1, "(")) {
            (false, _) => return None,
            (true, true) => arrow + 2..tokens.close(arrow + 1),
            (true, false) => arrow + 1..self.after_type(arrow + 1),
        };
        let end = results.end + usize::from(tokens.is(arrow + 1, "("));
        let result_types = self.types(results);
        Some(Generic { name, operands, regions_end, entries, operand_types, result_types, end })
    }

    /// The first tokens of types in a list.
    pub fn types(&self, range: Range<usize>) -> Vec<usize> {
        self.parts(range).into_iter().map(|part| part.start).collect()
    }

    /// The parts of a list between its commas.
    pub fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut at) = (Vec::new(), range.start, range.start);
        while at < range.end {
            if self.tokens.is(at, ",") {
                parts.push(start..at);
                start = at + 1;
            }
            at = match self.tokens.kind(at) {
                Kind::Open => self.tokens.close(at) + 1,
                _ => at + 1,
            };
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// The entries of a dictionary.
    fn entries(&self, open: usize) -> Vec<Entry<'t>> {
        let entry = |all: Range<usize>| {
            let key = self.tokens.text(all.start).trim_matches('"');
            let has_value = self.tokens.is(all.start + 1, "=") && all.len() > 2;
            let value = if has_value { all.start + 2 } else { all.end }..all.end;
            Entry { key, all, value, open }
        };
        let parts = self.parts(open + 1..self.tokens.close(open));
        parts.into_iter().filter(|part| !part.is_empty()).map(entry).collect()
    }
}
