//! From the programs of the repository to a folder of packages, and what its index says of them.

use std::{collections::BTreeSet, fs, path::Path};
use stencil_bench::{
    index::{Entry, Index},
    kernels::{self, Element},
    papers,
};
use stencil_bench_build::{
    build::{self, Built, Request, Sizes},
    paper, pipelines,
    plans::Plans,
    programs::{self, Language, Size},
};
use stencil_driver::target::Target;
use stencil_runtime::{Package, ScalarType, package::sha256};

fn request(names: &[&str], plans: &[&str]) -> Request {
    let plans: Vec<String> = plans.iter().map(|plan| (*plan).to_owned()).collect();
    Request {
        kernels: names.iter().map(|name| kernels::find(name).unwrap()).collect(),
        types: Element::ALL.to_vec(),
        plans: Plans::list(&plans).unwrap(),
        pipeline: "plain".to_owned(),
        size: Size::Small,
        sizes: Sizes::Divided(1),
        steps: None,
        language: Language::Mlir,
        programs: programs::folder(),
        target: Target::new("sm_90a", None).unwrap(),
        keep_ir: false,
        cuda: true,
    }
}

fn package(folder: &Path, entry: &Entry) -> Package {
    let bytes = fs::read(folder.join(&entry.package)).unwrap();
    assert_eq!(sha256(&bytes), entry.package_sha256, "{}", entry.name());
    Package::from_bytes(&bytes).unwrap()
}

#[test]
fn two_kernels_in_both_types_with_two_plans() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&["j2d5pt", "curl"], &["default", "points=2,max-registers=96"]);
    let Built { index, dropped } = build::build(&request, folder.path()).unwrap();
    assert_eq!(Index::read(folder.path()).unwrap(), index);
    assert_eq!(dropped, 0);

    let (cuda, packages): (Vec<&Entry>, Vec<&Entry>) =
        index.entries.iter().partition(|entry| entry.cuda.is_some());
    assert_eq!(packages.len(), 2 * 2 * 2);
    let names: BTreeSet<String> = packages.iter().map(|entry| entry.name()).collect();
    assert!(names.contains("curl-f32-plain-max_registers=96,points=2"), "{names:?}");
    for entry in packages {
        let package = package(folder.path(), entry);
        let element = match entry.r#type {
            Element::F64 => ScalarType::F64,
            Element::F32 => ScalarType::F32,
        };
        let benchmark = kernels::find(&entry.kernel).unwrap();
        assert_eq!(entry.size, benchmark.small_size());
        for function in &package.code.manifest.functions {
            let fields = function.arguments.iter().filter_map(|argument| argument.kind.as_field());
            fields.for_each(|shape| assert_eq!(shape.element, element, "{}", entry.name()));
        }
        // What is measured is compared with other kernels: one point a thread.
        let plain = package.plain.as_ref().unwrap();
        let points = |code: &stencil_runtime::Code| {
            let plan = code.manifest.kernels[0].plan.clone().unwrap();
            let points = plan["points"].as_array().map(|list| list[0].as_u64().unwrap());
            points.unwrap_or(1)
        };
        assert_eq!(points(plain), 1);
        if entry.plan != "default" {
            assert_eq!((points(&package.code), entry.cap), (2, Some(96)));
        }
        assert!(package.code.llvm_ir.is_none() && plain.llvm_ir.is_none());
    }
    // CUDA of one of the two kernels, in both types, with three numbers of points and two caps.
    assert_eq!(cuda.len(), 2 * 6);
    for entry in cuda {
        assert_eq!((entry.kernel.as_str(), entry.version.as_str()), ("j2d5pt", "nvcc"));
        let source = entry.cuda.as_ref().unwrap();
        assert!(folder.path().join(&source.file).is_file());
        let package = package(folder.path(), entry);
        let manifest = &package.plain.as_ref().unwrap().manifest;
        let plain = package.plain.as_ref().unwrap();
        let code = stencil_bench::nvcc::code(plain, source, &index.target, vec![1]).unwrap();
        assert_eq!(code.manifest.validate(), Ok(()));
        assert_eq!(code.manifest.kernels[0].points, manifest.kernels[0].points);
    }
}

