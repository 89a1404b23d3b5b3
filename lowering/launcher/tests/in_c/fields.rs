//! Valid and invalid fields of a caller, and error messages.

use crate::compiled::{Program, field, kernel, package};
use stencil_runtime::{
    Package, ScalarType,
    manifest::{ArgumentKind, Function, Id, Parameter, Statement},
};

/// `step(u, v)`: launches a kernel on both fields and a temporary buffer. `v` is only read.
fn sample() -> Package {
    let mut v = field("v", ScalarType::F64, &[4, 5, 6]);
    if let ArgumentKind::Field(shape) = &mut v.kind {
        shape.written = false;
    }
    let function = Function {
        name: "step".to_owned(),
        variant_of: None,
        arguments: vec![field("u", ScalarType::F64, &[4, 5, 6]), v],
        body: vec![
            Statement::Allocate { result: Id(2), element: ScalarType::F64, elements: 10 },
            Statement::Launch { kernel: "add".to_owned(), arguments: vec![Id(0), Id(1), Id(2)] },
        ],
        time_steps: None,
        step_limits: Vec::new(),
        extents: None,
        decomposition: None,
    };
    package(vec![function], vec![kernel("add", vec![Parameter::Pointer; 3])])
}

/// Fields in one piece of memory of the driver; the kernel adds `v` to `u`, cell by cell.
const BEGIN: &str = r#"
#include <cuda.h>
#include <stdio.h>
#include <string.h>

enum { CELLS = STEP_U_EXTENT_0 * STEP_U_EXTENT_1 * STEP_U_EXTENT_2, ROOM = 4096 };

static double *memory;
static stencil_module *handle;

static void add(const char *kernel, void **parameters)
{
    double *u, *v;
    int cell;
    (void)kernel;
    memcpy(&u, parameters[0], sizeof u);
    memcpy(&v, parameters[1], sizeof v);
    for (cell = 0; cell < CELLS; cell++) {
        u[cell] += 100 * v[cell];
    }
}

void (*driver_on_launch)(const char *kernel, void **parameters) = add;
int driver_log_copies;

static double *cell(double *first, const int64_t *strides, int z, int y, int x)
{
    const int64_t dense[3] = {240, 48, 8};
    const int64_t *s = strides != NULL ? strides : dense;
    return (double *)(void *)((char *)first + z * s[0] + y * s[1] + x * s[2]);
}

/* Runs with fields at these places; every cell of u must change as it should, and no other byte. */
static void check(double *u, const int64_t *u_strides, double *v, const int64_t *v_strides)
{
    const stencil_array fields[2] = {FIELD(u, u_strides), FIELD(v, v_strides)};
    double before[ROOM];
    int z, y, x, code, index;
    for (index = 0; index < ROOM; index++) {
        memory[index] = -index;
    }
    for (z = 0; z < 4; z++) {
        for (y = 0; y < 5; y++) {
            for (x = 0; x < 6; x++) {
                *cell(u, u_strides, z, y, x) = z * 30 + y * 6 + x;
                *cell(v, v_strides, z, y, x) = 1000 + z * 30 + y * 6 + x;
            }
        }
    }
    memcpy(before, memory, sizeof before);
    code = step_run(handle, &fields[0], &fields[1], NULL);
    if (code != STENCIL_OK) {
        printf("%d: %s\n", code, stencil_last_error());
    }
    for (z = 0; z < 4; z++) {
        for (y = 0; y < 5; y++) {
            for (x = 0; x < 6; x++) {
                const int number = z * 30 + y * 6 + x;
                if (code == STENCIL_OK
                    && *cell(u, u_strides, z, y, x) != number + 100.0 * (1000 + number)) {
                    printf("%d %d %d is %f\n", z, y, x, *cell(u, u_strides, z, y, x));
                }
                *cell(u, u_strides, z, y, x) = number;
            }
        }
    }
    printf(memcmp(before, memory, sizeof before) == 0 ? "done\n" : "other bytes changed\n");
}

