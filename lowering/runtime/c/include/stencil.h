// libstencil: kernel packages, and running their functions on memory of the caller.
//
// Link with -lstencil. Nothing else is needed to build, and an NVIDIA driver to run.
//
// Functions that return a stencil_status return STENCIL_OK, or stencil_last_error() says what is
// wrong. Texts that a package gives out live as long as the package.
//
// Made from the library's source; 'cargo xtask docs' writes it.
#ifndef STENCIL_H
#define STENCIL_H


#include <stddef.h>
#include <stdint.h>
#include <string.h>

// In the place of a device: the context that is current on the calling thread, or where none is,
// the first device.
#define STENCIL_CURRENT_CONTEXT -1

// What a function answers.
typedef enum stencil_status {
    // It is done.
    STENCIL_OK = 0,
    // A file or bytes are no kernel package, or the package lacks what was asked for.
    STENCIL_ERROR_PACKAGE = 1,
    // A value, an array or a name is not what the function takes.
    STENCIL_ERROR_ARGUMENT = 2,
    // The host program has no result for these numbers: a division by zero, an endless loop.
    STENCIL_ERROR_PROGRAM = 3,
    // There is no CUDA driver, device or memory, or the driver refused something.
    STENCIL_ERROR_ENVIRONMENT = 4,
    // A kernel cannot be launched, or failed; the CUDA context may be lost.
    STENCIL_ERROR_KERNEL = 5,
    // Two runs that must agree bit for bit do not.
    STENCIL_ERROR_DIFFERENCE = 6,
    // A defect of this library.
    STENCIL_ERROR_INTERNAL = 70,
} stencil_status;

// The types of numbers and of cells.
typedef enum stencil_type {
    // None: an array in the place of a number, or cells of the type that the field has.
    STENCIL_NO_TYPE = 0,
    // A truth value; one byte, 0 or 1.
    STENCIL_I1 = 1,
    // An 8-bit integer.
    STENCIL_I8 = 2,
    // A 16-bit integer.
    STENCIL_I16 = 3,
    // A 32-bit integer.
    STENCIL_I32 = 4,
    // A 64-bit integer.
    STENCIL_I64 = 5,
    // An integer of 64 bits that counts.
    STENCIL_INDEX = 6,
    // IEEE binary16.
    STENCIL_F16 = 7,
    // bfloat16: the upper half of an f32.
    STENCIL_BF16 = 8,
    // IEEE binary32.
    STENCIL_F32 = 9,
    // IEEE binary64.
    STENCIL_F64 = 10,
} stencil_type;

// What is said of an array, to be added up.
typedef enum stencil_array_flag {
    // It is in memory of the host; without this flag in memory of the device.
    STENCIL_ON_HOST = 1,
    // It must not change: refused where the function writes.
    STENCIL_READ_ONLY = 2,
} stencil_array_flag;

// A package whose kernels are loaded into one CUDA context, with the memory of its runs, or into
// those of several devices. Several threads may use it, one at a time. Runs share memory: give
// them one stream where that matters.
typedef struct stencil_module stencil_module;

// A kernel package. It does not change, and may be used by several threads.
typedef struct stencil_package stencil_package;

// What CUstream of the driver and cudaStream_t of the runtime point to.
typedef struct CUstream_st CUstream_st;

// An array of a caller. All that is zero is as the field has it.
typedef struct stencil_array {
    // The address of the first cell, the one with the lowest coordinates: what cudaMalloc gave, or
    // (void *)(uintptr_t)address of a CUdeviceptr.
    void *data;
    // Cells along each dimension, the slowest first; null for those of the field. A function that
    // gets its extents at run time takes them from here.
    const int64_t *extents;
    // Bytes from a cell to the next for each dimension; null if there is no padding. On the device
    // the cells of the last dimension are adjacent. A field with padding, or at no multiple of 16
    // bytes, is copied for the run, and back if it is written.
    const int64_t *strides;
    // Entries of `extents` and `strides`; 0 for as many as the field has dimensions.
    uint32_t rank;
    // The type of its cells, a stencil_type; STENCIL_NO_TYPE for that of the field.
    uint32_t cell_type;
    // The sum of some stencil_array_flag.
    uint32_t flags;
} stencil_array;

