//! Rows of a field in memory with padding, for aligned accesses; arrays of callers have none.

use crate::host::{DeviceError, plain_memory};

/// Where the rows of an array lie in memory with padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Bytes of a row.
    pub bytes: usize,
    /// Bytes from a row to the next in memory with padding.
    pub pitch: usize,
    /// Bytes of padding before a row.
    pub first: usize,
    /// How many rows there are.
    pub count: usize,
}

impl Rows {
    /// Bytes of all rows, without padding.
    pub fn plain_bytes(&self) -> usize {
        self.count * self.bytes
    }

    /// Bytes of all rows with their padding.
    pub fn padded_bytes(&self) -> usize {
        self.count * self.pitch
    }

    /// So many rows of the same.
    pub fn of(self, count: usize) -> Rows {
        Rows { count, ..self }
    }

    /// The rows with padding of zeros.
    pub fn padded(&self, content: &[u8]) -> Result<Vec<u8>, DeviceError> {
        let mut padded = plain_memory(self.padded_bytes())?;
        let rows = padded.chunks_exact_mut(self.pitch);
        for (to, from) in rows.zip(content.chunks_exact(self.bytes)) {
            to[self.first..][..self.bytes].copy_from_slice(from);
        }
        Ok(padded)
    }

    /// Takes the rows out of memory with padding.
    pub fn unpad(&self, padded: &[u8], content: &mut [u8]) {
        let rows = content.chunks_exact_mut(self.bytes);
        for (to, from) in rows.zip(padded.chunks_exact(self.pitch)) {
            to.copy_from_slice(&from[self.first..][..self.bytes]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_into_memory_with_padding_and_back() {
        let rows = Rows { bytes: 3, pitch: 8, first: 2, count: 2 };
        let content = [1, 2, 3, 4, 5, 6];
        let padded = rows.padded(&content).unwrap();
        assert_eq!(padded, [0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0]);
        let mut back = [0; 6];
        rows.unpad(&padded, &mut back);
        assert_eq!(back, content);
    }
}
