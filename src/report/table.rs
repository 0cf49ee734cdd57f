//! How tables look: a line below the header, nothing else, so that a row stays on a line.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

/// A table as text, without trailing blanks or newline. Columns named in `texts` are aligned to
/// the left, all others to the right.
pub fn table(header: &[&str], rows: Vec<Vec<String>>, texts: &[&str]) -> String {
    let line = LineStyle::none().fill('─').junction('─');
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(line)).set_header(header).add_rows(rows);
    for (column, name) in table.column_iter_mut().zip(header) {
        column.set_cell_alignment(if texts.contains(name) {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        });
    }
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_texts_left() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let text =
            table(&["turns", "state"], vec![row(["7", "ok"]), row(["1024", "x"])], &["state"]);
        insta::assert_snapshot!(text, @r"
         turns   state
        ───────────────
             7   ok
          1024   x
        ");
    }
}