// The value of an argument.
typedef struct stencil_value {
    // The array; not looked at for a number.
    const struct stencil_array *array;
    // The bits of a number, in the lowest places.
    uint64_t bits;
    // The type of a number, a stencil_type; STENCIL_NO_TYPE for an array.
    uint32_t number_type;
} stencil_value;

// What was found equal, bit for bit.
typedef struct stencil_verified {
    // Runs that were verified.
    uint64_t runs;
    // Fields compared, in all runs.
    uint64_t fields;
    // Cells compared.
    uint64_t cells;
} stencil_verified;

// A device.
typedef struct stencil_device {
    // The product's name.
    char name[256];
    // The compute capability: 9 and 0 for 9.0.
    int32_t capability_major;
    // See above.
    int32_t capability_minor;
    // The CUDA version of the driver: 13 and 0 for 13.0.
    int32_t driver_major;
    // See above.
    int32_t driver_minor;
    // Its memory in all.
    uint64_t memory_bytes;
} stencil_device;

// A function of a package.
typedef struct stencil_function {
    // Its name in the source; a variant's is longer by its size.
    const char *name;
    // The function that this is a variant of, for other extents; null for most.
    const char *variant_of;
    // Its arguments as a table, one a line.
    const char *signature;
    // How many arguments it takes.
    size_t argument_count;
    // How many devices share its domain; 1 if it runs on one.
    size_t device_count;
} stencil_function;

// An argument of a function.
typedef struct stencil_argument {
    // Its name in the source; null if it has none.
    const char *name;
    // The symbol of Devito that a number stands for; null if there is none.
    const char *symbol;
    // How messages name it: `argument 2 'dt'`.
    const char *description;
    // The type of the number or of the field's cells, a stencil_type.
    uint32_t value_type;
    // 1 for a field, an array on a grid; 0 for a number.
    int32_t is_field;
    // Whether the function writes the field.
    int32_t is_written;
    // Whether the field's content after a run is unspecified.
    int32_t is_scratch;
    // The dimensions of a field.
    size_t rank;
} stencil_argument;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What the last error of this thread was. The text is at one place, where the next error of the
// thread replaces it.
const char *stencil_last_error(void);

// The CUresult of the last error of this thread; 0 if the driver had no part in it.
int32_t stencil_last_cuda_error(void);

// The version of the library: `0.1.0`.
const char *stencil_version(void);

// Runs a function and its plain counterpart on the same random fields, and compares all fields.
// Of the values only numbers count; those for fields may be zero.
//
// `package` is null or a live package; there are `count` values; `verified` may be written.
enum stencil_status stencil_verify(const struct stencil_package *package,
                                   size_t function,
                                   const struct stencil_value *values,
                                   size_t count,
                                   uint64_t seed,
                                   size_t device,
                                   struct stencil_verified *verified);

// The same of a function that several devices share, on those that are named, or with null on the
// first ones; the plain kernels run on the first of them, on the whole domain.
//
// As for stencil_verify; there are `device_count` devices.
enum stencil_status stencil_verify_shared(const struct stencil_package *package,
                                          size_t function,
                                          const struct stencil_value *values,
                                          size_t count,
                                          uint64_t seed,
                                          const size_t *devices,
                                          size_t device_count,
                                          struct stencil_verified *verified);

// Runs the program at a small size, and compares with what the interpreter computed when the
// package was made.
//
// `package` is null or a live package, `verified` may be written.
enum stencil_status stencil_selftest(const struct stencil_package *package,
                                     size_t device,
                                     struct stencil_verified *verified);

