//! Fields of the whole domain on the host, and their planes on the devices.

use super::{
    super::{BoundArgument, DeviceError, HostError, session::memory, transfer::plain_memory},
    PeerDevice, SharedSession, on_device,
};
use crate::{
    manifest::{FieldShape, Span},
    rows::Rows,
};
use std::ops::Range;

impl<D: PeerDevice> SharedSession<'_, D> {
    /// Copies to every device what its windows hold of the fields on the host.
    pub fn upload(&mut self) -> Result<(), HostError> {
        self.upload_if(|_| true)
    }

    /// Uploads the fields that the program writes again, so that another run starts from the same
    /// content.
    pub fn restore(&mut self) -> Result<(), HostError> {
        self.upload_if(|shape| shape.written)
    }

    fn upload_if(&mut self, wanted: impl Fn(&FieldShape) -> bool) -> Result<(), HostError> {
        for device in 0..self.devices.len() {
            self.devices[device].enter().map_err(on_device(device))?;
            for position in 0..self.arguments.len() {
                let shape = self.function.arguments[position].kind.as_field();
                if shape.is_some_and(&wanted) {
                    self.upload_field(device, position).map_err(on_device(device))?;
                }
            }
        }
        Ok(())
    }

    fn upload_field(&mut self, device: usize, position: usize) -> Result<(), HostError> {
        let Some(cells) = self.arguments[position].on_host() else { return Ok(()) };
        let target = memory(&self.windows[device].buffers, position as u32);
        let own = &mut self.devices[device];
        let spans = self.function.held_spans(device, position);
        let shape = self.function.arguments[position].kind.as_field().expect("it is on the host");
        let rows = shape.rows();
        // Planes along an inner dimension are many short pieces: they are put together here.
        if self.function.cut_dimension(position).is_some_and(|dimension| dimension > 0) {
            let mut content = plain_memory(shape.bytes())?;
            for span in spans {
                let source = &cells[span.whole..][..span.bytes];
                content[span.local..][..span.bytes].copy_from_slice(source);
            }
            return Ok(own.upload_array(target.buffer, &content, rows)?);
        }
        for Part { whole, on_device, rows } in
            spans.into_iter().flat_map(|span| parts(span, rows, PADDED_AT_ONCE))
        {
            let content = &cells[whole];
            match rows {
                None => own.upload_at(target.buffer, on_device, content)?,
                Some(rows) => own.upload_at(target.buffer, on_device, &rows.padded(content)?)?,
            }
        }
        Ok(())
    }

    /// Fills temporaries, whose initial content is unspecified, with one byte.
    pub fn poison(&mut self, byte: u8) -> Result<(), HostError> {
        let fields = self.function.arguments.len();
        for (device, window) in self.windows.iter().enumerate() {
            let own = &mut self.devices[device];
            own.enter().map_err(on_device(device))?;
            for memory in window.buffers.iter().skip(fields).flatten() {
                own.fill(memory.buffer, byte, memory.bytes).map_err(on_device(device))?;
            }
        }
        Ok(())
    }

    /// Copies the fields that the program writes back to the host, each plane from its owner.
    pub fn download(&mut self) -> Result<(), HostError> {
        for position in 0..self.arguments.len() {
            let shape = self.function.arguments[position].kind.as_field();
            if shape.is_some_and(|shape| shape.written) {
                let content = self.read(position)?;
                if let BoundArgument::Host(cells) = &mut self.arguments[position] {
                    cells.copy_from_slice(&content);
                }
            }
        }
        Ok(())
    }

    /// The content of a field of the whole domain, each plane from its owner. One that is cut along
    /// another dimension than its slowest is only read: it is what the host gave.
    ///
    /// # Panics
    ///
    /// If the argument is not a field.
    pub fn read(&mut self, position: usize) -> Result<Vec<u8>, HostError> {
        let cells = self.arguments[position].on_host();
        let cells = cells.expect("fields of several devices come from the host");
        if self.function.cut_dimension(position).is_some_and(|dimension| dimension > 0) {
            return Ok(cells.to_vec());
        }
        let mut content = plain_memory(cells.len())?;
        for device in 0..self.devices.len() {
            self.devices[device].enter().map_err(on_device(device))?;
            self.read_owned(device, position, &mut content).map_err(on_device(device))?;
        }
        Ok(content)
    }

    /// The planes of a field that a device owns.
    fn read_owned(
        &mut self,
        device: usize,
        position: usize,
        content: &mut [u8],
    ) -> Result<(), DeviceError> {
        let own = &mut self.devices[device];
        let buffer = memory(&self.windows[device].buffers, position as u32).buffer;
        let shape = self.function.arguments[position].kind.as_field();
        let rows = shape.and_then(FieldShape::rows);
        let spans = self.function.owned_spans(device, position).into_iter();
        for Part { whole, on_device, rows } in
            spans.flat_map(|span| parts(span, rows, PADDED_AT_ONCE))
        {
            let part = &mut content[whole];
            match rows {
                None => own.download_at(buffer, on_device, part)?,
                Some(rows) => {
                    let mut padded = plain_memory(rows.padded_bytes())?;
                    own.download_at(buffer, on_device, &mut padded)?;
                    rows.unpad(&padded, part);
                }
            }
        }
        Ok(())
    }
}

/// Bytes that the host pads at once, so that it needs no second copy of a field.
const PADDED_AT_ONCE: usize = 64 << 20;

/// Planes of a field that are copied at once.
#[derive(Debug, PartialEq)]
struct Part {
    /// Their bytes in the whole field.
    whole: Range<usize>,
    /// Their first byte on the device.
    on_device: usize,
    /// Their rows, if these have padding on the device.
    rows: Option<Rows>,
}

/// The parts in which planes are copied: so many bytes at once if their rows have padding on the
/// device, else all.
fn parts(span: Span, rows: Option<Rows>, bytes: usize) -> Vec<Part> {
    let Span { local, whole, bytes: all } = span;
    let Some(rows) = rows else {
        return vec![Part { whole: whole..whole + all, on_device: local, rows: None }];
    };
    let count = all / rows.bytes;
    let at_once = (bytes / rows.pitch).max(1);
    let part = |first: usize| {
        let start = whole + first * rows.bytes;
        let on_device = (local / rows.bytes + first) * rows.pitch;
        let rows = rows.of(at_once.min(count - first));
        Part { whole: start..start + rows.plain_bytes(), on_device, rows: Some(rows) }
    };
    (0..count).step_by(at_once).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_with_padding_are_copied_some_rows_at_once() {
        let span = Span { local: 12, whole: 24, bytes: 18 };
        let part = |whole, on_device, rows| Part { whole, on_device, rows };
        assert_eq!(parts(span, None, 1), [part(24..42, 12, None)]);
        let rows = Rows { bytes: 6, pitch: 8, first: 2, count: 9 };
        let two = [part(24..36, 16, Some(rows.of(2))), part(36..42, 32, Some(rows.of(1)))];
        assert_eq!(parts(span, Some(rows), 16), two);
        assert_eq!(parts(span, Some(rows), 1).len(), 3);
        assert_eq!(parts(span, Some(rows), 99), [part(24..42, 16, Some(rows.of(3)))]);
    }
}
