//! Time steps for which a table has no values.

use crate::compiled::{Program, field, kernel, package, scalar};
use stencil_runtime::{
    ScalarOp, ScalarType, ScalarValue,
    manifest::{Function, Id, Parameter, Statement, StepLimit, TimeSteps},
};

/// `name(u, s, first, end)`: a kernel for each step. If steps are shared, an iteration makes two.
fn function(name: &str, step_limits: Vec<StepLimit>, shared: bool) -> Function {
    let constant = |id, value| Statement::Constant {
        result: Id(id),
        value: ScalarValue::from_integer(ScalarType::Index, value),
    };
    let number = Statement::Scalar {
        result: Id(5),
        op: ScalarOp::SubI,
        operands: vec![Id(3), Id(2)],
        ty: ScalarType::Index,
    };
    let time_loop = Statement::For {
        lower: Id(2),
        upper: Id(3),
        step: Id(4),
        induction: Id(6),
        carried: Vec::new(),
        body: vec![Statement::Launch { kernel: "add".to_owned(), arguments: vec![Id(0), Id(1)] }],
    };
    Function {
        name: name.to_owned(),
        variant_of: None,
        arguments: vec![
            field("u", ScalarType::F64, &[4]),
            field("s", ScalarType::F64, &[9]),
            scalar("first", ScalarType::Index),
            scalar("end", ScalarType::Index),
        ],
        body: vec![constant(4, if shared { 2 } else { 1 }), number, time_loop],
        time_steps: shared.then_some(TimeSteps { value: Id(5), step: 1, rotation: 1 }),
        step_limits,
        extents: None,
        decomposition: None,
    }
}

const MAIN: &str = r#"
#include <cuda.h>
#include <stdio.h>

void (*driver_on_launch)(const char *kernel, void **parameters);
int driver_log_copies;

typedef stencil_status run(stencil_module *, const stencil_array *, const stencil_array *, int64_t,
                           int64_t, CUstream);

static double *memory;

static void check(stencil_module *handle, run *function, int64_t first, int64_t end)
{
    const stencil_array u = FIELD(memory, NULL), s = FIELD(memory + 64, NULL);
    const stencil_status code = function(handle, &u, &s, first, end, NULL);
    printf("%d%s%s\n", (int)code, code == STENCIL_OK ? "" : " ",
           code == STENCIL_OK ? "" : stencil_last_error());
}

int main(void)
{
    stencil_module *handle;
    CUdeviceptr address;
    cuMemAlloc(&address, 128 * sizeof(double));
    memory = (double *)(uintptr_t)address;
    cuCtxSetCurrent((CUcontext)(uintptr_t)1);
    if (march_create(&handle) != STENCIL_OK) {
        return 1;
    }
"#;

/// The answers to calls, each a function, the first time step, and the end.
fn answers(functions: Vec<Function>, calls: &[(&str, i64, i64)]) -> Vec<String> {
    let calls = calls.iter().map(|(name, first, end)| {
        let first = if *first == i64::MIN { "INT64_MIN".to_owned() } else { first.to_string() };
        format!("    check(handle, march_run_{name}, {first}, {end});\n")
    });
    let calls = calls.collect::<String>();
    let main = format!("{MAIN}{calls}    stencil_module_free(handle);\n    return 0;\n}}\n");
    let package = package(functions, vec![kernel("add", vec![Parameter::Pointer; 2])]);
    let flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover"];
    let text = Program::new(&package, "march", &main).run("cc", &flags);
    let is_answer = |line: &&str| !line.starts_with("launch");
    text.lines().filter(is_answer).map(str::to_owned).collect()
}

#[test]
fn tables_limit_the_number_of_time_steps() {
    let limit = |argument, first, last| StepLimit { argument, first, last };
    let tables = vec![limit(Some(1), 0, 8), limit(None, i64::MIN, 9)];
    let functions = vec![function("plain", tables.clone(), false), function("pairs", tables, true)];
    for name in ["plain", "pairs"] {
        let calls = [(0, 9), (3, 9), (7, 7), (30, 20), (0, 10), (9, 11), (-1, 1)];
        assert_eq!(
            answers(functions.clone(), &calls.map(|(first, end)| (name, first, end))),
            [
                "0",
                "0",
                "0",
                "0",
                "2 argument 1 's' has values for 9 time steps from 0 on, and 10 would be made; \
                 make fewer, or give it more cells and its access in the program a wider range",
                "2 argument 1 's' has values for 0 time steps from 9 on, and 2 would be made; make \
                 fewer, or give it more cells and its access in the program a wider range",
                "2 argument 1 's' has values from time step 0 on, and the time loop starts at -1; \
                 start later, or give it more cells and its access in the program a wider range",
            ]
        );
    }
}

#[test]
fn tables_may_be_no_arguments_and_reach_the_ends_of_the_type() {
    let limit = StepLimit { argument: None, first: i64::MIN, last: 9 };
    let functions = vec![function("plain", vec![limit], false), function("other", vec![], false)];
    let lines = answers(functions, &[("plain", i64::MIN, i64::MIN + 1), ("plain", 9, 11)]);
    assert_eq!(
        lines,
        [
            "0",
            "2 a table that is no argument has values for 1 time steps from 9 on, and 2 would be \
             made; make fewer, or give it more cells and its access in the program a wider range"
        ]
    );
}
