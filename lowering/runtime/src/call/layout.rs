//! How the cells of an array lie in memory: runs of adjacent bytes, and the dimensions around them.
//!
//! Dimensions whose cells are adjacent become one run, dimensions that continue each other one
//! dimension. So most arrays have few runs, and an array without padding is one.

use super::CallError;

/// The cells of an array in the order of a dense copy, as runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes of a run.
    pub(super) run_bytes: usize,
    /// The dimensions around a run, the slowest first.
    pub(super) outer: Vec<Dimension>,
}

/// Equal steps through memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dimension {
    /// How many places.
    pub(super) extent: u64,
    /// Bytes from a place to the next.
    pub(super) stride: i64,
}

/// An array as its caller describes it.
#[derive(Clone, Copy)]
pub(super) struct Described<'a> {
    /// How messages name it.
    pub(super) argument: &'a dyn Fn() -> String,
    /// Cells along each dimension.
    pub(super) extents: &'a [u64],
    /// Bytes from a cell to the next, for each dimension.
    pub(super) strides: &'a [i64],
    /// Bytes of a cell.
    pub(super) cell_bytes: usize,
}

impl Layout {
    /// That of an array without padding.
    pub(super) fn dense(bytes: usize) -> Layout {
        Layout { run_bytes: bytes, outer: Vec::new() }
    }

    /// That of an array of these strides, which [`Described::check`] allows.
    pub(super) fn of(array: Described<'_>) -> Layout {
        let mut run_bytes = array.cell_bytes;
        let mut outer: Vec<Dimension> = Vec::new();
        for (&extent, &stride) in array.extents.iter().zip(array.strides).rev() {
            if extent == 1 {
                continue;
            }
            if outer.is_empty() && usize::try_from(stride) == Ok(run_bytes) {
                run_bytes *= extent as usize;
                continue;
            }
            let reach = |inner: &Dimension| i128::from(inner.stride) * i128::from(inner.extent);
            match outer.last_mut().filter(|inner| reach(inner) == i128::from(stride)) {
                Some(inner) => inner.extent *= extent,
                None => outer.push(Dimension { extent, stride }),
            }
        }
        outer.reverse();
        Layout { run_bytes, outer }
    }

    /// The same with runs of so many bytes, which divide a run of this.
    pub(super) fn in_rows(&self, bytes: usize) -> Layout {
        let mut outer = self.outer.clone();
        if self.run_bytes > bytes {
            let extent = (self.run_bytes / bytes) as u64;
            outer.push(Dimension { extent, stride: bytes as i64 });
        }
        Layout { run_bytes: bytes, outer }
    }

    /// Whether there is no padding, and the cells are in their order.
    pub(super) fn is_dense(&self) -> bool {
        self.outer.is_empty()
    }

    /// The first byte and the one past the last, from the first cell.
    pub(super) fn span(&self) -> (i64, i64) {
        let reach = |one: &Dimension| (one.extent as i64 - 1) * one.stride;
        let all = || self.outer.iter().map(reach);
        let low: i64 = all().filter(|reach| *reach < 0).sum();
        let high: i64 = all().filter(|reach| *reach > 0).sum();
        (low, high + self.run_bytes as i64)
    }

    /// Where each run begins, from the first cell, in the order of a dense copy.
    pub(super) fn runs(&self) -> Places<'_> {
        Places::of(&self.outer)
    }
}

/// The places of some dimensions, the last one changing fastest.
pub(super) struct Places<'l> {
    dimensions: &'l [Dimension],
    index: Vec<u64>,
    next: Option<i64>,
}

impl<'l> Places<'l> {
    pub(super) fn of(dimensions: &'l [Dimension]) -> Places<'l> {
        Places { dimensions, index: vec![0; dimensions.len()], next: Some(0) }
    }
}

impl Iterator for Places<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let current = self.next?;
        let mut offset = current;
        for (index, dimension) in self.index.iter_mut().zip(self.dimensions).rev() {
            *index += 1;
            if *index < dimension.extent {
                self.next = Some(offset + dimension.stride);
                return Some(current);
            }
            offset -= (dimension.extent as i64 - 1) * dimension.stride;
            *index = 0;
        }
        self.next = None;
        Some(current)
    }
}

