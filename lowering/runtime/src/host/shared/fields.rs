//! Fields of the whole domain on the host, and their planes on the devices.

use super::{
    super::{BoundArgument, HostError, session::memory, transfer::plain_memory},
    PeerDevice, SharedSession, on_device,
};
use crate::manifest::FieldShape;

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
        let BoundArgument::Host(cells) = &self.arguments[position] else { return Ok(()) };
        let target = memory(&self.windows[device].buffers, position as u32);
        let own = &mut self.devices[device];
        let spans = self.function.held_spans(device, position);
        // Planes along an inner dimension are many short pieces: they are put together here.
        if self.function.cut_dimension(position).is_some_and(|dimension| dimension > 0) {
            let mut content = plain_memory(target.bytes)?;
            for span in spans {
                let source = &cells[span.whole..][..span.bytes];
                content[span.local..][..span.bytes].copy_from_slice(source);
            }
            return Ok(own.upload(target.buffer, &content)?);
        }
        for span in spans {
            own.upload_at(target.buffer, span.local, &cells[span.whole..][..span.bytes])?;
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
        let BoundArgument::Host(cells) = &self.arguments[position] else {
            panic!("fields of several devices come from the host");
        };
        if self.function.cut_dimension(position).is_some_and(|dimension| dimension > 0) {
            return Ok(cells.to_vec());
        }
        let mut content = plain_memory(cells.len())?;
        for device in 0..self.devices.len() {
            let own = &mut self.devices[device];
            own.enter().map_err(on_device(device))?;
            let buffer = memory(&self.windows[device].buffers, position as u32).buffer;
            for span in self.function.owned_spans(device, position) {
                let part = &mut content[span.whole..][..span.bytes];
                own.download_at(buffer, span.local, part).map_err(on_device(device))?;
            }
        }
        Ok(content)
    }
}
