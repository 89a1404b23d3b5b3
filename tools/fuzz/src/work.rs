//! How large a program is and how long it runs.

use crate::bounds::Bounds;
use crate::layout::Layout;
use crate::point::Op;
use crate::program::{Body, Program, Statement};

impl Program {
    /// Operations that a run executes, about: scalar ones, and one for each cell that is moved.
    pub fn work(&self, layout: &Layout) -> u64 {
        self.function_work(0, layout)
    }

    fn function_work(&self, number: usize, layout: &Layout) -> u64 {
        match self.functions.get(&number).map(|function| &function.body) {
            Some(Body::Stencil(statements)) => self.list_work(statements, layout),
            _ => 0,
        }
    }

    fn list_work(&self, statements: &[Statement], layout: &Layout) -> u64 {
        let cells = |bounds: Option<&Bounds>| bounds.map_or(0, Bounds::cells);
        let cost = |statement: &Statement| match statement {
            Statement::Apply(apply) => {
                let points = layout.points(apply);
                cells(points.as_ref()) * (1 + apply.body.work())
            }
            Statement::Loop(l) => self.trips(l) * self.list_work(&l.body, layout),
            Statement::Call { function, .. } => self.function_work(*function, layout),
            Statement::Store { field, range, .. } => layout.range(*field, range).cells(),
            Statement::Load { result, .. } => cells(layout.temp(*result)),
            Statement::Combine(combine) => cells(layout.temp(combine.results[0])),
            Statement::Buffer { result, .. } => cells(layout.temp(*result)),
            Statement::Alloc { result } => layout.field(*result).cells(),
            Statement::Compute(_) | Statement::Cast { .. } => 1,
        };
        statements.iter().map(cost).sum()
    }

    /// Number of statements that write fields.
    pub fn stores(&self) -> usize {
        let mut stores = 0;
        self.walk(&mut |statement| {
            let writes = match statement {
                Statement::Store { .. } => true,
                Statement::Apply(apply) => {
                    matches!(apply.output, crate::program::Output::Fields { .. })
                }
                _ => false,
            };
            stores += usize::from(writes);
        });
        stores
    }

    /// Number of statements, operands and operations in the text of the model.
    pub fn size(&self) -> usize {
        let mut size = self.functions.len();
        self.walk(&mut |statement| {
            size += 1 + statement.results().len();
            if let Statement::Apply(apply) = statement {
                size += apply.operands.len();
            }
        });
        for block in self.blocks() {
            block.walk(&mut |op: &Op| size += 1 + op.operands().len());
        }
        size
    }
}
