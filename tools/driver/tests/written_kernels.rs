//! Kernels written by hand, from the gpu dialect to a package and to the emulator: dynamic shared
//! memory, shuffles, asynchronous copies, vectors, and loops that share their time steps.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use stencil_driver::{
    arguments::Bound,
    emulated::Emulation,
    input::Input,
    monitor::Silent,
    session::{self, Session},
    target::{self, Target},
};
use stencil_runtime::{
    Manifest,
    bind::{Requests, Value},
    manifest::{Id, TimeSteps},
    time_loop,
};

/// Field arguments of 256 doubles.
const FIELD: &str = "memref<256xf64> {stencil.bounds = #stencil.bounds<[0], [256]>}";

/// A kernel on four blocks of 64 threads, and a function that launches it.
fn program(kernel: &str, launch: &str) -> String {
    format!(
        "module attributes {{gpu.container_module}} {{
           gpu.module @kernels {{
             gpu.func @step(%in: memref<256xf64>, %out: memref<256xf64>)
                 kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
               %c0 = arith.constant 0 : index
               %c63 = arith.constant 63 : index
               %c64 = arith.constant 64 : index
               %tid = gpu.thread_id x
               %bid = gpu.block_id x
               %first = arith.muli %bid, %c64 : index
               %at = arith.addi %first, %tid : index
               {kernel}
               gpu.return
             }}
           }}
           func.func @main(%a: {FIELD}, %b: {FIELD}) {{
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %c4 = arith.constant 4 : index
             %c64 = arith.constant 64 : index
             {launch}
             return
           }}
         }}"
    )
}

/// The operands of a launch that all have in common.
const SHAPE: &str = "gpu.launch_func @kernels::@step blocks in (%c4, %c1, %c1) \
                     threads in (%c64, %c1, %c1)";
const ARGUMENTS: &str = "args(%a : memref<256xf64>, %b : memref<256xf64>)";

/// What the fields hold after the function has run, the first from 0 to 255 at the start; with the
/// manifest and the PTX. What is refused comes with its diagnostics.
fn run(text: String) -> Result<([Vec<f64>; 2], Manifest, String), String> {
    let context = session::new_context();
    let input = Input { name: "written.mlir".to_owned(), text };
    let session = Session::new(&context, &input, Target::new(target::DEFAULT, None).unwrap());
    let module = session.parse().unwrap();
    let told = Arc::new(Mutex::new(String::new()));
    let keep = Arc::clone(&told);
    context.attach_diagnostic_handler(move |diagnostic| {
        keep.lock().unwrap().push_str(&diagnostic.to_string());
        true
    });
    let emulation = Emulation::of_kernels(&session, &module)
        .map_err(|error| format!("{error}\n{}", told.lock().unwrap()))?;
    let ptx = session.emit(&session.to_nvvm(&module).unwrap()).unwrap().ptx;
    let numbers =
        |start: f64| (0..256).flat_map(|i| (start * f64::from(i)).to_le_bytes()).collect();
    let mut bound = Bound {
        values: vec![Value::Field(numbers(1.0)), Value::Field(numbers(0.0))],
        symbols: BTreeMap::new(),
    };
    emulation.run("main", &mut bound, &Silent).map_err(|error| error.to_string())?;
    let doubles = |value: &Value| match value {
        Value::Field(cells) => cells.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect(),
        Value::Scalar(_) => panic!("the arguments are fields"),
    };
    let fields = [doubles(&bound.values[0]), doubles(&bound.values[1])];
    Ok((fields, emulation.manifest().clone(), ptx))
}

/// Each block turns its part around, through dynamic shared memory.
fn turned(between: &str) -> String {
    format!(
        "%dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
         %tile = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
           to memref<64xf64, #gpu.address_space<workgroup>>
         %v = memref.load %in[%at] : memref<256xf64>
         memref.store %v, %tile[%tid] : memref<64xf64, #gpu.address_space<workgroup>>
         {between}
         %other = arith.subi %c63, %tid : index
         %w = memref.load %tile[%other] : memref<64xf64, #gpu.address_space<workgroup>>
         memref.store %w, %out[%at] : memref<256xf64>"
    )
}

