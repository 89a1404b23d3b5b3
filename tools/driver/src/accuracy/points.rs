//! Two graphs on random points: what rounding and algebra did, and what they may have done.
//!
//! The exact value of the text lies within the bound of its rounding of what it computes; that of
//! the frozen form, within its own bound; and one exact value within what algebra may move of the
//! other. So the difference of what both compute is at most the sum of the three.

use super::{
    code::{Code, Format, Inputs},
    reassociation::Reassociation,
    rounding::evaluate,
};
use stencil_runtime::{ScalarType, random::random_cell};

/// Points that are computed at once.
const BLOCK: u64 = 1024;
/// The bounds are computed with roundings, and without products of two errors.
const SLACK: f64 = 1.0 + 1.0 / 1_048_576.0;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// How many points.
    pub points: u64,
    /// The seed of their inputs.
    pub seed: u64,
}

/// What was seen of one result.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// The largest error, as a share of the bound at its point: at most one.
    pub share: f64,
    /// The largest error.
    pub error: f64,
    /// The largest bound.
    pub bound: f64,
    /// The root mean square of the result.
    pub size: f64,
    /// Points that say nothing: a comparison is uncertain, or a value is no finite number.
    pub left_out: u64,
}

/// The graphs of one apply.
pub struct Pair<'c> {
    /// As it is written.
    pub written: &'c Code,
    /// As it is computed.
    pub frozen: &'c Code,
    /// What both read.
    pub inputs: &'c Inputs,
}

impl Pair<'_> {
    /// Runs both on the points; what was seen of each result.
    pub fn compare(&self, draw: Draw) -> Vec<Seen> {
        let reassociation = Reassociation::of(self.written, self.inputs);
        let mut all = vec![Seen::default(); self.written.results.len()];
        let mut first = 0;
        while first < draw.points {
            let count = BLOCK.min(draw.points - first);
            let inputs = self.inputs(draw.seed, first, count);
            self.block(&reassociation, &inputs, count as usize, &mut all);
            first += count;
        }
        for seen in &mut all {
            let counted = (draw.points - seen.left_out).max(1) as f64;
            seen.size = (seen.size / counted).sqrt();
        }
        all
    }

    fn inputs(&self, seed: u64, first: u64, count: u64) -> Vec<Vec<f64>> {
        let all = self.inputs.all.iter().enumerate();
        let drawn = all.map(|(position, input)| {
            let element = match input.format {
                Format::F32 => ScalarType::F32,
                Format::F64 => ScalarType::F64,
                Format::Integer => ScalarType::Index,
            };
            let cell = |point: u64| match (input.known, input.format) {
                (Some(number), Format::F32) => f64::from(number as f32),
                (Some(number), _) => number,
                (None, Format::Integer) => {
                    random_cell(seed, position, element, point).signed() as f64
                }
                (None, _) => random_cell(seed, position, element, point).to_f64(),
            };
            (first..first + count).map(cell).collect()
        });
        drawn.collect()
    }

    fn block(
        &self,
        reassociation: &Reassociation,
        inputs: &[Vec<f64>],
        count: usize,
        all: &mut [Seen],
    ) {
        let mut uncertain = vec![false; count];
        let written = evaluate(self.written, inputs, &mut uncertain);
        let frozen = evaluate(self.frozen, inputs, &mut uncertain);
        let moved = reassociation.moved(&written, &mut uncertain);
        let results = self.written.results.iter().zip(&self.frozen.results);
        for (seen, (one, other)) in all.iter_mut().zip(results) {
            for (point, is_uncertain) in uncertain.iter().enumerate() {
                let (text, form) = (written[one.index()][point], frozen[other.index()][point]);
                let error = (text.value - form.value).abs();
                let bound = SLACK * (text.error + form.error + moved[one.index()][point]);
                match !is_uncertain && error.is_finite() && bound.is_finite() {
                    true => seen.add(text.value, error, bound),
                    false => seen.left_out += 1,
                }
            }
        }
    }
}

impl Seen {
    fn add(&mut self, value: f64, error: f64, bound: f64) {
        let share = if error == 0.0 { 0.0 } else { error / bound };
        self.share = self.share.max(share);
        self.error = self.error.max(error);
        self.bound = self.bound.max(bound);
        self.size += value * value;
    }
}
