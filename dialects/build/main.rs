//! Builds the C++ dialects and the bridge with CMake, and tells cargo how to link MLIR.
//! `cargo xtask install` finds the finished build in its output folder.
//!
//! C++ and Rust must share one libMLIR and one libLLVM, so both are linked dynamically. Debian
//! ships MLIR's C API as many static archives and no `libMLIR-C.so`, which `mlir-sys`
//! links: a linker script of that name is written instead.
// A build script talks to cargo through its standard output.
#![allow(clippy::print_stdout)]

mod dialects;
mod names;
mod ods;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    for watched in ["stencil", "sweep", "bridge", "../cmake"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let version = fs::read_to_string("../cmake/llvm-version.txt")?.trim().to_owned();
    let prefix = env::var("MLIR_SYS_220_PREFIX")
        .map_or_else(|_| PathBuf::from(format!("/usr/lib/llvm-{version}")), PathBuf::from);
    let library = prefix.join("lib");

    ods::generate(&prefix)?;

    let built = cmake::Config::new("../cmake")
        .generator("Ninja")
        .profile("Release")
        .define("STENCIL_LLVM_PREFIX", &prefix)
        .define("CMAKE_CXX_COMPILER", prefix.join("bin/clang++"))
        // Chosen by CMake from the compiler; the cmake crate would pass gcc's flags.
        .no_default_flags(true)
        .build_target("all")
        .build()
        .join("build");
    link_static(&built.join("bridge"), "StencilBridge");
    link_static(&built.join("sweep"), "SweepDialect");
    link_static(&built.join("stencil"), "StencilDialect");

    let scripts = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("link");
    fs::create_dir_all(&scripts)?;
    fs::write(scripts.join("libMLIR-C.so"), c_api_script(&library)?)?;
    println!("cargo:rustc-link-search=native={}", scripts.display());
    println!("cargo:rustc-link-search=native={}", library.display());
    println!("cargo:rustc-link-lib=dylib=MLIR-C");
    println!("cargo:rustc-link-lib=dylib=MLIR");
    println!("cargo:rustc-link-lib=dylib=LLVM");
    println!("cargo:rustc-link-lib=dylib=stdc++");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
    Ok(())
}

fn link_static(folder: &Path, name: &str) {
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static={name}");
}

/// A GNU ld script that replaces a shared C API library: every archive of it, and what it needs.
fn c_api_script(library: &Path) -> io::Result<String> {
    let mut archives = fs::read_dir(library)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.to_owned()))
        .filter(|name| name.starts_with("libMLIRCAPI") && name.ends_with(".a"))
        .map(|name| library.join(name).display().to_string())
        .collect::<Vec<_>>();
    archives.sort();
    Ok(format!(
        "GROUP ( {} {} AS_NEEDED ( {} ) )\n",
        archives.join(" "),
        library.join("libMLIR.so").display(),
        library.join("libLLVM.so").display()
    ))
}
