//! How the library is linked: under the driver's own name, so that programs linked with it look for
//! `libcuda.so.1` at run time, and never unloaded, because hosts open and close it to see whether
//! there is a driver, and LLVM does not like to be loaded twice.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
