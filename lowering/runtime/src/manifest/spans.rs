//! Where the cells of a window are among those of the whole domain.

use super::{Exchange, FieldShape, Function, decomposition::Run};

/// Consecutive bytes of a field in a window, and those of the whole field that they stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte, counted from the field's first in the window.
    pub local: usize,
    /// The first one of the whole field, counted from its first.
    pub whole: usize,
    /// How many.
    pub bytes: usize,
}

impl Function {
    /// The bytes of a field that a device holds, in their order.
    ///
    /// # Panics
    /// If the argument is not a field.
    pub fn held_spans(&self, device: usize, position: usize) -> Vec<Span> {
        match self.cut_dimension(position) {
            None => vec![self.uncut(position)],
            Some(dimension) => self.spans(position, dimension, &self.held(device, position)),
        }
    }

    /// Those of them that the device owns: each byte of a field has one owner, the first device if
    /// the field is not cut.
    ///
    /// # Panics
    /// If the argument is not a field.
    pub fn owned_spans(&self, device: usize, position: usize) -> Vec<Span> {
        match self.cut_dimension(position) {
            None if device == 0 => vec![self.uncut(position)],
            None => Vec::new(),
            Some(dimension) => self.spans(position, dimension, &self.owned(device, position)),
        }
    }

    /// Bytes of a plane of a field along its slowest dimension, on a device.
    pub(crate) fn plane_bytes(&self, position: usize) -> u64 {
        let shape = self.field(position);
        let planes = shape.extents().first().copied().unwrap_or(1);
        shape.device_bytes() as u64 / planes.max(1)
    }

    /// Bytes of a field of the whole domain.
    pub(crate) fn whole_field_bytes(&self, position: usize) -> usize {
        let all = (0..self.devices()).flat_map(|device| self.owned_spans(device, position));
        all.map(|span| span.bytes).sum()
    }

    /// Bytes that are copied in all of these exchanges.
    pub(crate) fn exchange_bytes(&self, exchanges: &[Exchange]) -> u64 {
        exchanges.iter().map(|one| one.planes * self.plane_bytes(one.argument)).sum()
    }

    /// The dimension along which a field is cut.
    pub(crate) fn cut_dimension(&self, position: usize) -> Option<usize> {
        Some(self.decomposition.as_ref()?.fields.get(position)?.as_ref()?.dimension as usize)
    }

    fn field(&self, position: usize) -> &FieldShape {
        self.arguments[position].kind.as_field().expect("only fields have cells")
    }

    fn uncut(&self, position: usize) -> Span {
        Span { local: 0, whole: 0, bytes: self.field(position).bytes() }
    }

    fn spans(&self, position: usize, dimension: usize, runs: &[Run]) -> Vec<Span> {
        let shape = self.field(position);
        let extents = shape.extents();
        let cut = self.decomposition.as_ref().and_then(|shared| shared.fields[position].as_ref());
        let cut = cut.expect("the field is cut");
        let inner = extents[dimension + 1..].iter().product::<u64>() as usize;
        let inner = inner * shape.element.bytes();
        let rows = extents[..dimension].iter().product::<u64>() as usize;
        let strides = [extents[dimension], cut.upper.abs_diff(cut.lower)];
        let [local_row, whole_row] = strides.map(|planes| planes as usize * inner);
        let span = |row: usize, run: &Run| Span {
            local: row * local_row + run.local as usize * inner,
            whole: row * whole_row + run.whole as usize * inner,
            bytes: run.planes as usize * inner,
        };
        (0..rows).flat_map(|row| runs.iter().map(move |run| span(row, run))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{manifest::ArgumentKind, samples};

    #[test]
    fn bytes_of_planes_follow_one_another() {
        let function = samples::shared_function();
        let span = |local, whole, bytes| Span { local, whole, bytes };
        assert_eq!(function.held_spans(0, 0), [span(0, 0, 48)]);
        assert_eq!(function.owned_spans(0, 0), [span(0, 0, 36)]);
        assert_eq!(function.held_spans(1, 1), [span(0, 24, 48)]);
        assert_eq!(function.owned_spans(1, 1), [span(12, 36, 36)]);
    }

    #[test]
    fn a_field_that_is_cut_inside_has_bytes_of_each_row() {
        let mut function = samples::shared_function();
        let ArgumentKind::Field(shape) = &mut function.arguments[0].kind else { unreachable!() };
        (shape.lower, shape.upper, shape.written) = (vec![0, -1], vec![2, 11], false);
        let fields = &mut function.decomposition.as_mut().unwrap().fields;
        fields[0].as_mut().unwrap().dimension = 1;
        let span = |local, whole, bytes| Span { local, whole, bytes };
        assert_eq!(function.owned_spans(1, 0), [span(12, 36, 36), span(60, 108, 36)]);
    }

    #[test]
    fn a_field_that_is_not_cut_belongs_to_the_first_device() {
        let mut function = samples::shared_function();
        function.decomposition.as_mut().unwrap().fields[0] = None;
        let all = [Span { local: 0, whole: 0, bytes: 48 }];
        assert_eq!(function.held_spans(1, 0), all);
        assert_eq!(function.owned_spans(0, 0), all);
        assert_eq!(function.owned_spans(1, 0), []);
    }
}
