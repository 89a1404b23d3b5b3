//! Rows of words as a table, for a terminal or for a document.

/// Words in rows below headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The headings; their number is that of every row.
    pub headings: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Columns from the left that hold words; all others hold numbers, which are right-aligned.
    pub words: usize,
}

/// What a table is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A terminal.
    Plain,
    /// A document.
    Markdown,
}

impl Grid {
    /// The table, a line for each row.
    pub fn text(&self, form: Form) -> String {
        let mut lines = vec![self.line(&self.headings, form)];
        if form == Form::Markdown {
            let rule = |column: usize| if column < self.words { "---" } else { "---:" };
            let rules: Vec<&str> = (0..self.headings.len()).map(rule).collect();
            lines.push(format!("| {} |", rules.join(" | ")));
        }
        lines.extend(self.rows.iter().map(|row| self.line(row, form)));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn line(&self, row: &[String], form: Form) -> String {
        if form == Form::Markdown {
            return format!("| {} |", row.join(" | "));
        }
        let cell = |(column, word): (usize, &String)| {
            let width = self.width(column);
            if column < self.words { format!("{word:<width$}") } else { format!("{word:>width$}") }
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    }

    fn width(&self, column: usize) -> usize {
        let all = std::iter::once(&self.headings).chain(&self.rows);
        all.map(|row| row[column].chars().count()).max().unwrap_or(0)
    }
}

/// A number with three digits that mean something, or a dash.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() >= 99.95 => format!("{value:.0}"),
        Some(value) if value.abs() >= 9.995 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// A count, or a dash.
pub fn count(value: Option<u32>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_numbers_right() {
        let words = |row: [&str; 2]| row.map(str::to_owned).to_vec();
        let grid = Grid {
            headings: words(["kernel", "GPt/s"]),
            rows: vec![words(["heat", "7"]), words(["rhs4th3fort", "123.4"])],
            words: 1,
        };
        assert_eq!(
            grid.text(Form::Plain),
            "kernel       GPt/s\nheat             7\nrhs4th3fort  123.4\n"
        );
        assert_eq!(
            grid.text(Form::Markdown),
            "| kernel | GPt/s |\n| --- | ---: |\n| heat | 7 |\n| rhs4th3fort | 123.4 |\n"
        );
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.123, 7.0, 9.996, 12.34, 99.96, 1234.5].map(|value| number(Some(value)));
        assert_eq!(texts, ["0.12", "7.00", "10.0", "12.3", "100", "1234"]);
        assert_eq!((number(None), count(None)), ("-".to_owned(), "-".to_owned()));
    }
}
