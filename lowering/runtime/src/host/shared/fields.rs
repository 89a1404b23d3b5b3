//! Fields of the whole domain on the host, and their planes on the devices.

use super::{
    super::{BoundArgument, HostError, session::memory, transfer::plain_memory},
    PeerDevice, SharedSession, on_device,
};
use crate::manifest::{Decomposition, FieldShape, Run};

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
        let buffer = memory(&self.buffers[device], position as u32).buffer;
        let own = &mut self.devices[device];
        let held = self.function.held(device, position);
        match cut(self.function.decomposition.as_ref(), position) {
            None => own.upload(buffer, cells)?,
            Some(0) => {
                let plane = plane_bytes(&self.function.arguments[position].kind.as_field());
                for Run { local, whole, planes } in held {
                    let [local, whole, bytes] =
                        [local, whole, planes].map(|n| (n * plane) as usize);
                    own.upload_at(buffer, local, &cells[whole..whole + bytes])?;
                }
            }
            Some(dimension) => {
                let shapes = [&self.function, &&self.whole].map(|function| {
                    function.arguments[position].kind.as_field().expect("it is cut").extents()
                });
                let element = self.function.arguments[position].kind.as_field();
                let element = element.expect("it is cut").element.bytes();
                let content = window(cells, &shapes, dimension as usize, element, &held)?;
                own.upload(buffer, &content)?;
            }
        }
        Ok(())
    }

    /// Fills temporaries, whose initial content is unspecified, with one byte.
    pub fn poison(&mut self, byte: u8) -> Result<(), HostError> {
        let fields = self.function.arguments.len();
        for (device, buffers) in self.buffers.iter().enumerate() {
            let own = &mut self.devices[device];
            own.enter().map_err(on_device(device))?;
            for memory in buffers.iter().skip(fields).flatten() {
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
        let shape = self.function.arguments[position].kind.as_field();
        let plane = plane_bytes(&shape);
        match cut(self.function.decomposition.as_ref(), position) {
            Some(0) => {}
            Some(_) => return Ok(cells.to_vec()),
            None => {
                let mut content = plain_memory(cells.len())?;
                self.devices[0].enter().map_err(on_device(0))?;
                let buffer = memory(&self.buffers[0], position as u32).buffer;
                self.devices[0].download(buffer, &mut content).map_err(on_device(0))?;
                return Ok(content);
            }
        }
        let mut content = plain_memory(cells.len())?;
        for device in 0..self.devices.len() {
            let own = &mut self.devices[device];
            own.enter().map_err(on_device(device))?;
            let buffer = memory(&self.buffers[device], position as u32).buffer;
            for Run { local, whole, planes } in self.function.owned(device, position) {
                let [local, whole, bytes] = [local, whole, planes].map(|n| (n * plane) as usize);
                let part = &mut content[whole..whole + bytes];
                own.download_at(buffer, local, part).map_err(on_device(device))?;
            }
        }
        Ok(content)
    }

    /// Bytes of a plane of a field along its slowest dimension.
    pub(super) fn plane_bytes(&self, position: usize) -> u64 {
        plane_bytes(&self.function.arguments[position].kind.as_field())
    }
}

/// The dimension along which a field is cut.
fn cut(shared: Option<&Decomposition>, position: usize) -> Option<u32> {
    Some(shared?.fields.get(position)?.as_ref()?.dimension)
}

fn plane_bytes(shape: &Option<&FieldShape>) -> u64 {
    let shape = shape.expect("only fields have planes");
    let cells = shape.extents().iter().skip(1).product::<u64>();
    cells * shape.element.bytes() as u64
}

/// The cells of a window of a field that is cut along an inner dimension.
fn window(
    cells: &[u8],
    [local, whole]: &[Vec<u64>; 2],
    dimension: usize,
    element: usize,
    held: &[Run],
) -> Result<Vec<u8>, HostError> {
    let inner = whole[dimension + 1..].iter().product::<u64>() as usize * element;
    let outer = whole[..dimension].iter().product::<u64>() as usize;
    let strides = [local, whole].map(|extents| extents[dimension] as usize * inner);
    let mut content = plain_memory(outer * strides[0])?;
    for row in 0..outer {
        for run in held {
            let [to, from, bytes] = [run.local, run.whole, run.planes].map(|n| n as usize * inner);
            let source = &cells[row * strides[1] + from..][..bytes];
            content[row * strides[0] + to..][..bytes].copy_from_slice(source);
        }
    }
    Ok(content)
}
