//! Hand-made packages, compiled with the machine's C compiler, on a driver without device.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
};
use stencil_runtime::{
    Manifest, Package, ScalarType,
    manifest::{
        Argument, ArgumentKind, BytesPerPoint, FORMAT, FieldShape, FlopsPerPoint, Function, Kernel,
        Parameter, Producer,
    },
    package::Code,
};

/// Flags under which every launcher compiles without a warning.
pub const STRICT: &[&str] = &["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// A package of these functions and kernels.
pub fn package(functions: Vec<Function>, kernels: Vec<Kernel>) -> Package {
    let manifest = Manifest {
        format: FORMAT,
        producer: Producer {
            program: "stencilc".to_owned(),
            version: "0.1.0".to_owned(),
            llvm: "22.1".to_owned(),
        },
        target: "sm_90a".to_owned(),
        ptx_version: "8.0".to_owned(),
        functions,
        kernels,
        digests: Default::default(),
    };
    let ptx = "// \"kernels\"??/\n.version 8.0\n".to_owned();
    let code = Code { manifest, ptx, cubin: None, llvm_ir: None };
    Package { code, plain: None, selftest: None }
}

/// A kernel that takes these.
pub fn kernel(name: &str, parameters: Vec<Parameter>) -> Kernel {
    Kernel {
        name: name.to_owned(),
        stage: None,
        location: None,
        grid: [4, 2, 1],
        block: [32, 3, 1],
        shared_bytes: 0,
        parameters,
        plan: None,
        resources: None,
        points: 1,
        flops_per_point: FlopsPerPoint::default(),
        bytes_per_point: BytesPerPoint::default(),
        approximate: false,
        planes: None,
        copies: Vec::new(),
    }
}

/// A number as an argument.
pub fn scalar(name: &str, scalar: ScalarType) -> Argument {
    let kind = ArgumentKind::Scalar { scalar, symbol: None };
    Argument { name: Some(name.to_owned()), kind }
}

/// A field as an argument, written, from coordinate -1 on.
pub fn field(name: &str, element: ScalarType, extents: &[i64]) -> Argument {
    let shape = FieldShape {
        lower: vec![-1; extents.len()],
        upper: extents.iter().map(|extent| extent - 1).collect(),
        element,
        scratch: false,
        padding: None,
        written: true,
    };
    Argument { name: Some(name.to_owned()), kind: ArgumentKind::Field(shape) }
}

/// The letter by which the driver of the tests knows a parameter.
fn letter(parameter: &Parameter) -> char {
    match parameter {
        Parameter::Pointer => 'p',
        Parameter::Scalar(ScalarType::F16) => 'h',
        Parameter::Scalar(ScalarType::Bf16) => 'b',
        Parameter::Scalar(ScalarType::F32) => 'f',
        Parameter::Scalar(ScalarType::F64) => 'd',
        Parameter::Scalar(ty) => char::from_digit(ty.bytes() as u32, 10).unwrap(),
    }
}

/// A folder with the sources of a package and a test program.
pub struct Program {
    folder: tempfile::TempDir,
    stem: String,
}

impl Program {
    /// Writes the launcher of `package` and `main`, a text in C that includes `<stem>.h`.
    pub fn new(package: &Package, stem: &str, main: &str) -> Program {
        let program = Program { folder: tempfile::tempdir().unwrap(), stem: stem.to_owned() };
        let sources = stencil_launcher::sources(package, stem).unwrap();
        let mut table = String::new();
        for Kernel { name, parameters, .. } in &package.code.manifest.kernels {
            let letters: String = parameters.iter().map(letter).collect();
            writeln!(table, "    {{\"{name}\", \"{letters}\"}},").unwrap();
        }
        let table = format!(
            "#include \"driver.h\"\n\n\
             const struct driver_kernel driver_kernels[] = {{\n{table}    {{0, 0}},\n}};\n"
        );
        std::fs::write(program.path("kernels.c"), table).unwrap();
        let main = format!("#include \"{stem}.h\"\n#include \"driver.h\"\n\n{main}");
        for (ending, text) in
            [("h", &sources.header), ("c", &sources.launcher), ("f90", &sources.fortran)]
        {
            std::fs::write(program.path(&format!("{stem}.{ending}")), text).unwrap();
        }
        std::fs::write(program.path("main.c"), main).unwrap();
        program
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles with these flags, runs, and gives what it prints.
    pub fn run(&self, compiler: &str, flags: &[&str]) -> String {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (executable, driver) = (self.path("program"), self.path("libcuda.so.1"));
        let stub = here.join("tests/stub");
        let includes = |command: &mut Command| {
            let cuda = here.join("../../test/tools/launcher/Inputs/cuda/include");
            for folder in [&stub, &cuda, &include()] {
                command.arg("-I").arg(folder);
            }
        };
        let mut made = Command::new(compiler);
        made.args(STRICT).args(["-O1", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o"]);
        made.arg(&driver).arg(stub.join("driver.c")).arg(self.path("kernels.c"));
        includes(&mut made);
        compile(&mut made);
        // Cargo puts the library beside this test.
        let test = std::env::current_exe().unwrap();
        let library = test.parent().unwrap();
        let mut made = Command::new(compiler);
        made.args(STRICT).args(flags).arg("-o").arg(&executable);
        made.arg(self.path(&format!("{}.c", self.stem))).arg(self.path("main.c"));
        includes(&mut made);
        made.arg(&driver).arg("-L").arg(library).arg("-lstencil");
        compile(made.arg(format!("-Wl,-rpath,{}", library.display())));
        let mut program = Command::new(&executable);
        let output = program.env("LD_LIBRARY_PATH", self.path("")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}\n{text}{said}", output.status);
        text
    }
}

/// The folder of the library's header.
pub fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/c/include")
}

/// Runs a compiler, which must not print anything.
pub fn compile(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{command:?}\n{said}");
}
