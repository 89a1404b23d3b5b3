//! Declarations of the C functions of the dialects (`Stencil-c/Stencil.h`, `Sweep-c/Sweep.h`) and
//! of the bridge.

use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectRegistry, MlirLocation, MlirOperation, MlirStringRef,
    MlirType,
};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

/// `StencilOption` of Bridge.h.
#[repr(C)]
pub struct RawOption {
    pub name: MlirStringRef,
    pub description: MlirStringRef,
    pub kind: c_int,
    pub default_text: MlirStringRef,
}

/// `StencilPass` of Bridge.h.
#[repr(C)]
pub struct RawPass {
    pub name: MlirStringRef,
    pub argument: MlirStringRef,
    pub description: MlirStringRef,
    pub anchor: MlirStringRef,
    pub num_options: isize,
    pub options: *const RawOption,
    pub num_dialects: isize,
    pub dialects: *const MlirStringRef,
    pub run: extern "C" fn(*mut c_void, MlirOperation, isize, *const MlirStringRef) -> bool,
    pub user_data: *mut c_void,
}

/// Receives a part of the text; may be called several times.
pub type RawWrite = extern "C" fn(MlirStringRef, *mut c_void);

/// `StencilPipeline` of Bridge.h.
#[repr(C)]
pub struct RawPipeline {
    pub argument: MlirStringRef,
    pub description: MlirStringRef,
    pub num_options: isize,
    pub options: *const RawOption,
    pub list: extern "C" fn(*mut c_void, isize, *const MlirStringRef, RawWrite, *mut c_void),
    pub user_data: *mut c_void,
}

/// `StencilNote` of Bridge.h.
#[repr(C)]
pub struct RawNote {
    pub location: MlirLocation,
    pub message: MlirStringRef,
}

/// `StencilImportRequest` of Bridge.h.
#[repr(C)]
pub struct RawImportRequest {
    pub context: MlirContext,
    pub flag: MlirStringRef,
    pub name: MlirStringRef,
    pub text: MlirStringRef,
    pub num_definitions: isize,
    pub definitions: *const MlirStringRef,
    pub num_declarations: isize,
    pub declarations: *const MlirStringRef,
    pub strict: bool,
    pub strict_bounds: bool,
    pub artemis_compat: bool,
}

/// Imports a text; `user_data` is the caller's.
pub type RawImporter = extern "C" fn(*const RawImportRequest, *mut c_void) -> MlirOperation;

/// `StencilExportRequest` of Bridge.h.
#[repr(C)]
pub struct RawExportRequest {
    pub flag: MlirStringRef,
    pub module: MlirOperation,
    pub target: MlirStringRef,
    pub ptx_version: MlirStringRef,
    pub plan: MlirStringRef,
    pub write: extern "C" fn(MlirStringRef, *mut c_void),
    pub stream: *mut c_void,
}

/// Exports a module; `user_data` is the caller's.
pub type RawExporter = extern "C" fn(*const RawExportRequest, *mut c_void) -> bool;

/// `StencilTranslation` of Bridge.h.
#[repr(C)]
pub struct RawTranslation {
    pub flag: MlirStringRef,
    pub description: MlirStringRef,
}

/// `StencilTranslations` of Bridge.h.
#[repr(C)]
pub struct RawTranslations {
    pub num_imports: isize,
    pub imports: *const RawTranslation,
    pub importer: RawImporter,
    pub num_exports: isize,
    pub exports: *const RawTranslation,
    pub exporter: RawExporter,
    pub user_data: *mut c_void,
}

/// `StencilPlace` of Bridge.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawPlace {
    pub line: c_uint,
    pub column: c_uint,
}

/// The place in the original text; `user_data` is the caller's.
pub type RawOrigin = extern "C" fn(RawPlace, *mut c_void) -> RawPlace;

/// `StencilSource` of Bridge.h, owned by C++.
#[repr(C)]
pub struct RawSource {
    _opaque: [u8; 0],
}

/// Reports one message of a check; `user_data` is C++'s.
pub type EmitFault = extern "C" fn(MlirStringRef, *mut c_void);
/// Checks the dictionary of a `#stencil.plan`.
pub type PlanVerifier = extern "C" fn(MlirAttribute, EmitFault, *mut c_void) -> bool;

/// Checks a `sweep.kernel`.
pub type KernelVerifier = extern "C" fn(MlirOperation, EmitFault, *mut c_void) -> bool;

