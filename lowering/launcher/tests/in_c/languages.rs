//! The sources compile, in each language, for all names and arguments.

use crate::compiled::{Program, compile, field, include, kernel, package, scalar};
use std::process::Command;
use stencil_runtime::{
    Package, ScalarOp, ScalarType, ScalarValue,
    manifest::{Argument, ArgumentKind, Function, Id, Parameter, Statement},
};

/// `pkg_u(...)`, functions with names that mean something elsewhere and all types.
fn awkward() -> Package {
    let names =
        ["int", "U", "u", "Größe", "__x__y", "EOF", "stream", "class", "pkg_field", "c_ptr"];
    let scalars = ScalarType::ALL.iter().zip(names).map(|(ty, name)| scalar(name, *ty));
    let long = format!("{}_a", "a_field_with_a_long_name".repeat(3));
    let mut arguments: Vec<Argument> = scalars.collect();
    arguments.push(field(&long, ScalarType::F16, &[5]));
    arguments.push(field(&format!("{long}b"), ScalarType::I1, &[5, 1, 7]));
    arguments.push(Argument { name: None, ..field("", ScalarType::F64, &[2, 2, 2, 2]) });
    if let ArgumentKind::Field(shape) = &mut arguments[12].kind {
        (shape.lower[0], shape.upper[0]) = (i64::MIN, i64::MIN + 2);
        shape.scratch = true;
    }
    if let ArgumentKind::Scalar { symbol, .. } = &mut arguments[8].kind {
        *symbol = Some("dt */ int".to_owned());
    }
    let all: Vec<Id> = (0..arguments.len() as u32).map(Id).collect();
    let launch =
        |kernel: &str, arguments| Statement::Launch { kernel: kernel.to_owned(), arguments };
    let result = Id(all.len() as u32);
    let unused = Statement::Scalar {
        result,
        op: ScalarOp::AddI,
        operands: vec![Id(4), Id(4)],
        ty: ScalarType::I64,
    };
    let value = ScalarValue::from_f64(ScalarType::F64, f64::NAN);
    let constant = Statement::Constant { result: Id(1), value };
    let function = |name: &str, arguments, body| Function {
        name: name.to_owned(),
        variant_of: None,
        arguments,
        body,
        time_steps: None,
        step_limits: Vec::new(),
        extents: None,
        decomposition: None,
    };
    let parameters = arguments.iter().map(|argument| match &argument.kind {
        ArgumentKind::Field(_) => Parameter::Pointer,
        ArgumentKind::Scalar { scalar, .. } => Parameter::Scalar(*scalar),
    });
    let kernels = vec![
        kernel("pkg_all", parameters.collect()),
        kernel("none", vec![]),
        kernel("nan", vec![Parameter::Scalar(ScalarType::F64)]),
    ];
    let functions = vec![
        function("for", arguments.clone(), vec![unused, launch("pkg_all", all)]),
        function("For ", arguments, vec![launch("none", vec![])]),
        function("*/", vec![], vec![]),
        function(&"long".repeat(13), vec![field("u", ScalarType::F32, &[3])], vec![]),
        function(
            "run_u",
            vec![scalar("x", ScalarType::I8)],
            vec![constant, launch("nan", vec![Id(1)])],
        ),
    ];
    package(functions, kernels)
}

const NOTHING: &str = r#"
void (*driver_on_launch)(const char *kernel, void **parameters);
int driver_log_copies;

int main(void)
{
    return pkg_u_create(0) != STENCIL_ERROR_ARGUMENT;
}
"#;

#[test]
fn any_program_compiles_in_c() {
    let program = Program::new(&awkward(), "pkg_u", NOTHING);
    assert_eq!(program.run("cc", &["-O2"]), "");
    assert_eq!(
        program.run("cc", &["-std=gnu17", "-Wmissing-prototypes", "-Wstrict-prototypes"]),
        ""
    );
}