// Fills memory of the host with the cells that verifications use: they depend on the seed, the
// position of the argument and the cell's number alone.
//
// `data` has room for `cell_count` cells.
enum stencil_status stencil_fill_random(uint64_t seed,
                                        size_t position,
                                        uint32_t cell_type,
                                        uint64_t cell_count,
                                        void *data);

// Has a library take the place of the CUDA driver in this process: the emulated driver. Before
// anything else asks for a device.
//
// `path` is a text that names a library with the driver's interface.
enum stencil_status stencil_use_driver(const char *path);

// Whether the CUDA driver was opened in this process by this library: 1 or 0.
int32_t stencil_driver_is_in_use(void);

// How many devices there are.
//
// `count` may be written.
enum stencil_status stencil_device_count(size_t *count);

// A device, counted from 0.
//
// `device` may be written.
enum stencil_status stencil_device_describe(size_t ordinal, struct stencil_device *device);

// The device whose context is current on this thread; 0 where none is.
//
// `ordinal` may be written.
enum stencil_status stencil_device_current(size_t *ordinal);

// The device that holds the memory at an address.
//
// `ordinal` may be written.
enum stencil_status stencil_device_of(const void *address, size_t *ordinal);

// Loads the kernels of a package on a device: into the context that all libraries of the process
// share, or with STENCIL_CURRENT_CONTEXT into the one that is current on this thread.
//
// `package` is null or a live package, `module` may be written.
enum stencil_status stencil_module_load(const struct stencil_package *package,
                                        int32_t device,
                                        struct stencil_module **module);

// Loads the kernels of a package on several devices that share the domain of its functions: as
// many as these were compiled for. A device may be named several times; null means the first ones
// of the machine. Runs then take arrays on the host, and no stream, and return when all is done.
//
// `package` is null or a live package; there are `count` devices; `module` may be written.
enum stencil_status stencil_module_load_shared(const struct stencil_package *package,
                                               const size_t *devices,
                                               size_t count,
                                               struct stencil_module **module);

// Waits for the context, and frees the module, its code and its memory on the device.
//
// `module` is null or a live module, which nothing uses any more.
void stencil_module_free(struct stencil_module *module);

// Refuses a module of another package than the one whose file ends with a digest, for which
// `maker` makes modules: functions that 'stencilc compile --emit=launcher' writes ask this before
// they run.
//
// `module` is null or a live module; `maker` and `digest` are texts.
enum stencil_status stencil_module_expect(struct stencil_module *module,
                                          const char *maker,
                                          const char *digest);

// Runs a function once, on a stream or, with null, on the default stream. With arrays on the
// device alone it returns when the work is on the stream, and an error of a kernel shows later, by
// stencil_synchronize; arrays on the host are waited for, and change only if every kernel
// succeeded. The numbers are evaluated once for each set of them.
//
// `module` is null or a live module; there are `count` values; their arrays hold the cells that
// the function's fields say, those on the device until the work is done; the stream is one of the
// module's context.
enum stencil_status stencil_run(struct stencil_module *module,
                                size_t function,
                                const struct stencil_value *values,
                                size_t count,
                                struct CUstream_st *stream);

// Runs a function whose extents are given at run time, at these: the values of the sizes that its
// program leaves open, in their order, or the extents of its domain, slowest dimension first.
// Arrays that do not state their extents have those of these sizes; else as stencil_run.
//
// As for stencil_run; there are `size_count` sizes.
enum stencil_status stencil_run_sized(struct stencil_module *module,
                                      size_t function,
                                      const int64_t *sizes,
                                      size_t size_count,
                                      const struct stencil_value *values,
                                      size_t count,
                                      struct CUstream_st *stream);

// Waits for a stream; an error of a kernel names it, or those that it may have been.
//
// `module` is null or a live module; the stream is null or one of its context.
enum stencil_status stencil_synchronize(struct stencil_module *module,
                                        struct CUstream_st *stream);

