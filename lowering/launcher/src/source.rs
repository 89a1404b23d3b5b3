//! The launcher in C: the package as bytes, and a function for each host program.

use crate::{
    LauncherError, header,
    interface::{FunctionInterface, Interface},
    names::comment,
    types,
};
use std::fmt::Write;
use stencil_runtime::Package;

/// Embedded bytes on a line.
const BYTE_COLUMNS: usize = 20;

/// The text of the launcher.
pub(crate) fn write(package: &Package, interface: &Interface) -> Result<String, LauncherError> {
    let mut package = package.clone();
    // Only the emulator reads it, from a file.
    package.drop_llvm_ir();
    let bytes = package.to_bytes()?;
    let (named, stem) = (comment(interface.stem), interface.stem);
    let head = format!(
        "/* The package '{named}' and its functions; {named}.h says how to use them. */\n\n\
         #include \"{stem}.h\"\n\n"
    );
    let mut text = format!(
        "/* The package, as its file has it. */\nstatic const unsigned char pkg_package[{}] = {{\n",
        bytes.len()
    );
    for line in bytes.chunks(BYTE_COLUMNS) {
        let line: Vec<String> = line.iter().map(u8::to_string).collect();
        writeln!(text, "    {},", line.join(", ")).expect("text grows without errors");
    }
    text.push_str("};\n");
    let digest = Package::digest_of(&bytes);
    writeln!(
        text,
        "\n/* By which modules of other packages are refused. */\n\
         static const char pkg_digest[] =\n    \"{digest}\";"
    )
    .expect("text grows without errors");
    text.push_str(CREATE);
    for function in &interface.functions {
        text.push_str(&function_text(function));
    }
    Ok(head + &interface.with_prefix(&text))
}

const CREATE: &str = "
stencil_status pkg_create(stencil_module **module)
{
    stencil_package *package = NULL;
    stencil_status status = stencil_package_from_memory(pkg_package, sizeof pkg_package, &package);
    if (status == STENCIL_OK) {
        status = stencil_module_load(package, STENCIL_CURRENT_CONTEXT, module);
    }
    stencil_package_free(package);
    return status;
}
";

/// A call of one function.
fn function_text(function: &FunctionInterface) -> String {
    let mut text = format!("\n{}\n{{\n", header::prototype(function));
    let (number, sizes) = (function.place, function.sizes.len());
    if sizes > 0 {
        text.push_str("    const int64_t sizes[] = {\n");
        for size in &function.sizes {
            writeln!(text, "        {},", size.name).expect("text grows without errors");
        }
        text.push_str("    };\n");
    }
    let count = function.arguments.len();
    if count > 0 {
        text.push_str("    const stencil_value values[] = {\n");
        for argument in &function.arguments {
            let value = match argument.scalar() {
                Some(ty) => types::c_value(ty, &argument.name),
                None => format!("stencil_field({})", argument.name),
            };
            writeln!(text, "        {value},").expect("text grows without errors");
        }
        text.push_str("    };\n");
    }
    let values = if count > 0 { "values" } else { "NULL" };
    let called = match sizes {
        0 => format!("stencil_run(module, {number}, "),
        _ => format!("stencil_run_sized(module, {number}, sizes, {sizes}, "),
    };
    text.push_str(EXPECT);
    text + &format!("    return {called}{values}, {count}, stream);\n}}\n")
}

/// Ends a function that is given the module of another package.
const EXPECT: &str = "
    const stencil_status status = stencil_module_expect(module, \"pkg_create\", pkg_digest);
    if (status != STENCIL_OK) {
        return status;
    }
";
