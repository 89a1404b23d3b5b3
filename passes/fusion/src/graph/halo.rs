//! Halos: how far a stage reads, and how far a kernel has to compute beyond its points.

use super::{Graph, Read, Stage};
use crate::StageSet;

/// Cells around a point, along the stream first; lower ends are at most 0, upper ones at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halo {
    /// Lowest offsets.
    pub lower: Vec<i64>,
    /// Highest offsets.
    pub upper: Vec<i64>,
}

impl Halo {
    /// The point alone.
    #[must_use]
    pub fn none(axes: usize) -> Self {
        Self { lower: vec![0; axes], upper: vec![0; axes] }
    }

    /// What is read for all cells of a halo.
    fn plus(&self, other: &Self) -> Self {
        let sum = |one: &[i64], two: &[i64]| one.iter().zip(two).map(|(a, b)| a + b).collect();
        Self { lower: sum(&self.lower, &other.lower), upper: sum(&self.upper, &other.upper) }
    }

    fn widen(&mut self, other: &Self) {
        let lower = self.lower.iter_mut().zip(&other.lower);
        lower.for_each(|(own, other)| *own = (*own).min(*other));
        let upper = self.upper.iter_mut().zip(&other.upper);
        upper.for_each(|(own, other)| *own = (*own).max(*other));
    }

    /// The order of the stencil: the furthest along any axis.
    #[must_use]
    pub fn order(&self) -> u64 {
        let ends = self.lower.iter().chain(&self.upper);
        ends.map(|offset| offset.unsigned_abs()).max().unwrap_or(0)
    }
}

impl Stage {
    /// The cells of an array that one point of the results needs. In scatter form plane `w` of a
    /// result takes plane `r` of the array as its own plane `r - w`.
    fn reach(&self, read: &Read, axes: usize) -> Halo {
        let mut halo = Halo::none(axes);
        let Some([lowest, highest]) = read.span() else { return halo };
        let ends = self.writes.iter().map(|write| [lowest - write.highest, highest - write.lowest]);
        for [lower, upper] in ends {
            halo.lower[0] = halo.lower[0].min(lower);
            halo.upper[0] = halo.upper[0].max(upper);
        }
        for window in read.planes.values() {
            let lower = [&[0], &window.lower[..]].concat();
            let upper = [&[0], &window.upper[..]].concat();
            halo.widen(&Halo { lower, upper });
        }
        halo
    }
}

impl Graph {
    /// For each stage of a kernel, the cells around a point of the last stages that it has to
    /// compute, because others of the kernel read them.
    #[must_use]
    pub fn halos(&self, group: StageSet) -> Vec<(usize, Halo)> {
        let axes = self.plane_axes + 1;
        let mut halos = vec![Halo::none(axes); self.stages.len()];
        for producer in group.iter().rev() {
            let mut halo = Halo::none(axes);
            for write in &self.stages[producer].writes {
                for reader in (self.readers[write.array] & group).after(producer).iter() {
                    let stage = &self.stages[reader];
                    let read = stage.read(write.array).expect("it is a reader");
                    halo.widen(&halos[reader].plus(&stage.reach(read, axes)));
                }
            }
            halos[producer] = halo;
        }
        group.iter().map(|stage| (stage, halos[stage].clone())).collect()
    }

    /// The order of a kernel: how far it reads from a point of its last stages.
    #[must_use]
    pub fn order(&self, group: StageSet) -> u64 {
        self.orders(group).map(|(_, order)| order).max().unwrap_or(0)
    }

    /// The order of those stages of a kernel that compute more than their points, because others of
    /// the kernel read it.
    #[must_use]
    pub fn grown_order(&self, group: StageSet) -> u64 {
        let grown = self.orders(group).filter(|(halo, _)| halo.order() > 0);
        grown.map(|(halo, order)| order.max(halo.order())).max().unwrap_or(0)
    }

    /// For each stage of a kernel its halo, and how far it reads for it.
    fn orders(&self, group: StageSet) -> impl Iterator<Item = (Halo, u64)> {
        let axes = self.plane_axes + 1;
        self.halos(group).into_iter().map(move |(stage, halo)| {
            let stage = &self.stages[stage];
            let reads = stage.reads.iter().map(|read| halo.plus(&stage.reach(read, axes)).order());
            let order = reads.max().unwrap_or(0);
            (halo, order)
        })
    }
}
