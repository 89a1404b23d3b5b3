//! Unrolled returns: applies with divisible extents, which unrolling must preserve.

use super::Generator;
use crate::check::check;
use crate::layout::Layout;
use crate::program::{Program, Statement};

/// Points that one run of a body may compute.
const MAX_COPIES: i64 = 8;

/// Operations that an unrolled body may have.
const MAX_OPERATIONS: u64 = 240;

impl Generator<'_> {
    /// Unrolls some applies.
    pub(super) fn unroll(&mut self) {
        let Some(layout) = Layout::infer(&self.program) else { return };
        let mut extents = vec![];
        self.program.walk(&mut |statement| {
            if let Statement::Apply(apply) = statement {
                let points = layout.points(apply).map(|points| points.extents());
                extents.push(points.map(|extents| (extents, apply.body.work())));
            }
        });
        for (n, extents) in extents.into_iter().enumerate() {
            let Some((extents, work)) = extents else { continue };
            let factors = self.draw_factors(&extents);
            let copies = factors.iter().product::<i64>();
            let short = copies.unsigned_abs() * work <= MAX_OPERATIONS;
            if copies < 2 || !short || self.random.chance(30) {
                continue;
            }
            let mut candidate = self.program.clone();
            set_unroll(&mut candidate, n, factors);
            if check(&candidate).is_ok() {
                self.program = candidate;
            }
        }
    }

    fn draw_factors(&mut self, extents: &[i64]) -> Vec<i64> {
        let mut copies = 1;
        let mut factors = vec![];
        for extent in extents {
            let divides = |f: &i64| extent % f == 0 && copies * f <= MAX_COPIES;
            let allowed: Vec<i64> = [1, 2, 3, 4, 5].into_iter().filter(divides).collect();
            let factor = self.random.pick(&allowed);
            copies *= factor;
            factors.push(factor);
        }
        factors
    }
}

/// Unrolls the `n`-th apply of a program.
fn set_unroll(program: &mut Program, n: usize, factors: Vec<i64>) {
    let mut seen = 0;
    program.walk_mut(&mut |statement| {
        if let Statement::Apply(apply) = statement {
            if seen == n {
                apply.unroll = Some(factors.clone());
            }
            seen += 1;
        }
    });
}
