//! Warns about iterators used in another order than declared.
//!
//! Iterators are declared outermost first, as arrays are indexed; regions and pragmas count them in
//! that order. An array indexed in another order is transposed, or a mistake.

use super::{
    index::Index,
    program::{Array, Coordinate, IteratorId, Read, Shared, reads_below},
    sink::Sink,
};
use crate::diagnostic::{Diagnostic, Span};

/// An assignment of a stencil's body.
pub struct Assignment<'a> {
    /// The name of the array that is assigned to, and where.
    pub target: (&'a str, Span),
    /// The coordinates of the cell.
    pub frame: &'a [Coordinate],
    /// What is assigned.
    pub value: &'a Shared,
    /// The arrays.
    pub arrays: &'a [Array],
    /// Names of the iterators, outermost first.
    pub iterators: &'a [String],
}

impl Assignment<'_> {
    /// Warns where the target's iterators are not in the declared order, and where a read has them
    /// in another order than the target; of several such reads the first.
    pub fn warn_of_swapped(&self, sink: &mut Sink) {
        let target = self.frame.iter().filter_map(|coordinate| match coordinate {
            Coordinate::Iterator(iterator, _) => Some(*iterator),
            Coordinate::Constant(_) => None,
        });
        let target = target.collect::<Vec<_>>();
        if !target.is_sorted() {
            let ((name, span), [own, declared]) =
                (self.target, [self.names(&target), self.iterators.join(", ")]);
            let message = format!(
                "'{name}' is indexed in the order {own}, the iterators are declared in the order \
                 {declared}"
            );
            let mut sorted = target.clone();
            sorted.sort_unstable();
            let help = format!(
                "iterators go from the outermost to the innermost dimension: declare them in the \
                 order {own}, or index '{name}' in the order {}",
                self.names(&sorted)
            );
            sink.push(Diagnostic::warning(span, message).help(help));
        }
        let swapped = reads_below([self.value]).find_map(|(read, span)| {
            let order = order(read);
            let places = order.iter().map(|one| target.iter().position(|two| one == two));
            let places = places.collect::<Option<Vec<_>>>()?;
            (!places.is_sorted()).then_some((read, span, order))
        });
        if let Some((read, span, order)) = swapped {
            let (name, other) = (&self.arrays[read.array].name, self.target.0);
            let [order, target] = [self.names(&order), self.names(&target)];
            let message =
                format!("'{name}' is read in the order {order}, '{other}' is written in {target}");
            let help = format!(
                "write the indices of '{name}' in the order {target}, unless it is to be transposed"
            );
            sink.push(Diagnostic::warning(span, message).help(help));
        }
    }

    fn names(&self, order: &[IteratorId]) -> String {
        let names = order.iter().map(|iterator| self.iterators[*iterator].as_str());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The iterators that the indices of a read follow; an index that follows none, or several, gives
/// no order.
fn order(read: &Read) -> Vec<IteratorId> {
    let shifted = |index: &Index| Some(index.affine()?.shifted_iterator()?.0);
    read.indices.iter().filter_map(shifted).collect()
}
