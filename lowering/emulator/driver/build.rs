//! Link options: the soname is the CUDA driver's, so that programs linked with the library load
//! `libcuda.so.1`; it is never unloaded, because hosts open and close it to probe for a driver, and
//! LLVM cannot be loaded twice.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
