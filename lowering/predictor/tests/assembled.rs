//! Round trip of small PTX through the assembler. Without `ptxas` and `nvdisasm` the tests are
//! skipped with a message.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::{fs, path::Path, process::Command};

use stencil_model::target::Architecture;
use stencil_predictor::{
    Kernel, Launch, Model, Traffic, Work, bounds::Limit, coefficients::Coefficients, disassembly,
    predict,
};

/// The kernels of a PTX module with this body.
fn assemble(body: &str) -> Option<Vec<Kernel>> {
    let nvdisasm = disassembly::find();
    // Both are of one toolkit, in one folder.
    let ptxas = nvdisasm.as_deref().and_then(Path::parent).map(|folder| folder.join("ptxas"));
    let (Some(nvdisasm), Some(ptxas)) = (nvdisasm, ptxas.filter(|it| it.is_file())) else {
        eprintln!("skipped: there is no ptxas and nvdisasm");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    fs::write(&ptx, format!(".version 8.0\n.target sm_90a\n.address_size 64\n{body}")).unwrap();
    let run = Command::new(ptxas).arg("-arch=sm_90a").arg("-o").arg(&cubin).arg(&ptx).output();
    let run = run.unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let cubin = fs::read(&cubin).unwrap();
    let listing = disassembly::disassemble(&nvdisasm, &cubin).unwrap();
    Some(Kernel::read(&cubin, &listing).unwrap())
}

fn count(kernel: &Kernel, opcode: &str) -> usize {
    let executed = kernel.code.iter().filter(|it| !it.never_executes());
    executed.filter(|it| it.opcode == opcode).count()
}

/// A loop of 100 iterations around eight dependent multiply-adds in double precision.
const LOOP: &str = r#"
.visible .entry k(.param .u64 p) {
    .reg .f64 %x<3>; .reg .u64 %a; .reg .u32 %i; .reg .pred %q;
    ld.param.u64 %a, [p];
    ld.global.f64 %x0, [%a];
    mov.u32 %i, 0;
again:
    .pragma "nounroll";
    fma.rn.f64 %x0, %x0, %x0, %x0; fma.rn.f64 %x0, %x0, %x0, %x0;
    fma.rn.f64 %x0, %x0, %x0, %x0; fma.rn.f64 %x0, %x0, %x0, %x0;
    fma.rn.f64 %x0, %x0, %x0, %x0; fma.rn.f64 %x0, %x0, %x0, %x0;
    fma.rn.f64 %x0, %x0, %x0, %x0; fma.rn.f64 %x0, %x0, %x0, %x0;
    bar.sync 0;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 100;
    @%q bra again;
    st.global.f64 [%a], %x0;
    ret;
}"#;

#[test]
fn a_loop_is_found_with_its_iterations() {
    let Some(kernels) = assemble(LOOP) else { return };
    let kernel = &kernels[0];
    assert_eq!((kernel.name.as_str(), kernels.len()), ("k", 1));
    assert_eq!(kernel.flow.loops.len(), 1);
    let it = &kernel.flow.loops[0];
    let inside: usize = it.blocks.iter().map(|&b| kernel.flow.blocks[b].instructions().len()).sum();
    let fmas = count(kernel, "DFMA");
    // The assembler may unroll: the number of executed multiply-adds counts.
    assert_eq!(fmas as f64 * it.iterations.unwrap(), 800.0, "{inside} instructions");
    assert_eq!((count(kernel, "LDG"), count(kernel, "STG")), (1, 1));
}

#[test]
fn shared_memory_and_registers_are_read() {
    let body = r#"
.visible .entry a(.param .u64 p) {
    .reg .f64 %x<3>; .reg .u64 %a; .reg .u32 %t<3>;
    .shared .align 16 .b8 buffer[4096];
    ld.param.u64 %a, [p];
    ld.global.f64 %x0, [%a];
    mov.u32 %t0, %tid.x;
    shl.b32 %t0, %t0, 3;
    mov.u32 %t1, buffer;
    add.u32 %t1, %t1, %t0;
    st.shared.f64 [%t1], %x0;
    bar.sync 0;
    ld.shared.f64 %x1, [%t1+8];
    ld.shared.f64 %x2, [%t1+24];
    add.f64 %x1, %x1, %x2;
    st.global.f64 [%a], %x1;
    ret;
}
.visible .entry b() { ret; }"#;
    let Some(kernels) = assemble(body) else { return };
    let names: Vec<_> = kernels.iter().map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"a") && names.contains(&"b"), "{names:?}");
    let kernel = kernels.iter().find(|it| it.name == "a").unwrap();
    assert_eq!(kernel.shared_bytes_static, 4096);
    assert_eq!((count(kernel, "LDS"), count(kernel, "STS"), count(kernel, "BAR")), (2, 1, 1));
    assert_eq!(kernel.local_bytes_per_thread, 0);
    assert!((6..=24).contains(&kernel.registers_per_thread), "{}", kernel.registers_per_thread);
    // No instruction uses a register beyond the kernel's count.
    let highest = kernel.code.iter().flat_map(|it| it.read().chain(it.written()));
    let general = highest.filter(|it| it.file == stencil_predictor::instruction::File::General);
    let highest = general.map(|it| u32::from(it.first) + u32::from(it.count)).max().unwrap();
    assert!(highest <= kernel.registers_per_thread, "{highest}");
}