unsafe extern "C" {
    pub fn stencilTypeIsAField(r#type: MlirType) -> bool;
    pub fn stencilTypeIsATemp(r#type: MlirType) -> bool;
    pub fn stencilTypeIsAResult(r#type: MlirType) -> bool;
    pub fn stencilTypeGetRank(r#type: MlirType) -> isize;
    pub fn stencilTypeHasBounds(r#type: MlirType) -> bool;
    pub fn stencilTypeGetLower(r#type: MlirType, dimension: isize) -> i64;
    pub fn stencilTypeGetUpper(r#type: MlirType, dimension: isize) -> i64;
    pub fn stencilTypeGetElement(r#type: MlirType) -> MlirType;
    pub fn stencilFieldTypeGet(
        context: MlirContext,
        rank: isize,
        lower: *const i64,
        upper: *const i64,
        element: MlirType,
    ) -> MlirType;
    pub fn stencilTempTypeGet(
        context: MlirContext,
        rank: isize,
        lower: *const i64,
        upper: *const i64,
        element: MlirType,
    ) -> MlirType;
    pub fn stencilResultTypeGet(element: MlirType) -> MlirType;

    pub fn stencilAttributeIsAIndex(attribute: MlirAttribute) -> bool;
    pub fn stencilIndexAttrGetSize(attribute: MlirAttribute) -> isize;
    pub fn stencilIndexAttrGetValue(attribute: MlirAttribute, position: isize) -> i64;
    pub fn stencilIndexAttrGet(
        context: MlirContext,
        count: isize,
        values: *const i64,
    ) -> MlirAttribute;
    pub fn stencilAttributeIsABounds(attribute: MlirAttribute) -> bool;
    pub fn stencilBoundsAttrGetRank(attribute: MlirAttribute) -> isize;
    pub fn stencilBoundsAttrGetLower(attribute: MlirAttribute, dimension: isize) -> i64;
    pub fn stencilBoundsAttrGetUpper(attribute: MlirAttribute, dimension: isize) -> i64;
    pub fn stencilBoundsAttrGet(
        context: MlirContext,
        rank: isize,
        lower: *const i64,
        upper: *const i64,
    ) -> MlirAttribute;
    pub fn stencilAttributeIsAPlan(attribute: MlirAttribute) -> bool;
    pub fn stencilPlanAttrGet(context: MlirContext, dictionary: MlirAttribute) -> MlirAttribute;
    pub fn stencilPlanAttrGetDictionary(attribute: MlirAttribute) -> MlirAttribute;
    pub fn stencilAttributeIsAProgramPlan(attribute: MlirAttribute) -> bool;
    pub fn stencilProgramPlanAttrGet(context: MlirContext, kernels: MlirAttribute)
    -> MlirAttribute;
    pub fn stencilProgramPlanAttrGetKernels(attribute: MlirAttribute) -> MlirAttribute;
    pub fn stencilSetPlanVerifier(verifier: PlanVerifier);
    pub fn sweepSetKernelVerifier(verifier: KernelVerifier);

    pub fn stencilRegisterPass(pass: *const RawPass);
    pub fn stencilRegisterPipeline(pipeline: *const RawPipeline);
    pub fn stencilRegisterAllDialects(registry: MlirDialectRegistry);
    pub fn stencilOptMain(argc: c_int, argv: *mut *mut c_char, statistics: *mut c_int) -> c_int;
    pub fn stencilTooDeepMessage() -> MlirStringRef;
    pub fn stencilFindTooDeep(text: MlirStringRef) -> isize;
    pub fn stencilEndWithoutMemory(message: MlirStringRef, code: c_int, refused: *mut bool);
    pub fn stencilLspServerMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
    pub fn stencilIsRegisteredPass(argument: MlirStringRef) -> bool;
    pub fn stencilRegisterDialects(registry: *mut c_void) -> bool;
    pub fn stencilTranslateMain(
        argc: c_int,
        argv: *mut *mut c_char,
        translations: *const RawTranslations,
    ) -> c_int;
    pub fn stencilEmitDiagnostic(
        location: MlirLocation,
        severity: c_int,
        message: MlirStringRef,
        num_notes: isize,
        notes: *const RawNote,
    );
    pub fn stencilEmitRemark(
        kind: c_int,
        location: MlirLocation,
        category: MlirStringRef,
        function: MlirStringRef,
        message: MlirStringRef,
    );
    pub fn stencilVisitOperations(
        context: MlirContext,
        dialect: MlirStringRef,
        visit: extern "C" fn(MlirStringRef, *mut c_void),
        user_data: *mut c_void,
    );
    pub fn stencilSourceCreate(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
    ) -> *mut RawSource;
    pub fn stencilSourceParse(source: *mut RawSource) -> MlirOperation;
    pub fn stencilParseRespelled(
        context: MlirContext,
        name: MlirStringRef,
        text: MlirStringRef,
        origin: RawOrigin,
        user_data: *mut c_void,
    ) -> MlirOperation;
    pub fn stencilSourceDestroy(source: *mut RawSource);
}

/// What C's main functions take: `argv` ends with a null pointer.
pub struct Arguments {
    /// What `pointers` point to.
    texts: Vec<CString>,
    pointers: Vec<*mut c_char>,
}

impl Arguments {
    /// Arguments as C strings; those that contain a NUL are dropped.
    pub fn new(arguments: &[String]) -> Self {
        let texts = arguments
            .iter()
            .filter_map(|argument| CString::new(argument.as_str()).ok())
            .collect::<Vec<_>>();
        let mut pointers = texts.iter().map(|text| text.as_ptr().cast_mut()).collect::<Vec<_>>();
        pointers.push(std::ptr::null_mut());
        Self { texts, pointers }
    }

    /// `argc`.
    pub fn count(&self) -> c_int {
        self.texts.len() as c_int
    }

    /// `argv`, valid as long as the arguments are.
    pub fn pointers(&mut self) -> *mut *mut c_char {
        self.pointers.as_mut_ptr()
    }
}

/// A string for C, valid as long as `text` is.
pub fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// The text of a C string; invalid UTF-8 is replaced.
pub fn text(string: MlirStringRef) -> String {
    if string.data.is_null() || string.length == 0 {
        return String::new();
    }
    // SAFETY: the caller got `string` from MLIR, which points it at `length` readable bytes.
    let bytes = unsafe { std::slice::from_raw_parts(string.data.cast(), string.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// The texts of an array of C strings.
///
/// # Safety
/// `strings` points to `count` strings, or `count` is 0.
pub unsafe fn texts(count: isize, strings: *const MlirStringRef) -> Vec<String> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: as the caller says.
    let strings = unsafe { std::slice::from_raw_parts(strings, count.cast_unsigned()) };
    strings.iter().map(|string| text(*string)).collect()
}