int main(void)
{
    CUdeviceptr address;
    (void)check;
    cuMemAlloc(&address, ROOM * sizeof(double));
    memory = (double *)(uintptr_t)address;
    cuCtxSetCurrent((CUcontext)(uintptr_t)1);
    if (step_create(&handle) != STENCIL_OK) {
        printf("%s\n", stencil_last_error());
    }
"#;

const LAUNCH: &str = "launch add 4,2,1 32,3,1 0";

/// What the statements print, run after the beginning above.
fn printed(package: &Package, statements: &str) -> Vec<String> {
    let main = format!("{BEGIN}{statements}    stencil_module_free(handle);\n    return 0;\n}}\n");
    let flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover"];
    let text = Program::new(package, "step", &main).run("cc", &flags);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn fields_are_used_in_place_or_copied() {
    let lines = printed(
        &sample(),
        "    {
        const int64_t dense[3] = {240, 48, 8}, rows[3] = {320, 64, 8}, planes[3] = {400, 48, 8};
        const int64_t inner[3] = {960, 96, 8}, turned[3] = {48, 200, 8};
        double *second = memory + ROOM / 2;
        check(memory, NULL, second, dense);
        check(memory + 1, NULL, second, NULL);
        check(memory, rows, second, planes);
        check(memory + 3, inner, second, turned);
        check(memory, NULL, second + 7, inner);
    }\n",
    );
    // Buffer 0 is the caller's; 1 and later are the temporary and the copies, when first needed.
    let launches: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix(LAUNCH)).map(str::trim).collect();
    assert_eq!(launches, ["#0 #0 #1", "#2 #0 #1", "#2 #3 #1", "#2 #3 #1", "#0 #3 #1"]);
    assert_eq!(lines.iter().filter(|line| *line == "done").count(), 5, "{lines:#?}");
    assert_eq!(lines.len(), 10, "{lines:#?}");
}

