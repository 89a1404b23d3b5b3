//! Sizes of caches, from series of growing footprints and growing code.

use super::{
    super::{
        coefficients::Coefficient,
        probes::{CARVED, CARVED_ALONE, CODE_ALONE, CODE_TOGETHER},
        raw::Sampled,
    },
    CYCLES, Estimate, Samples, executed, middle, slope,
};
use std::collections::BTreeSet;

/// Steps that differ from hits, or from misses, by no more of the whole difference, are such.
const NEAR: f64 = 0.1;
/// A series has a step where the last is slower than the fastest by so much.
const STEP_MIN: f64 = 1.1;

/// No partition keeps so much code for itself; the edge after it is that of the multiprocessor.
const PARTITION_CODE_BYTES: u64 = 32 << 10;
const BYTES: &str = "bytes";

impl Samples<'_> {
    /// The store of the first-level cache, and how far series agree in which some of it is shared
    /// memory.
    pub(super) fn first_level(&self) -> Result<Coefficient, String> {
        let whole = |probe: &str, carved: u32| {
            let runs = self.of(probe)?;
            let step = |run: &&Sampled| Ok((run.x, middle(run)?.median / executed(run)));
            let left = capacity(&runs.iter().map(step).collect::<Result<Vec<_>, String>>()?)?;
            let value = left.value + f64::from(carved);
            Ok::<_, String>(Estimate { value, error: left.error * left.value / value })
        };
        let mut found = whole("l1-alone", CARVED_ALONE)?;
        let mut origin = "l1-alone".to_owned();
        for (probe, carved, _) in CARVED {
            // A series without samples cannot disagree; the origin says which were there.
            if self.of(probe).is_err() {
                continue;
            }
            found = found.beside(whole(probe, carved)?);
            origin = format!("{origin}, {probe}");
        }
        Ok(found.coefficient(BYTES, &origin))
    }

    pub(super) fn instruction_cache(&self) -> Result<Coefficient, String> {
        let together = self.code(CODE_TOGETHER, |short, long| self.between(short, long, executed));
        let shared = |steps: Vec<(u64, f64)>| {
            let behind = steps.into_iter().filter(|(bytes, _)| *bytes > PARTITION_CODE_BYTES);
            capacity(&behind.collect::<Vec<_>>())
        };
        let found = shared(self.code_alone()?)?.beside(shared(together?)?);
        let origin = format!("{CODE_ALONE}, {CODE_TOGETHER}, clock");
        Ok(found.coefficient(BYTES, &origin))
    }

    /// What the largest code takes, and how far the one before disagrees.
    pub(super) fn instruction_fetch(&self) -> Result<Coefficient, String> {
        let steps = self.code_alone()?;
        capacity(&steps)?;
        let [.., (_, before), (_, value)] = steps[..] else {
            return Err("there are no two sizes".to_owned());
        };
        let one = Estimate { value, error: (value - before).abs() / value };
        Ok(one.coefficient(CYCLES, CODE_ALONE))
    }

    fn code_alone(&self) -> Result<Vec<(u64, f64)>, String> {
        self.code(CODE_ALONE, |short, long| slope(short, long, middle, executed))
    }

    /// What an instruction takes in code of growing size.
    fn code(
        &self,
        name: &str,
        taken: impl Fn(&Sampled, &Sampled) -> Result<Estimate, String>,
    ) -> Result<Vec<(u64, f64)>, String> {
        let begin = format!("{name}-");
        let probes = self.sampled().map(|sampled| sampled.probe.as_str());
        let all: BTreeSet<&str> = probes.filter(|probe| probe.starts_with(&begin)).collect();
        let mut steps = Vec::new();
        for probe in all {
            let [short, long] = self.pair(probe)?;
            steps.push((short.x, taken(short, long)?.value));
        }
        steps.sort_by_key(|(bytes, _)| *bytes);
        Ok(steps)
    }
}

/// The size whose steps take half as long as those of the fastest and of the last together, of
/// sizes in growing order with what a step takes: a cache overflows set by set. Between two sizes
/// it is on a straight line.
pub(super) fn capacity(steps: &[(u64, f64)]) -> Result<Estimate, String> {
    let fastest = steps.iter().map(|(_, taken)| *taken).fold(f64::INFINITY, f64::min);
    let &(_, slowest) = steps.last().ok_or("there are no sizes")?;
    if slowest < STEP_MIN * fastest {
        return Err("the largest size is as fast as the others; measure larger ones".to_owned());
    }
    let near = NEAR * (slowest - fastest);
    let half = (fastest + slowest) / 2.0;
    let hits = steps.iter().take_while(|(_, taken)| *taken <= fastest + near).last();
    let &(last_hit, _) = hits.ok_or("the smallest size is slow; measure smaller ones")?;
    let after = steps.iter().position(|(_, taken)| *taken >= half);
    let after = after.expect("the last is slower, the first is not");
    let misses = steps.iter().find(|(size, taken)| *size > last_hit && *taken >= slowest - near);
    let first_miss = misses.map_or(last_hit, |&(size, _)| size);
    let ((before, fast), (size, slow)) = (steps[after - 1], steps[after]);
    let part = (half - fast) / (slow - fast);
    let value = before as f64 + part * (size - before) as f64;
    Ok(Estimate { value, error: (first_miss - last_hit) as f64 / value })
}
