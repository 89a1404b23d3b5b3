//! Launches that compute fewer planes than their window has.

use super::{LaunchArgument, Operation};
use crate::{
    manifest::Kernel,
    scalar::{ScalarType, ScalarValue},
};

/// Where the planes of a launch stand among its arguments, and those of the whole window.
struct Whole {
    place: usize,
    lower: i64,
    upper: i64,
    /// Planes of a chunk of tiles inside and at the ends.
    chunks: [i64; 2],
}

impl Whole {
    fn of<B>(kernel: &Kernel, arguments: &[LaunchArgument<B>]) -> Option<Whole> {
        let place = kernel.planes.as_ref()?.first as usize;
        let number = |place: usize| match arguments[place] {
            LaunchArgument::Scalar(number) => number.signed(),
            LaunchArgument::Buffer(_) => unreachable!("a validated program takes a scalar here"),
        };
        let [lower, upper, inside, at_ends] = [0, 1, 2, 3].map(|more| number(place + more));
        Some(Whole { place, lower, upper, chunks: [inside, at_ends] })
    }

    fn clamped(&self, [first, end]: [i64; 2]) -> [i64; 2] {
        let first = first.clamp(self.lower, self.upper);
        [first, end.clamp(first, self.upper)]
    }

    /// The length of chunks of other planes, of which there are as many.
    fn chunk(&self, [first, end]: [i64; 2], length: i64) -> i64 {
        let all = (self.upper - self.lower).max(1).unsigned_abs();
        let chunks = all.div_ceil(length.max(1).unsigned_abs());
        (end - first).unsigned_abs().div_ceil(chunks).max(1) as i64
    }

    fn put<B>(&self, arguments: &mut [LaunchArgument<B>], numbers: [i64; 4]) {
        for (argument, number) in arguments[self.place..].iter_mut().zip(numbers) {
            let number = ScalarValue::from_integer(ScalarType::Index, number);
            *argument = LaunchArgument::Scalar(number);
        }
    }
}

/// Has a launch compute only some planes, in as many chunks as there were.
pub(super) fn restrict<B>(kernel: &Kernel, arguments: &mut [LaunchArgument<B>], needed: [i64; 2]) {
    let Some(whole) = Whole::of(kernel, arguments) else { return };
    let planes = whole.clamped(needed);
    let [inside, at_ends] = whole.chunks.map(|length| whole.chunk(planes, length));
    whole.put(arguments, [planes[0], planes[1], inside, at_ends]);
}

/// A launch in parts, which compute other planes each, in any order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split<'p, B> {
    /// The planes that depend on nothing that was exchanged.
    pub early: Operation<'p, B>,
    /// The others, one for each end that has some.
    pub late: Vec<Operation<'p, B>>,
}

/// Divides a launch for the whole window into its early planes, of those that are needed, and the
/// others; none if most planes are not early.
pub(super) fn split<'p, B: Copy>(
    kernel: &'p Kernel,
    arguments: &[LaunchArgument<B>],
    needed: [i64; 2],
    early: [i64; 2],
) -> Option<Split<'p, B>> {
    let whole = Whole::of(kernel, arguments)?;
    let [first, end] = whole.clamped(needed);
    let (from, to) = (early[0].clamp(first, end), early[1].clamp(first, end));
    if 2 * (to - from) < end - first || from >= to {
        return None;
    }
    let launch = |numbers: [i64; 4]| {
        let mut arguments = arguments.to_vec();
        whole.put(&mut arguments, numbers);
        Operation::Launch { kernel, arguments }
    };
    let [inside, at_ends] = whole.chunks.map(|length| whole.chunk([from, to], length));
    let sides = [(first, from), (to, end)].into_iter().filter(|(first, end)| first < end);
    // Each chunk computes some planes twice: these few planes are one.
    let late = sides.map(|(first, end)| launch([first, end, end - first, end - first]));
    Some(Split { early: launch([from, to, inside, at_ends]), late: late.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{manifest::PlaneParameters, samples};
    use std::num::NonZeroU64;

    fn kernel() -> Kernel {
        let planes =
            Some(PlaneParameters { iterations: NonZeroU64::MIN, first: 1, written: vec![0] });
        Kernel { planes, ..samples::manifest().kernels.remove(0) }
    }

    fn scalar(number: i64) -> LaunchArgument<u32> {
        LaunchArgument::Scalar(ScalarValue::from_integer(ScalarType::Index, number))
    }

    fn numbers(arguments: &[LaunchArgument<u32>]) -> [i64; 4] {
        assert_eq!(arguments[0], LaunchArgument::Buffer(3));
        [1, 2, 3, 4].map(|place| match &arguments[place] {
            LaunchArgument::Scalar(number) => number.signed(),
            LaunchArgument::Buffer(_) => panic!("it was a scalar"),
        })
    }

    fn restricted(own: [i64; 4], needed: [i64; 2]) -> [i64; 4] {
        let mut arguments = vec![LaunchArgument::Buffer(3)];
        arguments.extend(own.map(scalar));
        restrict(&kernel(), &mut arguments, needed);
        numbers(&arguments)
    }

    fn parts(needed: [i64; 2], early: [i64; 2]) -> Option<Vec<[i64; 4]>> {
        let kernel = kernel();
        let mut arguments = vec![LaunchArgument::Buffer(3)];
        arguments.extend([0, 20, 10, 7].map(scalar));
        let Split { early, late } = split(&kernel, &arguments, needed, early)?;
        let planes = |operation: &Operation<'_, u32>| match operation {
            Operation::Launch { arguments, .. } => numbers(arguments),
            Operation::Copy { .. } => panic!("it was a launch"),
        };
        Some([early].iter().chain(&late).map(planes).collect())
    }

    #[test]
    fn early_planes_and_the_others_are_all_that_are_needed() {
        let upper = parts([-1, 18], [-1, 13]).unwrap();
        assert_eq!(upper, [[0, 13, 7, 5], [13, 18, 5, 5]]);
        let both = parts([2, 20], [5, 16]).unwrap();
        assert_eq!(both, [[5, 16, 6, 4], [2, 5, 3, 3], [16, 20, 4, 4]]);
        assert_eq!(parts([0, 20], [0, 20]).unwrap(), [[0, 20, 10, 7]]);
    }

    #[test]
    fn few_early_planes_are_not_worth_a_launch() {
        assert_eq!(parts([0, 20], [0, 9]), None);
        assert_eq!(parts([0, 20], [0, 0]), None);
        assert_eq!(parts([4, 4], [4, 4]), None);
    }

    #[test]
    fn chunks_become_shorter_and_stay_as_many() {
        // 20 planes in chunks of 10 and 7.
        assert_eq!(restricted([0, 20, 10, 7], [0, 20]), [0, 20, 10, 7]);
        assert_eq!(restricted([0, 20, 10, 7], [4, 20]), [4, 20, 8, 6]);
        assert_eq!(restricted([0, 20, 10, 7], [-3, 13]), [0, 13, 7, 5]);
        assert_eq!(restricted([-2, 20, 22, 22], [5, 9]), [5, 9, 4, 4]);
    }

    #[test]
    fn no_planes_are_none() {
        assert_eq!(restricted([0, 20, 10, 7], [9, 9]), [9, 9, 1, 1]);
        assert_eq!(restricted([0, 20, 10, 7], [25, 30]), [20, 20, 1, 1]);
    }
}