#[test]
fn the_header_compiles_in_cpp() {
    let program = Program::new(&awkward(), "pkg_u", NOTHING);
    let flags =
        ["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only"];
    let source = "#include \"pkg_u.h\"\n#include \"pkg_u.h\"\n#include <stencil.hpp>\n\
                  int f(stencil_module *module) { return pkg_u_run_run_u(module, 1, nullptr); }\n\
                  void g(const stencil::Module &m, size_t n) { m.run(0, {}); m.run(n, {}); }\n\
                  void h(const stencil::Module &m) { m.run(\"heat\", {}); }\n";
    std::fs::write(program.path("a.cpp"), source).unwrap();
    let mut command = Command::new("c++");
    compile(command.args(flags).arg("-I").arg(include()).arg(program.path("a.cpp")));
}

#[test]
fn fortran_binds_what_c_has() {
    let sources = stencil_launcher::sources(&awkward(), "pkg_u").unwrap();
    let names = sources.fortran.split("bind(C, name=\"").skip(1);
    let names: Vec<&str> = names.filter_map(|text| text.split('"').next()).collect();
    assert_eq!(names.len(), 11, "{names:?}");
    let is_short = |line: &str| line.chars().count() <= 132;
    assert!(sources.fortran.lines().all(is_short), "{}", sources.fortran);
    let library = std::fs::read_to_string(include().join("stencil.h")).unwrap();
    for name in names {
        let called = format!("{name}(");
        let is_there = sources.header.contains(&called) || library.contains(&called);
        assert!(is_there || name == "strlen", "{name}");
    }
}

/// Skipped without a Fortran compiler.
#[test]
fn the_module_compiles_in_fortran() {
    if Command::new("gfortran").arg("--version").output().is_err() {
        return;
    }
    let program = Program::new(&awkward(), "pkg_u", NOTHING);
    let flags = ["-std=f2018", "-Wall", "-Wextra", "-Werror", "-c", "-o"];
    let mut command = Command::new("gfortran");
    command.args(flags).arg(program.path("module.o")).arg("-J").arg(program.path(""));
    compile(command.arg(program.path("pkg_u.f90")));
}

/// The default function needs no name; its variants and others do.
#[test]
fn functions_are_named_by_what_the_package_is_about() {
    let of = |names: &[(&str, Option<&str>)]| {
        let function = |(name, base): &(&str, Option<&str>)| Function {
            name: (*name).to_owned(),
            variant_of: base.map(str::to_owned),
            arguments: vec![field("u", ScalarType::F32, &[name.len() as i64])],
            body: vec![],
            time_steps: None,
            step_limits: Vec::new(),
            extents: None,
            decomposition: None,
        };
        let package = package(names.iter().map(function).collect(), vec![]);
        let header = stencil_launcher::header(&package, "heat").unwrap();
        let interesting =
            |line: &&str| line.starts_with("stencil_status heat_run") || line.contains("EXTENT");
        header.lines().filter(interesting).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(of(&[("step", None)]), ["#define HEAT_U_EXTENT_0 4", "stencil_status heat_run("]);
    assert_eq!(
        of(&[("step", None), ("step_64", Some("step"))]),
        [
            "#define HEAT_U_EXTENT_0 4",
            "stencil_status heat_run(",
            "#define HEAT_STEP_64_U_EXTENT_0 7",
            "stencil_status heat_run_step_64("
        ]
    );
    assert_eq!(
        of(&[("a", None), ("A", None)]),
        [
            "#define HEAT_A_U_EXTENT_0 1",
            "stencil_status heat_run_a(",
            "#define HEAT_A_2_U_EXTENT_0 1",
            "stencil_status heat_run_A_2("
        ]
    );
}

#[test]
fn equal_packages_give_equal_sources() {
    assert_eq!(
        stencil_launcher::sources(&awkward(), "a").unwrap(),
        stencil_launcher::sources(&awkward(), "a").unwrap()
    );
}

#[test]
fn names_without_letters_are_refused() {
    for stem in ["", "+", "a\"b", "a/b", "Δ", "stencil", "Stencil"] {
        let error = stencil_launcher::header(&awkward(), stem).unwrap_err().to_string();
        assert!(error.starts_with(&format!("name '{stem}' of the launcher's files")), "{error}");
    }
    let mut broken = awkward();
    broken.code.manifest.kernels.clear();
    let error = stencil_launcher::launcher(&broken, "a").unwrap_err().to_string();
    assert!(error.starts_with("package is wrong: "), "{error}");
}
