//! Prefetching of what a block reads in a later step.
//!
//! A block that goes along the slowest dimension (`block_steps` in the plan) finds most of what it
//! reads in the cache, from the step before. What is new in a step are the planes furthest ahead.
//! Their cells are prefetched `prefetch` steps before, into L1, without a register.

use super::{frame::Frame, point::PointBody, size::Size};
use melior::ir::{Type, r#type::IntegerType};
use std::collections::BTreeMap;
use stencil_dialects::{
    build::{self, Inserter},
    ods::{arith, llvm, memref, nvvm},
    types,
};

/// How far a body reads one of its arguments around a point: along the slowest dimension ahead, and
/// along each of those between it and the fastest, in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reach {
    ahead: i64,
    between: Vec<(i64, i64)>,
}

impl Reach {
    fn include(&mut self, offset: &[i64]) {
        let between = &offset[1..offset.len().max(2) - 1];
        self.ahead = self.ahead.max(offset[0]);
        self.between.resize(between.len(), (0, 0));
        for ((behind, ahead), along) in self.between.iter_mut().zip(between) {
            (*behind, *ahead) = ((*behind).min(*along), (*ahead).max(*along));
        }
    }

    /// Offsets of the cells whose prefetch by every thread of a block covers all rows that the
    /// block reads of the plane furthest ahead.
    fn rows(&self, block: &[i64]) -> Vec<Vec<i64>> {
        let mut offsets = vec![vec![self.ahead]];
        for ((behind, ahead), groups) in self.between.iter().zip(&block[1..]) {
            let places = std::iter::successors(Some(*behind), |place| Some(place + groups));
            let mut places = places.take_while(|place| place < ahead).collect::<Vec<_>>();
            places.push(*ahead);
            offsets = offsets
                .iter()
                .flat_map(|offset| places.iter().map(|place| [&offset[..], &[*place]].concat()))
                .collect();
        }
        if block.len() > 1 {
            offsets.iter_mut().for_each(|offset| offset.push(0));
        }
        offsets
    }
}

impl<'c: 'a, 'a> PointBody<'c, 'a, '_> {
    /// Prefetches what a later step of the block is the first to read, if the plan says so; the
    /// frame is that of this step.
    pub fn prefetch(&self, at: Inserter<'c, 'a>, frame: &Frame<'c, 'a>) {
        let Some(steps) = self.domain().prefetch() else { return };
        let mut reaches: BTreeMap<usize, Reach> = BTreeMap::new();
        for (argument, offset) in self.full_reads() {
            reaches.entry(argument).or_default().include(&offset);
        }
        let (_, distance) = self.domain().block_steps();
        let block = self.domain().tiles();
        for (argument, reach) in reaches {
            for shift in self.domain().rows() {
                for mut offset in reach.rows(&block) {
                    offset[0] += steps * distance;
                    self.prefetch_cell(at, frame, argument, &shift, &offset);
                }
            }
        }
    }

    /// Prefetches one cell, clamped to the last cell of the buffer.
    fn prefetch_cell(
        &self,
        at: Inserter<'c, 'a>,
        frame: &Frame<'c, 'a>,
        argument: usize,
        shift: &[i64],
        offset: &[i64],
    ) {
        let (buffer, element, cells) = self.memory(argument);
        let address = self.cell_address(at, frame, shift, argument, offset);
        // In an unsigned comparison, addresses before the buffer are beyond its end.
        let last = self.numbers().value(at, Type::index(at.context()), &(cells - Size::from(1)));
        let address = arith::minui(at, address, last);
        let bytes = types::element_bytes(element).map_or(1, i64::from);
        let start = memref::extract_aligned_pointer_as_index(at, buffer);
        let distance = arith::muli(at, address, at.index(bytes));
        let place = arith::addi(at, start, distance);
        let word = IntegerType::new(at.context(), 64).into();
        let place = arith::index_cast(at, word, place);
        let pointer = Type::parse(at.context(), "!llvm.ptr<1>").expect("the text is a type");
        let pointer = llvm::inttoptr(at, pointer, place);
        let level = build::attribute(at.context(), "#nvvm<prefetch_cache_level L1>");
        at.create(nvvm::PREFETCH, &[pointer], &[("cacheLevel", level)], &[], Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(offsets: &[[i64; 3]], block: [i64; 3]) -> Vec<Vec<i64>> {
        let mut reach = Reach::default();
        offsets.iter().for_each(|offset| reach.include(offset));
        reach.rows(&block)
    }

    #[test]
    fn the_rows_of_a_block_and_around_it_are_prefetched_once() {
        let star = [[2, 0, 0], [0, -2, 1], [0, 2, 0], [-2, 0, -4]];
        assert_eq!(rows(&star, [1, 4, 64]), [[2, -2, 0], [2, 2, 0]]);
        assert_eq!(rows(&star, [1, 3, 64]), [[2, -2, 0], [2, 1, 0], [2, 2, 0]]);
        assert_eq!(rows(&[[1, 0, 5]], [1, 4, 64]), [[1, 0, 0]]);
    }

    #[test]
    fn planes_have_one_row_and_lines_one_cell() {
        let mut reach = Reach::default();
        reach.include(&[3, -7]);
        assert_eq!(reach.rows(&[1, 64]), [[3, 0]]);
        let mut reach = Reach::default();
        reach.include(&[3]);
        assert_eq!(reach.rows(&[64]), [[3]]);
    }
}