#[test]
fn dynamic_shared_memory_goes_from_the_launch_to_the_kernel() {
    let launch = |bytes: u32| {
        format!(
            "%bytes = arith.constant {bytes} : i32
             {SHAPE} dynamic_shared_memory_size %bytes {ARGUMENTS}"
        )
    };
    let ([_, out], manifest, ptx) = run(program(&turned("gpu.barrier"), &launch(512))).unwrap();
    let expected: Vec<f64> = (0..256).map(|i| f64::from(i / 64 * 64 + 63 - i % 64)).collect();
    assert_eq!(out, expected);
    assert_eq!(manifest.kernels[0].shared_bytes, 512);
    assert_eq!(manifest.kernels[0].parameters.len(), 2);
    assert!(ptx.contains(".extern .shared"), "{ptx}");

    let error = run(program(&turned(""), &launch(512))).unwrap_err();
    assert!(error.contains("race"), "{error}");
    let error = run(program(&turned("gpu.barrier"), &launch(504))).unwrap_err();
    assert!(error.contains("byte 504 of shared variable"), "{error}");
    let none = format!("{SHAPE} {ARGUMENTS}");
    let error = run(program(&turned("gpu.barrier"), &none)).unwrap_err();
    assert!(error.contains("(0 bytes)"), "{error}");
    // Two amounts for one kernel cannot be said in a package.
    let both = format!("{}\n{none}", launch(512));
    let error = run(program(&turned("gpu.barrier"), &both)).unwrap_err();
    assert!(error.contains("launches a kernel in another shape than before"), "{error}");
}

#[test]
fn warps_exchange_and_copies_arrive() {
    // Shuffles of all widths, whether the lane was there, and vectors of two from global to
    // shared memory and back.
    let kernel = "
        %one = arith.constant 1 : i32
        %lanes = arith.constant 32 : i32
        %last = arith.constant 31 : i32
        %dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
        %tile = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
          to memref<128xf64, #gpu.address_space<workgroup>>
        %v = memref.load %in[%at] : memref<256xf64>
        %left, %is_left = gpu.shuffle up %v, %one, %lanes : f64
        %right, %is_right = gpu.shuffle down %v, %one, %lanes : f64
        %f = arith.truncf %v : f64 to f32
        %end, %is_end = gpu.shuffle idx %f, %last, %lanes : f32
        %n = arith.fptosi %v : f64 to i32
        %pair, %is_pair = gpu.shuffle xor %n, %one, %lanes : i32
        %wide = arith.extf %end : f32 to f64
        %whole = arith.sitofp %pair : i32 to f64
        %l = arith.select %is_left, %left, %v : f64
        %r = arith.select %is_right, %right, %v : f64
        %s0 = arith.addf %l, %r : f64
        %s1 = arith.addf %wide, %whole : f64
        %s = arith.addf %s0, %s1 : f64
        %two = arith.constant 2 : index
        %half = arith.muli %tid, %two : index
        %both = vector.broadcast %s : f64 to vector<2xf64>
        vector.store %both, %tile[%half] {alignment = 16} :
          memref<128xf64, #gpu.address_space<workgroup>>, vector<2xf64>
        gpu.barrier
        %back = vector.load %tile[%half] {alignment = 16} :
          memref<128xf64, #gpu.address_space<workgroup>>, vector<2xf64>
        %first_of = vector.extract %back[1] : f64 from vector<2xf64>
        memref.store %first_of, %out[%at] : memref<256xf64>";
    let launch = format!(
        "%bytes = arith.constant 1024 : i32
         {SHAPE} dynamic_shared_memory_size %bytes {ARGUMENTS}"
    );
    let ([_, out], _, ptx) = run(program(kernel, &launch)).unwrap();
    let expected: Vec<f64> = (0..256_i32)
        .map(|i| {
            let (left, right) = ((i - 1).max(i / 32 * 32), (i + 1).min(i / 32 * 32 + 31));
            f64::from(left + right + (i / 32 * 32 + 31) + (i ^ 1))
        })
        .collect();
    assert_eq!(out, expected);
    assert!(ptx.contains("st.shared.v2.b64") && ptx.contains("ld.shared.v2.b64"), "{ptx}");
}