// Has every launch waited for, so that an error names one kernel; 0 ends this.
//
// `module` is null or a live module.
void stencil_set_synchronous(struct stencil_module *module, int32_t is_synchronous);

// Runs a function several times, each time on what the run before left behind, and puts the
// seconds of the last `repeat` runs into a table. Arrays on the host, and those with padding, stay
// as they are.
//
// As for stencil_run; `seconds` has room for `repeat` numbers.
enum stencil_status stencil_time(struct stencil_module *module,
                                 size_t function,
                                 const struct stencil_value *values,
                                 size_t count,
                                 struct CUstream_st *stream,
                                 uint32_t warm_up,
                                 uint32_t repeat,
                                 double *seconds);

// What the last call of a module did, as JSON; it lives until the next report. Null before any
// call, and after an error.
//
// `module` is null or a live module.
const char *stencil_module_report(struct stencil_module *module);

// Reads a package from a file, and checks every digest.
//
// `path` is a text, `package` may be written.
enum stencil_status stencil_package_read(const char *path, struct stencil_package **package);

// Reads a package from memory, which is not needed any more then.
//
// There are `byte_count` bytes; `package` may be written.
enum stencil_status stencil_package_from_memory(const void *bytes,
                                                size_t byte_count,
                                                struct stencil_package **package);

// Frees a package. Modules that were loaded from it stay.
//
// `package` is null or a live package, which nothing uses any more.
void stencil_package_free(struct stencil_package *package);

// How many functions a package has; 0 for null.
//
// `package` is null or a live package.
size_t stencil_package_function_count(const struct stencil_package *package);

// A function of a package, counted from 0.
//
// `package` is null or a live package, `function` may be written.
enum stencil_status stencil_package_function(const struct stencil_package *package,
                                             size_t index,
                                             struct stencil_function *function);

// The place of the function of a name; without a name that of the only one, or of the one that all
// others are variants of.
//
// `package` is null or a live package, `name` null or a text, `index` may be written.
enum stencil_status stencil_package_find(const struct stencil_package *package,
                                         const char *name,
                                         size_t *index);

// An argument of a function, both counted from 0.
//
// `package` is null or a live package, `argument` may be written.
enum stencil_status stencil_package_argument(const struct stencil_package *package,
                                             size_t function,
                                             size_t position,
                                             struct stencil_argument *argument);

// The bounds of a field in a call with some values: the lowest coordinate of each dimension, and
// one past the highest. Where a function gets its extents at run time they are those of the arrays
// that state theirs, else those of the program; values may be missing.
//
// `package` is null or a live package; there are `count` values; `lower` and `upper` have room for
// an entry for each dimension.
enum stencil_status stencil_package_shape(const struct stencil_package *package,
                                          size_t function,
                                          size_t position,
                                          const struct stencil_value *values,
                                          size_t count,
                                          int64_t *lower,
                                          int64_t *upper);

// Refuses values of a call that could not run on any device: wrong ones, and numbers for which the
// program has no result. No driver is needed.
//
// `package` is null or a live package; there are `count` values.
enum stencil_status stencil_check(const struct stencil_package *package,
                                  size_t function,
                                  const struct stencil_value *values,
                                  size_t count);

// What a package holds, as JSON; null for null.
//
// `package` is null or a live package.
const char *stencil_package_report(const struct stencil_package *package);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

// The values of a call: an array, or a number of the type that the argument has.

static inline stencil_value stencil_field(const stencil_array *array)
{
    const stencil_value value = {array, 0, STENCIL_NO_TYPE};
    return value;
}

// An integer, or the bits of a 16-bit float.
static inline stencil_value stencil_bits(uint32_t type, uint64_t bits)
{
    const stencil_value value = {NULL, bits, type};
    return value;
}

static inline stencil_value stencil_f32(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return stencil_bits(STENCIL_F32, bits);
}

static inline stencil_value stencil_f64(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return stencil_bits(STENCIL_F64, bits);
}

#endif