impl Described<'_> {
    /// Refuses strides that no memory has; for an array that is written or on the device also those
    /// by which two cells share memory, and on the device those by which no row can be copied.
    pub(super) fn check(&self, is_shared: bool, on_device: bool) -> Result<(), CallError> {
        let argument = || (self.argument)();
        let wide = || {
            let pairs = self.extents.iter().zip(self.strides).enumerate();
            pairs.map(|(at, (&extent, &stride))| (at, extent, stride)).filter(|one| one.1 > 1)
        };
        if on_device
            && let Some((at, _, stride)) = wide().next_back()
            && at + 1 == self.extents.len()
            && stride != self.cell_bytes as i64
        {
            let (argument, cell_bytes) = (argument(), self.cell_bytes);
            return Err(CallError::NotAdjacent { argument, stride, cell_bytes });
        }
        let mut dimensions: Vec<(usize, u64, i64)> = wide().collect();
        // Of equal strides the later dimension is the inner one.
        dimensions.sort_by_key(|&(at, _, stride)| (stride.unsigned_abs(), usize::MAX - at));
        let mut reach = self.cell_bytes as i64;
        for (dimension, extent, stride) in dimensions {
            let distance = if on_device { stride } else { stride.saturating_abs() };
            if distance < reach && (on_device || !is_shared) {
                let argument = argument();
                return Err(CallError::SharedCells { argument, dimension, stride, least: reach });
            }
            let length = i64::try_from(extent - 1).ok().and_then(|n| n.checked_mul(distance));
            reach = length
                .and_then(|length| reach.checked_add(length))
                .ok_or_else(|| CallError::TooFar { argument: argument(), dimension, stride })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn described<'a>(extents: &'a [u64], strides: &'a [i64]) -> Described<'a> {
        Described { argument: &|| "argument 0 'u'".to_owned(), extents, strides, cell_bytes: 4 }
    }

    fn layout(extents: &[u64], strides: &[i64]) -> (usize, Vec<(u64, i64)>) {
        let Layout { run_bytes, outer } = Layout::of(described(extents, strides));
        (run_bytes, outer.iter().map(|one| (one.extent, one.stride)).collect())
    }

    #[test]
    fn few_runs_are_made() {
        assert_eq!(layout(&[5, 7, 9], &[252, 36, 4]), (1260, vec![]));
        assert_eq!(layout(&[5, 7, 8], &[252, 36, 4]), (32, vec![(35, 36)]));
        assert_eq!(layout(&[5, 6, 9], &[252, 36, 4]), (216, vec![(5, 252)]));
        assert_eq!(layout(&[5, 6, 8], &[252, 36, 4]), (32, vec![(5, 252), (6, 36)]));
        assert_eq!(layout(&[5, 1, 9], &[36, -7, 4]), (180, vec![]));
        assert_eq!(layout(&[4, 6], &[4, 16]), (4, vec![(4, 4), (6, 16)]));
        assert_eq!(layout(&[4, 6], &[-24, 4]), (24, vec![(4, -24)]));
    }

    #[test]
    fn spans_reach_to_both_sides() {
        let span =
            |extents: &[u64], strides: &[i64]| Layout::of(described(extents, strides)).span();
        assert_eq!(span(&[5, 7], &[28, 4]), (0, 140));
        assert_eq!(span(&[5, 7], &[-32, 4]), (-128, 28));
        assert_eq!(span(&[5, 7], &[0, 4]), (0, 28));
    }

    #[test]
    fn strides_that_no_memory_has_are_refused() {
        let refusal = |extents: &[u64], strides: &[i64], shared, on_device| {
            let answer = described(extents, strides).check(shared, on_device);
            answer.err().map(|error| error.to_string())
        };
        assert_eq!(refusal(&[4, 6], &[24, 4], false, true), None);
        assert_eq!(refusal(&[4, 6], &[8, 32], false, false), None);
        assert_eq!(refusal(&[4, 6], &[0, 4], true, false), None);
        assert_eq!(refusal(&[1, 6], &[-3, 4], false, true), None);
        assert_eq!(refusal(&[4, 1], &[4, 7], false, true), None);
        let problem = |extents: &[u64], strides: &[i64], on_device| {
            refusal(extents, strides, false, on_device).unwrap()
        };
        assert_eq!(
            problem(&[4, 6], &[48, 8], true),
            "argument 0 'u' has a stride of 8 bytes in its last dimension; on the device its \
             cells must be adjacent there, 4 bytes apart; pass a contiguous copy"
        );
        assert_eq!(
            problem(&[4, 6], &[20, 4], false),
            "argument 0 'u' has a stride of 20 bytes in dimension 0; its cells overlap each other \
             unless it is 24 or more"
        );
        assert!(problem(&[4, 6], &[-24, 4], true).contains("-24 bytes in dimension 0"));
        assert!(problem(&[4, 6], &[i64::MAX, 4], false).contains("larger than any memory"));
        assert!(problem(&[4, 6], &[i64::MIN, 4], false).contains("larger than any memory"));
    }

    proptest! {
        /// Runs visit every byte of every cell once, in the order of the cells.
        #[test]
        fn runs_are_the_cells(
            extents in prop::collection::vec(1_u64..4, 1..5),
            factors in prop::collection::vec(1_i64..5, 5),
        ) {
            let mut strides = vec![4; extents.len()];
            for at in (0..extents.len() - 1).rev() {
                strides[at] = strides[at + 1] * (extents[at + 1] as i64 + factors[at] - 1);
            }
            let layout = Layout::of(described(&extents, &strides));
            let cells = Places::of(
                &extents.iter().zip(&strides)
                    .map(|(&extent, &stride)| Dimension { extent, stride })
                    .collect::<Vec<_>>(),
            ).collect::<Vec<_>>();
            let of_runs = layout.runs().flat_map(|run| {
                (0..layout.run_bytes as i64 / 4).map(move |cell| run + 4 * cell)
            });
            prop_assert_eq!(of_runs.collect::<Vec<_>>(), cells);
        }
    }
}
