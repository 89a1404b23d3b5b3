//! A family of stencils that differ in shape and radius and in nothing else.
//!
//! Stars and boxes of one to three dimensions with radii of one to four, and some whose radius is
//! another one along each axis. No two weights of a member are equal, so nothing can be factored: n
//! points are n operations in any form, and how a rate falls with n and with the radius is a
//! property of the kernel alone. A member's name is stable: `star2d3r`, `box3d1r`, and with radii
//! from the slowest dimension to the fastest `star2d-1x3`. The programs are written from the name,
//! by the building side.

use crate::kernels::{Benchmark, KernelSet};
use std::{collections::BTreeMap, sync::LazyLock};

/// Which cells around a point are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Those along the axes.
    Star,
    /// All.
    Box,
}

/// One stencil of the family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Which cells.
    pub shape: Shape,
    /// How far along each dimension, slowest first.
    pub radii: Vec<u64>,
}

/// The largest radius of members that have one.
const RADIUS_MAX: u64 = 4;
/// Radii of members that have several.
const SEVERAL: [(Shape, &[u64]); 10] = [
    (Shape::Star, &[1, 3]),
    (Shape::Star, &[3, 1]),
    (Shape::Box, &[1, 3]),
    (Shape::Box, &[3, 1]),
    (Shape::Star, &[1, 1, 3]),
    (Shape::Star, &[1, 3, 1]),
    (Shape::Star, &[3, 1, 1]),
    (Shape::Box, &[1, 1, 2]),
    (Shape::Box, &[1, 2, 1]),
    (Shape::Box, &[2, 1, 1]),
];
/// Time steps of every member.
const STEPS: u64 = 4;

static MEMBERS: LazyLock<Vec<Member>> = LazyLock::new(|| {
    let mut members = Vec::new();
    for rank in 1..=3 {
        for shape in [Shape::Star, Shape::Box] {
            // A line is both.
            if rank > 1 || shape == Shape::Star {
                let equal = |radius| Member { shape, radii: vec![radius; rank] };
                members.extend((1..=RADIUS_MAX).map(equal));
            }
        }
    }
    members.extend(SEVERAL.map(|(shape, radii)| Member { shape, radii: radii.to_vec() }));
    members
});

static BENCHMARKS: LazyLock<Vec<Benchmark>> =
    LazyLock::new(|| members().iter().map(Member::benchmark).collect());

/// All members, those with one radius first.
pub fn members() -> &'static [Member] {
    &MEMBERS
}

/// The member of this name.
pub fn find(name: &str) -> Option<&'static Member> {
    members().iter().find(|member| member.name() == name)
}

/// All members as benchmarks, in the same order.
pub fn benchmarks() -> &'static [Benchmark] {
    &BENCHMARKS
}

impl Member {
    /// Its name.
    pub fn name(&self) -> String {
        let shape = match self.shape {
            Shape::Star => "star",
            Shape::Box => "box",
        };
        let rank = self.radii.len();
        match self.radii.iter().all(|radius| *radius == self.radii[0]) {
            true => format!("{shape}{rank}d{}r", self.radii[0]),
            false => {
                let radii = self.radii.iter().map(u64::to_string).collect::<Vec<_>>();
                format!("{shape}{rank}d-{}", radii.join("x"))
            }
        }
    }

    /// Offsets of the cells that a point reads, in the order of memory.
    pub fn offsets(&self) -> Vec<Vec<i64>> {
        let mut offsets = vec![Vec::new()];
        for radius in &self.radii {
            let radius = *radius as i64;
            let longer = |start: &Vec<i64>| {
                let start = start.clone();
                (-radius..=radius).map(move |offset| {
                    let mut longer = start.clone();
                    longer.push(offset);
                    longer
                })
            };
            offsets = offsets.iter().flat_map(longer).collect();
        }
        let axes = |offset: &[i64]| offset.iter().filter(|distance| **distance != 0).count();
        offsets.retain(|offset| self.shape == Shape::Box || axes(offset) <= 1);
        offsets
    }

    /// The largest radius: so many cells at each end of each dimension keep their values.
    pub fn margin(&self) -> u64 {
        self.radii.iter().copied().max().unwrap_or(0)
    }

    fn benchmark(&self) -> Benchmark {
        let size = match self.radii.len() {
            1 => vec![1 << 26],
            2 => vec![8192; 2],
            _ => vec![512; 3],
        };
        Benchmark {
            name: self.name(),
            paper: KernelSet::Family,
            size,
            steps: STEPS,
            radius: self.margin(),
            margin: self.margin(),
            flops_per_point: 2 * self.offsets().len() as u64 - 1,
            stages: 1,
            arrays_read: 1,
            arrays_written: 1,
            scalars: BTreeMap::new(),
            peers: self.name(),
            ghosts: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_stable_and_distinct() {
        let names: Vec<String> = members().iter().map(Member::name).collect();
        assert_eq!(names.len(), 5 * 4 + 10);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert_eq!(&names[..5], ["star1d1r", "star1d2r", "star1d3r", "star1d4r", "star2d1r"]);
        for name in ["star2d3r", "box3d1r", "star2d-1x3", "box3d-2x1x1"] {
            assert_eq!(find(name).unwrap().name(), name);
        }
        assert_eq!(find("box1d1r"), None);
    }

    #[test]
    fn a_star_has_a_line_for_each_axis_and_a_box_has_all() {
        let points = |name: &str| find(name).unwrap().offsets().len();
        assert_eq!((points("star1d4r"), points("star2d3r"), points("star3d2r")), (9, 13, 13));
        assert_eq!((points("box2d2r"), points("box3d4r")), (25, 729));
        assert_eq!((points("star2d-1x3"), points("box3d-1x1x2")), (9, 45));
        let star = find("star2d-1x3").unwrap();
        assert_eq!(star.offsets()[0], [-1, 0]);
        assert_eq!(star.offsets()[1], [0, -3]);
        assert_eq!((star.margin(), star.benchmark().flops_per_point), (3, 17));
    }

    #[test]
    fn sizes_are_those_of_the_other_benchmarks() {
        let benchmark = |name| find(name).unwrap().benchmark();
        assert_eq!(benchmark("star1d1r").size, [1 << 26]);
        assert_eq!(benchmark("box2d1r").points(&[8192, 8192]), 8190 * 8190 * 4);
        assert_eq!(benchmark("star3d-1x1x3").updated(&[512; 3]), [506; 3]);
    }
}
