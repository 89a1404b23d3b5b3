//! Data as JSON lines: one object a line, read with the line's number in every message.

use serde::de::DeserializeOwned;

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Reads every line that is not blank; gives the line's number with each.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<Vec<(usize, T)>, LineError> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let filled = numbered.filter(|(_, line)| !line.trim().is_empty());
    let parse = |(line, text): (usize, &str)| match serde_json::from_str(text) {
        Ok(value) => Ok((line, value)),
        Err(error) => Err(LineError { line, message: error.to_string() }),
    };
    filled.map(parse).collect()
}

/// Reads the lines of a file that is part of this program.
///
/// # Panics
/// If one cannot be read; tests read all of them.
pub(crate) fn built_in<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lines = read(text).unwrap_or_else(|error| panic!("built-in data: {error}"));
    lines.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_blank_ones_left_out() {
        assert_eq!(read::<u32>("1\n\n2\n"), Ok(vec![(1, 1), (3, 2)]));
        let error = read::<u32>("1\n\nx\n").unwrap_err();
        assert!(error.to_string().starts_with("line 3: expected value"), "{error}");
    }
}