#[test]
fn asynchronous_copies_arrive_when_they_are_waited_for() {
    let kernel = |wait: &str| {
        format!(
            "%dyn = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
             %tile = memref.view %dyn[%c0][] : memref<?xi8, #gpu.address_space<workgroup>>
               to memref<64xf64, #gpu.address_space<workgroup>>
             %eight = arith.constant 8 : index
             %from = memref.extract_aligned_pointer_as_index %in : memref<256xf64> -> index
             %skipped = arith.muli %at, %eight : index
             %source = arith.addi %from, %skipped : index
             %to = memref.extract_aligned_pointer_as_index %tile :
               memref<64xf64, #gpu.address_space<workgroup>> -> index
             %own = arith.muli %tid, %eight : index
             %target = arith.addi %to, %own : index
             %s64 = arith.index_cast %source : index to i64
             %t64 = arith.index_cast %target : index to i64
             %sp = llvm.inttoptr %s64 : i64 to !llvm.ptr<1>
             %tp = llvm.inttoptr %t64 : i64 to !llvm.ptr<3>
             llvm.call_intrinsic \"llvm.nvvm.cp.async.ca.shared.global.8\"(%tp, %sp) :
               (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
             llvm.call_intrinsic \"llvm.nvvm.cp.async.commit.group\"() : () -> ()
             {wait}
             gpu.barrier
             %other = arith.subi %c63, %tid : index
             %w = memref.load %tile[%other] : memref<64xf64, #gpu.address_space<workgroup>>
             memref.store %w, %out[%at] : memref<256xf64>"
        )
    };
    let launch = format!(
        "%bytes = arith.constant 512 : i32
         {SHAPE} dynamic_shared_memory_size %bytes {ARGUMENTS}"
    );
    let wait = "%none = arith.constant 0 : i32
                llvm.call_intrinsic \"llvm.nvvm.cp.async.wait.group\"(%none) : (i32) -> ()";
    let ([_, out], _, ptx) = run(program(&kernel(wait), &launch)).unwrap();
    assert_eq!(out[..3], [63.0, 62.0, 61.0]);
    assert!(ptx.contains("cp.async.ca.shared.global"), "{ptx}");
    let error = run(program(&kernel(""), &launch)).unwrap_err();
    assert!(error.contains("the copy is done only when"), "{error}");
}

#[test]
fn the_marked_number_of_steps_is_that_of_the_function() {
    // Two steps an iteration, then one for what is left.
    let kernel = "%v = memref.load %in[%at] : memref<256xf64>
                  memref.store %v, %out[%at] : memref<256xf64>";
    let launch = format!(
        "%n = arith.constant {{stencil.time_steps = 3 : i64}} 5 : index
         %c2 = arith.constant 2 : index
         %pairs = arith.divsi %n, %c2 : index
         %rest = arith.remsi %n, %c2 : index
         %f:2 = scf.for %i = %c0 to %pairs step %c1 iter_args(%x = %a, %y = %b)
             -> (memref<256xf64>, memref<256xf64>) {{
           {SHAPE} args(%x : memref<256xf64>, %y : memref<256xf64>)
           {SHAPE} args(%y : memref<256xf64>, %x : memref<256xf64>)
           scf.yield %x, %y : memref<256xf64>, memref<256xf64>
         }}
         %g:2 = scf.for %i = %c0 to %rest step %c1 iter_args(%x = %f#0, %y = %f#1)
             -> (memref<256xf64>, memref<256xf64>) {{
           {SHAPE} args(%x : memref<256xf64>, %y : memref<256xf64>)
           scf.yield %y, %x : memref<256xf64>, memref<256xf64>
         }}"
    );
    let ([a, b], manifest, _) = run(program(kernel, &launch)).unwrap();
    assert_eq!(a, b);
    let function = &manifest.functions[0];
    let TimeSteps { value, step, rotation } = function.time_steps.unwrap();
    assert!(value > Id(1));
    assert_eq!((step, rotation), (3, 2));
    assert_eq!(
        time_loop::summary(function),
        "time steps: 15; --steps N takes any number that differs by a multiple of 6"
    );
    let nine = time_loop::set_steps(function, 9, &mut Requests::default()).unwrap().into_owned();
    Manifest { functions: vec![nine], ..manifest }.validate().unwrap();
}