#[test]
fn what_cannot_run_is_refused_with_a_reason() {
    let lines = printed(
        &sample(),
        "    {
        const int64_t columns[3] = {8, 32, 160}, flat[3] = {240, 40, 8}, minus[3] = {-240, 48, 8};
        const int64_t huge[3] = {INT64_MAX / 2, 48, 8};
        const stencil_array u = FIELD(memory, NULL), none = FIELD(NULL, NULL);
        const stencil_array shifted = FIELD(memory + 119, NULL);
        const stencil_array cases[4] = {FIELD(memory, columns), FIELD(memory, flat),
                                        FIELD(memory, minus), FIELD(memory, huge)};
        int index;
        printf(\"%d %s\\n\", step_run(handle, &u, NULL, NULL), stencil_last_error());
        printf(\"%d %s\\n\", step_run(handle, &none, &u, NULL), stencil_last_error());
        printf(\"%d %s\\n\", step_run(handle, &u, &shifted, NULL), stencil_last_error());
        for (index = 0; index < 4; index++) {
            const int code = step_run(handle, &cases[index], &u, NULL);
            printf(\"%d %s\\n\", code, stencil_last_error());
        }
        driver_free_bytes = 79;
        check(memory, NULL, memory + ROOM / 2, NULL);
        driver_free_bytes = 80;
        check(memory, NULL, memory + ROOM / 2, NULL);
        printf(\"%d\\n\", step_run(NULL, &u, &u, NULL));
    }\n",
    );
    assert_eq!(
        lines,
        [
            "2 argument 1 'v' is a null pointer",
            "2 argument 0 'u' is a null pointer",
            "2 argument 0 'u' and argument 1 'v' are bound to overlapping memory; each field needs \
             its own",
            "2 argument 0 'u' has a stride of 160 bytes in its last dimension; on the device its \
             cells must be adjacent there, 8 bytes apart; pass a contiguous copy",
            "2 argument 0 'u' has a stride of 40 bytes in dimension 1; its cells overlap each \
             other unless it is 48 or more",
            "2 argument 0 'u' has a stride of -240 bytes in dimension 0; its cells overlap each \
             other unless it is 240 or more",
            "2 argument 0 'u' has a stride of 4611686018427387903 bytes in dimension 0; it is \
             larger than any memory",
            "4: the program needs 80 bytes (0.00 GiB) of device memory, 79 bytes (0.00 GiB) are \
             free; make its fields smaller, stop other processes on the device, or choose another \
             device",
            "done",
            "launch add 4,2,1 32,3,1 0 #0 #0 #1",
            "done",
            "2",
        ]
    );
}

#[test]
fn modules_of_other_packages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (same, other) = (folder.path().join("same.spk"), folder.path().join("other.spk"));
    sample().write(&same).unwrap();
    let mut renamed = sample();
    renamed.code.manifest.functions[0].name = "leap".to_owned();
    renamed.write(&other).unwrap();
    let run = |path: &std::path::Path| {
        format!(
            "    {{
        stencil_package *package = NULL;
        stencil_module *module = NULL;
        const stencil_array u = FIELD(memory, NULL), v = FIELD(memory + ROOM / 2, NULL);
        stencil_package_read(\"{}\", &package);
        stencil_module_load(package, STENCIL_CURRENT_CONTEXT, &module);
        printf(\"%d\\n\", step_run(module, &u, &v, NULL));
        if (strstr(stencil_last_error(), \"module\")) {{
            printf(\"%s\\n\", stencil_last_error());
        }}
        stencil_module_free(module);
        stencil_package_free(package);
    }}\n",
            path.display()
        )
    };
    let lines = printed(&sample(), &(run(&same) + &run(&other)));
    assert_eq!(
        lines,
        [
            "launch add 4,2,1 32,3,1 0 #0 #0 #1",
            "0",
            "2",
            "the module is of another package; give one that step_create made, or that was loaded \
             from the same package"
        ]
    );
}

#[test]
fn a_kernel_that_fails_is_named() {
    let lines = printed(
        &sample(),
        "    driver_fault_after(1);
    check(memory, NULL, memory + ROOM / 2, NULL);
    printf(\"%d\\n\", stencil_synchronize(handle, NULL));
    check(memory, NULL, memory + ROOM / 2, NULL);
    printf(\"%d %s\\n\", stencil_synchronize(handle, NULL), stencil_last_error());
    stencil_set_synchronous(handle, 1);
    check(memory, NULL, memory + ROOM / 2, NULL);\n",
    );
    let fault = "5 kernel 'add': a wild access (CUDA_ERROR_ILLEGAL_ADDRESS); CUDA takes no more \
                 work from a process one of whose kernels failed: start a new one";
    assert_eq!(lines.iter().filter(|line| *line == fault).count(), 1, "{lines:#?}");
    assert!(lines.contains(&fault.replacen(' ', ": ", 1)), "{lines:#?}");
    assert!(lines.contains(&"0".to_owned()), "{lines:#?}");
}

#[test]
fn kernels_that_cannot_be_loaded_say_why() {
    let mut package = sample();
    package.code.ptx = "// refuse\n".to_owned();
    let lines = printed(&package, "");
    assert_eq!(
        lines,
        [
            "kernels cannot be loaded: some error (CUDA_ERROR_X); they are PTX 8.0 for sm_90a, the \
             device 'stub 0' has compute capability 9.0",
            "line 1: refused",
        ]
    );

    let mut package = sample();
    package.code.manifest.kernels[0].shared_bytes = 4081;
    let lines = printed(&package, "");
    assert_eq!(
        lines,
        ["kernel 'add': it needs 4097 bytes of shared memory per block, the device has 4096; \
          compile it for this device"]
    );

    // Without a context of the caller, that of the first device is taken, and left.
    let statements = "    {
        CUcontext after = NULL;
        stencil_module_free(handle);
        cuCtxSetCurrent(NULL);
        printf(\"%d\\n\", (int)step_create(&handle));
        cuCtxGetCurrent(&after);
        check(memory, NULL, memory + ROOM / 2, NULL);
        printf(\"%d\\n\", after == NULL);
    }\n";
    let lines = printed(&sample(), statements);
    assert_eq!(lines, ["0", "launch add 4,2,1 32,3,1 0 #0 #0 #1", "done", "1"]);
}

#[test]
fn machine_code_is_taken_for_its_own_device() {
    let statements = "    printf(\"%d\\n\", driver_loaded_cubin);\n";
    let mut package = sample();
    package.code.cubin = Some(b"\x7fELF\x00\xff and more than one line of numbers".to_vec());
    assert_eq!(printed(&package, statements), ["1"]);
    package.code.manifest.target = "sm_100".to_owned();
    assert_eq!(printed(&package, statements), ["0"]);
    package.code.manifest.target = "sm_90a".to_owned();
    package.code.cubin = Some(b"\x7fELF refuse".to_vec());
    assert_eq!(printed(&package, statements), ["0"]);
}
