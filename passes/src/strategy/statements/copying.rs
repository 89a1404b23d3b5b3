//! Candidate plans that copy planes of fields to shared memory.

use super::{
    SweepOf,
    candidates::{Breadth, STEPS_MOST, shapes},
};
use std::ops::RangeInclusive;
use stencil_dialects::types;
use stencil_model::{
    machine::Machine,
    plan::{LoadMode, Mapping, PlanKeys, ReadMode, Remainder},
    sweep::pipeline::Source::Field as FromField,
};

/// The most time steps of a sweep that copies halos: four were slower than three for three of four
/// diffusion loops (radius 1, walls or periodic sides, f32 and f64).
const HALO_STEPS_MOST: u32 = 3;
/// Planes of halos on their way: with one less the next plane is waited for (star25 in double
/// precision makes 172 GPt/s with two, 204 with three, 201 with four).
const HALO_PLANES: u32 = 3;
/// Planes on their way where only the rows around a tile are copied with them.
const ROWS_PLANES: [u32; 2] = [2, 3];
/// The most points of a thread with more than one field there: what tiles at the ends of the domain
/// do takes registers too, which the estimate does not count (a wave equation of radius 2 in three
/// steps with 12 points spills 2.2 KB and takes 488 us a step, 351 with loads an iteration ahead).
const ROWS_POINTS_MOST: u32 = 8;
/// The most fields that are copied so: each takes addresses for every row (six unknowns of
/// Maxwell's equations, single precision, four steps: 512 us a step, and 456 with loads an
/// iteration ahead).
const ROWS_FIELDS_MOST: usize = 4;

impl SweepOf<'_, '_> {
    /// Plans that copy halos: of programs that read stars, in two-word values, or of one field in
    /// several steps. In single words copies of several fields take more shared memory and accesses
    /// to it than wider tiles save: on an H200, 118 % of the best plan without for an acoustic wave
    /// of three levels in two steps, and 190 % in three, which no estimate sees.
    pub(super) fn copying_halos(&self, breadth: Breadth, target: &Machine) -> Vec<PlanKeys> {
        let graph = self.stages.graph(1, true);
        let is_field = |stream: usize| graph.streams[stream] == FromField;
        let fields = (0..graph.streams.len()).filter(|stream| is_field(*stream)).count();
        let reads = graph.levels.iter().flatten().filter(|read| is_field(read.stream));
        let mut spread = reads.filter(|read| read.offset[1..] != [0, 0]);
        let is_star = spread.all(|read| read.offset.iter().filter(|it| **it != 0).count() == 1);
        let words = types::element_bytes(self.stages.element()).map_or(1, |bytes| bytes / 4);
        let pays = fields == 1 || words > 1;
        if !is_star || !(pays || breadth == Breadth::Wide) {
            return Vec::new();
        }
        let least = if words > 1 || breadth == Breadth::Wide { 1 } else { 2 };
        let steps = least..=HALO_STEPS_MOST * breadth.steps();
        let shapes = shapes(self.facts.domain.len(), Breadth::Default, target);
        self.copying(steps, &shapes, (LoadMode::Halo, &[HALO_PLANES]))
    }

    /// Plans that copy planes of few fields with the rows around a tile, and read older planes in
    /// shared memory: with several steps of single words, of programs of several statements or with
    /// fields that no level changes, whose planes would be carried. Others that are one statement
    /// have kernels that are as fast or faster (three wave equations of radius 1 to 3 on an H200:
    /// 120, 112 and 108 % of their times without; three programs with a coefficient 89, 86 and 82
    /// %). In two words they take longer than plans that copy columns too (heat3d-periodic: 318 and
    /// 290 us; gray-scott3d: 683 and 651).
    pub(super) fn copying_rows(&self, breadth: Breadth, target: &Machine) -> Vec<PlanKeys> {
        let graph = self.stages.graph(1, true);
        let fields = graph.streams.iter().filter(|source| **source == FromField).count();
        let words = types::element_bytes(self.stages.element()).map_or(1, |bytes| bytes / 4);
        let levels = self.stages.histories.iter().map(|history| history.age).sum::<usize>();
        let gains = !self.is_kernel || fields > levels;
        let pays = fields <= ROWS_FIELDS_MOST && words == 1 && gains;
        if breadth == Breadth::Default && !pays {
            return Vec::new();
        }
        let least = if breadth == Breadth::Wide { 1 } else { 2 };
        let steps = least..=STEPS_MOST[2] * breadth.steps();
        let mut shapes = shapes(self.facts.domain.len(), breadth, target);
        if breadth == Breadth::Default && fields > 1 {
            shapes.retain(|(_, _, points)| points.iter().product::<u32>() <= ROWS_POINTS_MOST);
        }
        self.copying(steps, &shapes, (LoadMode::Ring, &ROWS_PLANES))
    }

    /// Plans of these steps and shapes that copy planes, with each of these numbers on their way.
    fn copying(
        &self,
        steps: RangeInclusive<u32>,
        shapes: &[(Mapping, Vec<u32>, Vec<u32>)],
        (loads, rings): (LoadMode, &[u32]),
    ) -> Vec<PlanKeys> {
        let steps = steps.filter(|steps| self.stages.check_steps(*steps as usize).is_ok());
        let plans = steps.flat_map(|steps| {
            shapes.iter().flat_map(move |(mapping, threads, points)| {
                rings.iter().map(move |planes| PlanKeys {
                    mapping: *mapping,
                    steps,
                    threads: threads.clone(),
                    points: points.clone(),
                    reads: ReadMode::Queue,
                    loads,
                    ring: Some(*planes),
                    remainder: Remainder::Single,
                    ..PlanKeys::default()
                })
            })
        });
        plans.collect()
    }
}