#[test]
fn a_frame_is_local_memory() {
    let body = r#"
.visible .entry k(.param .u64 p, .param .u32 n) {
    .local .align 8 .b8 frame[256];
    .reg .u64 %a<3>; .reg .u32 %n; .reg .f64 %x<2>;
    ld.param.u64 %a0, [p];
    ld.param.u32 %n, [n];
    mov.u64 %a1, frame;
    mul.wide.u32 %a2, %n, 8;
    add.u64 %a2, %a1, %a2;
    ld.global.f64 %x0, [%a0];
    st.local.f64 [%a2], %x0;
    st.local.f64 [%a1+16], %x0;
    ld.local.f64 %x1, [%a2+8];
    st.global.f64 [%a0], %x1;
    ret;
}"#;
    let Some(kernels) = assemble(body) else { return };
    assert_eq!(kernels[0].local_bytes_per_thread, 256);
    assert_eq!((count(&kernels[0], "STL"), count(&kernels[0], "LDL")), (2, 1));
}

/// Scoreboards of loads are set before they are waited for.
#[test]
fn whoever_waits_waits_for_somebody() {
    let Some(kernels) = assemble(LOOP) else { return };
    let mut set = 0u8;
    for instruction in &kernels[0].code {
        let control = instruction.control;
        assert_eq!(control.wait_mask & !set, 0, "{}", instruction.mnemonic());
        for which in control.write_scoreboard.into_iter().chain(control.read_scoreboard) {
            set |= 1 << which;
        }
    }
    assert!(set != 0);
}

/// A dependent chain is as slow as its latency with few warps, and as the unit with many.
#[test]
fn the_loop_takes_as_long_as_its_chain() {
    let Some(kernels) = assemble(LOOP) else { return };
    let target = Architecture::parse("sm_90a").unwrap();
    let coefficients = Coefficients::of(target).unwrap();
    let predicted = |threads_per_block, blocks| {
        let launch = Launch {
            target,
            multiprocessors: 132,
            block: [threads_per_block, 1, 1],
            grid: [blocks, 1, 1],
            shared_bytes_dynamic: 0,
            iterations: Default::default(),
        };
        let traffic = Some(Traffic { hbm_bytes_per_thread: 16.0, stored_bytes_per_thread: None });
        let work = Work { kernel: kernels[0].clone(), launch, traffic };
        predict(&work, &coefficients, Model::Ours).unwrap()
    };
    let alone = predicted(32, 1);
    let chain = 800.0 * coefficients.latency.dfma.value;
    assert!((chain..2.0 * chain).contains(&alone.cycles_per_round), "{alone:?}");
    assert_eq!(alone.limit, Some(Limit::Latency));
    let full = predicted(1024, 264);
    let unit = 800.0 * 16.0 * coefficients.throughput.dfma.value;
    assert!((unit..1.5 * unit).contains(&full.cycles_per_round), "{full:?}");
    assert_eq!(full.limit, Some(Limit::Fp64));
    assert_eq!(full.unknown_opcodes, 0);
}