/// Every plan of a system's pipeline becomes a package, for kernels of each kind: star, box, root,
/// several statements, two and three dimensions.
#[test]
fn what_a_system_plans_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let all = |system: &str, names: &[&str], element: Element| {
        let base = request(names, &["default"]);
        let (types, pipeline) = (vec![element], system.to_owned());
        let plans = pipelines::plans(system, &base.kernels, &types, base.size).unwrap().unwrap();
        let wanted = names.iter().map(|name| plans.of(name, element).len()).sum::<usize>();
        let request = Request { types, pipeline, plans, cuda: false, ..base };
        let built = build::build(&request, &folder.path().join(system)).unwrap();
        assert_eq!(built.index.entries.len() + built.dropped, wanted, "{system}");
        built.index.entries
    };
    // Of large kernels and of those in three dimensions there are many plans, for the nightly run.
    let nightly = std::env::var("STENCIL_NIGHTLY").is_ok_and(|value| value == "1");
    let [systems, queues]: [&[&str]; 2] = match nightly {
        true => [&["j2d5pt", "gradient", "j3d27pt", "curl"], &["2d13pt", "3d19pt"]],
        false => [&["j2d5pt", "gradient"], &["j2d5pt"]],
    };
    let entries = all("stencilgen", systems, Element::F32);
    assert!(entries.iter().all(|entry| entry.version == "stencilgen"));
    let has = |kernel: &str, word: &str| {
        entries.iter().any(|entry| entry.kernel == kernel && entry.plan.contains(word))
    };
    assert!(has("j2d5pt", "storage=diagonal-free") && has("gradient", "storage=shared"));
    if nightly {
        assert!(has("j3d27pt", "storage=retimed") && has("curl", "mapping=thread"));
    }
    let entries = all("queue", queues, Element::F64);
    assert!(entries.iter().any(|entry| entry.plan.contains("queue_registers=1,")));
}

/// A paper's folder has one index: the plain kernels, and what the system's tables compare.
#[test]
fn a_paper_is_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let paper = papers::find("stencilgen").unwrap();
    let (types, plans) = (vec![Element::F64], Plans::list(&paper.plans).unwrap());
    let plain = Request { types, plans, cuda: false, ..request(&["j2d9pt"], &["default"]) };
    let built = paper::build(paper, &plain, folder.path()).unwrap();
    assert_eq!((Index::read(folder.path()).unwrap(), built.dropped), (built.index.clone(), 0));
    let of = |version: &str| {
        let of_version = |entry: &&Entry| entry.version == version;
        built.index.entries.iter().filter(of_version).collect::<Vec<_>>()
    };
    assert_eq!((of("plain").len(), of("stencilgen").len()), (1, 5));
    let lines = of("stencilgen").into_iter().filter(|entry| entry.plan.contains("x64"));
    assert_eq!(lines.count(), 2);
    for entry in &built.index.entries {
        assert!(package(folder.path(), entry).plain.is_some(), "{}", entry.name());
    }
}

#[test]
fn generated_programs_are_built_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let request = request(&["star1d2r", "star2d-1x3", "j1d3pt"], &["default"]);
    let Built { index, dropped } = build::build(&request, folder.path()).unwrap();
    assert_eq!((index.entries.len(), dropped), (3 * 2, 0));
    for entry in &index.entries {
        let kernel = &package(folder.path(), entry).code.manifest.kernels[0];
        let benchmark = kernels::find(&entry.kernel).unwrap();
        assert_eq!(kernel.points * benchmark.steps, benchmark.points(&entry.size), "{entry:?}");
    }
}

#[test]
fn both_languages_give_the_same_points() {
    let folder = tempfile::tempdir().unwrap();
    for language in [Language::Mlir, Language::Idsl] {
        for name in ["3d27pt", "j3d13pt"] {
            let types = vec![Element::F64];
            let request = Request { language, types, ..request(&[name], &["default"]) };
            let built = build::build(&request, folder.path()).unwrap();
            let entry = &built.index.entries[0];
            let kernel = &package(folder.path(), entry).code.manifest.kernels[0];
            let benchmark = kernels::find(name).unwrap();
            assert_eq!(kernel.points * benchmark.steps, benchmark.points(&entry.size), "{name}");
        }
    }
}

#[test]
fn plans_with_the_same_code_are_measured_once() {
    let folder = tempfile::tempdir().unwrap();
    // All of these are the same number of points and the same cap.
    let plans = ["max_registers=128,points=1", "max_registers=128,min_blocks=1,points=1"];
    let types = vec![Element::F32];
    let request = Request { types, cuda: false, ..request(&["heat"], &plans) };
    let Built { index, dropped } = build::build(&request, folder.path()).unwrap();
    assert_eq!((index.entries.len(), dropped), (1, 1));
    assert_eq!(index.entries[0].plan, "max_registers=128,points=1");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_unknown_pipeline_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let request = Request { pipeline: "regdemm".to_owned(), ..request(&["heat"], &["default"]) };
    let error = build::build(&request, &folder.path().join("out")).unwrap_err().to_string();
    let known = "plain, reorder, stencilgen, regdem, queue";
    assert_eq!(error, format!("pipeline 'regdemm' is unknown, known pipelines are {known}"));
    assert!(!folder.path().join("out").exists());
}
