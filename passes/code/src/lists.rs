//! Adjacency lists in compressed rows: one allocation for all items, as searches read them by the
//! million.

use std::ops::Index;

/// Lists of numbers, by item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    /// Where each list begins, and where the last one ends.
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// For each number the lists that hold it: the same relation the other way round. Numbers are
    /// less than `count`; the lists ascend.
    pub fn reversed(&self, count: usize) -> Self {
        let mut lists = vec![Vec::new(); count];
        for item in 0..self.starts.len() - 1 {
            self[item].iter().for_each(|&entry| lists[entry as usize].push(item as u32));
        }
        lists.into_iter().collect()
    }
}

impl<L: IntoIterator<Item = u32>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        Self { starts, entries }
    }
}

impl Index<usize> for Lists {
    type Output = [u32];

    // Other crates read lists in their innermost loops.
    #[inline]
    fn index(&self, item: usize) -> &[u32] {
        &self.entries[self.starts[item] as usize..self.starts[item + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_item_and_reversed() {
        let lists: Lists = [vec![2, 3], vec![], vec![3]].into_iter().collect();
        assert_eq!((&lists[0], &lists[1], &lists[2]), (&[2, 3][..], &[][..], &[3][..]));
        let reversed = lists.reversed(4);
        let expected: Lists = [vec![], vec![], vec![0], vec![0, 2]].into_iter().collect();
        assert_eq!(reversed, expected);
    }
}
