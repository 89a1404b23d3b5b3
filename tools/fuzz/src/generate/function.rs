//! Functions besides the main one, and calls of stencil functions.

use super::Generator;
use super::point::Point;
use super::scope::Field;
use crate::point::{Kind, Literal, Op};
use crate::program::{Body, Function, Statement, Value};
use crate::types::{Scalar, Type};

impl Generator<'_> {
    /// A function of one to three numbers.
    pub(super) fn draw_scalar_function(&mut self) {
        let floats: Vec<Scalar> = self.palette.iter().copied().filter(|p| p.is_float()).collect();
        let of = if floats.is_empty() { Scalar::F64 } else { self.random.pick(&floats) };
        let parameters: Vec<Value> = (0..self.random.between(1, 3))
            .map(|_| self.program.new_value(Type::Scalar(of)))
            .collect();
        let mut point = Point::new(self, 0, vec![], parameters.clone());
        let result = point.float(of, 2);
        let body = Body::Scalar(point.finish(vec![result]));
        let number = self.program.functions.len() + 1;
        let function = Function { name: format!("point{number}"), parameters, body };
        self.program.functions.insert(number, function);
        self.scalar_functions.push(number);
    }

    /// A function on fields of the domain.
    pub(super) fn draw_stencil_function(&mut self) {
        let outer = std::mem::take(&mut self.scope);
        let mut parameters = vec![];
        for _ in 0..self.random.between(1, 3) {
            let element = self.random.pick(&self.palette.clone());
            parameters.push(self.new_parameter_field(element, self.all_dims()));
        }
        if self.random.chance(60) {
            let of = self.random.pick(&[Scalar::F64, Scalar::F32, Scalar::I32]);
            let value = self.program.new_value(Type::Scalar(of));
            self.scope.scalars.push(value);
            parameters.push(value);
        }
        self.compute_and_store();
        let body = Body::Stencil(std::mem::replace(&mut self.scope, outer).statements);
        let number = self.program.functions.len() + 1;
        let function = Function { name: format!("stage{number}"), parameters, body };
        self.program.functions.insert(number, function);
        self.stencil_functions.push(number);
    }

    /// A call with distinct fields, or another stage if there are too few.
    pub(super) fn call_function(&mut self) {
        let function = self.random.pick(&self.stencil_functions.clone());
        let parameters = self.program.functions[&function].parameters.clone();
        let full = self.all_dims();
        let mut fields: Vec<Field> =
            self.scope.fields.iter().filter(|f| f.dims == full).cloned().collect();
        self.random.shuffle(&mut fields);
        let mut passed: Vec<Field> = vec![];
        let mut arguments = vec![];
        for parameter in parameters {
            let ty = self.program.type_of(parameter);
            if let Type::Scalar(of) = ty {
                arguments.push(self.scalar_to_pass(of));
                continue;
            }
            let fitting = |f: &&Field| {
                self.program.type_of(f.value) == ty && passed.iter().all(|p| p.is_apart(f))
            };
            let Some(field) = fields.iter().find(fitting).cloned() else {
                return self.compute_and_store();
            };
            arguments.push(field.value);
            passed.push(field);
        }
        self.push(Statement::Call { function, arguments });
        passed.iter().for_each(|field| self.forget_stale(field.value));
    }

    /// A scalar in scope, or a constant.
    fn scalar_to_pass(&mut self, of: Scalar) -> Value {
        let fitting = |v: &&Value| self.program.type_of(**v) == Type::Scalar(of);
        let scalars: Vec<Value> = self.scope.scalars.iter().filter(fitting).copied().collect();
        if !scalars.is_empty() {
            return self.random.pick(&scalars);
        }
        let value = self.program.new_value(Type::Scalar(of));
        let literal = if of.is_float() { Literal::Float(0.75) } else { Literal::Integer(3) };
        self.push(Statement::Compute(Op::new(value, Kind::Constant(literal))));
        value
    }
}
