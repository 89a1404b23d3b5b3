/*
 * The handle: errors, loading the kernels, giving everything back.
 *
 * A line that begins with "//: " names the piece below it; a launcher contains the pieces that it
 * uses. "pkg_" is replaced by the prefix of the package, and the tables named pkg_kernels,
 * pkg_memory_bytes, pkg_cubin and pkg_ptx_lines are written from the manifest.
 */

//: pkg_handle
struct pkg_handle {
    /* Of pkg_create; a handle that could not be made fails every call with it. */
    int status;
    CUcontext context;
    CUmodule module;
    CUfunction functions[PKG_KERNEL_COUNT + 1];
    /* Device memory of temporary buffers and of copies of fields, made when first needed. */
    CUdeviceptr memory[PKG_MEMORY_COUNT + 1];
    /* Kernels launched since the last wait: what an error of a kernel may be about. */
    unsigned char pending[PKG_KERNEL_COUNT + 1];
    int synchronous;
    char message[8192];
};

//: pkg_fail
static int pkg_fail(pkg_handle *handle, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(handle->message, sizeof handle->message, format, arguments);
    va_end(arguments);
    return code;
}

//: pkg_is_kernel_fault
/* Whether an error means that a kernel ran and did something wrong. */
static int pkg_is_kernel_fault(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return 1;
    default:
        return 0;
    }
}

//: pkg_pending_names
/* Writes "'a' or 'b'": the kernels launched since the last wait. */
static void pkg_pending_names(const pkg_handle *handle, char *names, size_t room)
{
    size_t used = 0;
    int kernel;
    names[0] = '\0';
    for (kernel = 0; kernel < PKG_KERNEL_COUNT; kernel++) {
        if (handle->pending[kernel] && used < room) {
            const int more = snprintf(names + used, room - used, "%s'%s'", used ? " or " : "",
                                      pkg_kernels[kernel].name);
            used += more > 0 ? (size_t)more : 0;
        }
    }
}

//: pkg_driver_error
/* The error of a driver call. A kernel's failure surfaces in any later call, hence the names. */
static int pkg_driver_error(pkg_handle *handle, int code, CUresult result, const char *what)
{
    const char *name = NULL, *text = NULL;
    char kernels[2048];
    if (cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL) {
        name = "unknown error";
    }
    if (cuGetErrorString(result, &text) != CUDA_SUCCESS || text == NULL) {
        text = "the driver gives no text";
    }
    pkg_pending_names(handle, kernels, sizeof kernels);
    if (pkg_is_kernel_fault(result) && kernels[0] != '\0') {
        return pkg_fail(handle, PKG_ERROR_KERNEL, "kernel %s: %s (%s)", kernels, text, name);
    }
    return pkg_fail(handle, code, "%s failed: %s (%s)", what, text, name);
}

//: pkg_join
/* The PTX as one text; the caller frees it. */
static char *pkg_join(const char *const *lines)
{
    size_t bytes = 1;
    size_t index;
    char *text, *end;
    for (index = 0; lines[index] != NULL; index++) {
        bytes += strlen(lines[index]);
    }
    text = malloc(bytes);
    if (text == NULL) {
        return NULL;
    }
    end = text;
    for (index = 0; lines[index] != NULL; index++) {
        const size_t length = strlen(lines[index]);
        memcpy(end, lines[index], length);
        end += length;
    }
    *end = '\0';
    return text;
}

//: pkg_load_cubin
/* Loads the machine code if it was made for exactly this device and the driver takes it. */
static int pkg_load_cubin(pkg_handle *handle, int major, int minor)
{
    return major == PKG_CUBIN_MAJOR && minor == PKG_CUBIN_MINOR
           && cuModuleLoadDataEx(&handle->module, pkg_cubin.bytes, 0, NULL, NULL) == CUDA_SUCCESS;
}

//: pkg_load_ptx
/* Has the driver compile the PTX. */
static int pkg_load_ptx(pkg_handle *handle, int major, int minor)
{
    char log[4096] = "", name[128] = "?";
    CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    /* The size is passed in the place of a pointer. */
    void *values[2] = {NULL, NULL};
    const char *text = NULL;
    CUdevice device = 0;
    CUresult result;
    int version = 0;
    char *ptx = pkg_join(pkg_ptx_lines);
    if (ptx == NULL) {
        return pkg_fail(handle, PKG_ERROR_MEMORY, "no memory for the text of the kernels");
    }
    values[0] = log;
    values[1] = (void *)(uintptr_t)sizeof log;
    result = cuModuleLoadDataEx(&handle->module, ptx, 2, options, values);
    free(ptx);
    if (result == CUDA_SUCCESS) {
        return PKG_OK;
    }
    handle->module = NULL;
    log[sizeof log - 1] = '\0';
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
        (void)cuDriverGetVersion(&version);
        return pkg_fail(handle, PKG_ERROR_LOAD,
                        "kernels cannot be loaded: the driver supports CUDA %d.%d and is too old "
                        "for PTX %s; install a newer NVIDIA driver, or compile for an older PTX "
                        "version", version / 1000, version % 1000 / 10, PKG_PTX_VERSION);
    }
    (void)cuCtxGetDevice(&device);
    (void)cuDeviceGetName(name, (int)sizeof name, device);
    (void)cuGetErrorName(result, &text);
    return pkg_fail(handle, PKG_ERROR_LOAD,
                    "kernels cannot be loaded: %s; they are PTX %s for %s, the device '%s' has "
                    "compute capability %d.%d%s%s", text != NULL ? text : "unknown error",
                    PKG_PTX_VERSION, PKG_TARGET, name, major, minor, log[0] ? "\n" : "", log);
}

//: pkg_find_kernel
/* Finds a kernel and makes sure that it can be launched with its shared memory. */
static int pkg_find_kernel(pkg_handle *handle, int kernel, int shared_bytes_max)
{
    const pkg_kernel *shape = &pkg_kernels[kernel];
    CUfunction function = NULL;
    int static_bytes = 0;
    CUresult result = cuModuleGetFunction(&function, handle->module, shape->name);
    if (result == CUDA_SUCCESS) {
        result = cuFuncGetAttribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    }
    if (result == CUDA_SUCCESS
        && (uint64_t)shape->shared_bytes + (uint64_t)static_bytes > (uint64_t)shared_bytes_max) {
        return pkg_fail(handle, PKG_ERROR_LOAD,
                        "kernel '%s' needs %llu bytes of shared memory per block, the device has "
                        "%d; compile it for this device", shape->name,
                        (unsigned long long)shape->shared_bytes + (unsigned)static_bytes,
                        shared_bytes_max);
    }
    if (result == CUDA_SUCCESS && shape->shared_bytes > 0) {
        result = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (int)shape->shared_bytes);
    }
    if (result != CUDA_SUCCESS) {
        char what[512];
        snprintf(what, sizeof what, "loading kernel '%s'", shape->name);
        return pkg_driver_error(handle, PKG_ERROR_LOAD, result, what);
    }
    handle->functions[kernel] = function;
    return PKG_OK;
}

//: pkg_open
/* Takes the current context and loads the kernels into it. */
static int pkg_open(pkg_handle *handle)
{
    CUdevice device = 0;
    int major = 0, minor = 0, shared_bytes_max = 0, kernel, code;
    CUresult result = cuInit(0);
    if (result != CUDA_SUCCESS) {
        return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "starting the CUDA driver");
    }
    result = cuCtxGetCurrent(&handle->context);
    if (result == CUDA_SUCCESS && handle->context == NULL) {
        return pkg_fail(handle, PKG_ERROR_DRIVER,
                        "no CUDA context is current on this thread; make one first, with "
                        "cuCtxSetCurrent or by any call of the CUDA runtime (cudaFree(0))");
    }
    if (result == CUDA_SUCCESS) {
        result = cuCtxGetDevice(&device);
    }
    if (result == CUDA_SUCCESS) {
        result = cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    }
    if (result == CUDA_SUCCESS) {
        result = cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    }
    if (result == CUDA_SUCCESS) {
        result = cuDeviceGetAttribute(
            &shared_bytes_max, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    }
    if (result != CUDA_SUCCESS) {
        return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "asking for the device");
    }
    if (!pkg_load_cubin(handle, major, minor)) {
        code = pkg_load_ptx(handle, major, minor);
        if (code != PKG_OK) {
            return code;
        }
    }
    for (kernel = 0; kernel < PKG_KERNEL_COUNT; kernel++) {
        code = pkg_find_kernel(handle, kernel, shared_bytes_max);
        if (code != PKG_OK) {
            return code;
        }
    }
    return PKG_OK;
}

//: pkg_create
int pkg_create(pkg_handle **handle)
{
    if (handle == NULL) {
        return PKG_ERROR_ARGUMENT;
    }
    *handle = calloc(1, sizeof **handle);
    if (*handle == NULL) {
        return PKG_ERROR_MEMORY;
    }
    (*handle)->status = pkg_open(*handle);
    return (*handle)->status;
}

//: pkg_destroy
void pkg_destroy(pkg_handle *handle)
{
    CUcontext previous;
    int index;
    if (handle == NULL) {
        return;
    }
    if (handle->context != NULL && cuCtxPushCurrent(handle->context) == CUDA_SUCCESS) {
        /* What still runs must end before its code and its memory go. */
        (void)cuCtxSynchronize();
        for (index = 0; index < PKG_MEMORY_COUNT; index++) {
            if (handle->memory[index] != 0) {
                (void)cuMemFree(handle->memory[index]);
            }
        }
        if (handle->module != NULL) {
            (void)cuModuleUnload(handle->module);
        }
        (void)cuCtxPopCurrent(&previous);
    }
    free(handle);
}

//: pkg_last_error
const char *pkg_last_error(const pkg_handle *handle)
{
    return handle != NULL ? handle->message : "there is no handle";
}

//: pkg_enter
/* Makes the handle's context current, whatever the thread has. */
static int pkg_enter(pkg_handle *handle)
{
    CUresult result;
    if (handle == NULL) {
        return PKG_ERROR_ARGUMENT;
    }
    if (handle->status != PKG_OK) {
        return handle->status;
    }
    handle->message[0] = '\0';
    result = cuCtxPushCurrent(handle->context);
    return result == CUDA_SUCCESS
               ? PKG_OK
               : pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "entering the context");
}

//: pkg_leave
static int pkg_leave(pkg_handle *handle, int code)
{
    CUcontext previous;
    const CUresult result = cuCtxPopCurrent(&previous);
    if (code == PKG_OK && result != CUDA_SUCCESS) {
        return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "leaving the context");
    }
    return code;
}

//: pkg_wait
/* Waits for a stream; a kernel that failed is named. */
static int pkg_wait(pkg_handle *handle, CUstream stream)
{
    const CUresult result = cuStreamSynchronize(stream);
    if (result != CUDA_SUCCESS) {
        return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "waiting for the device");
    }
    memset(handle->pending, 0, sizeof handle->pending);
    return PKG_OK;
}

//: pkg_synchronize
int pkg_synchronize(pkg_handle *handle, struct CUstream_st *stream)
{
    const int code = pkg_enter(handle);
    return code == PKG_OK ? pkg_leave(handle, pkg_wait(handle, stream)) : code;
}

//: pkg_set_synchronous
void pkg_set_synchronous(pkg_handle *handle, int synchronous)
{
    if (handle != NULL) {
        handle->synchronous = synchronous;
    }
}

//: pkg_launch
static int pkg_launch(pkg_handle *handle, int kernel, void **parameters, CUstream stream)
{
    const pkg_kernel *shape = &pkg_kernels[kernel];
    const CUresult result = cuLaunchKernel(
        handle->functions[kernel], shape->grid[0], shape->grid[1], shape->grid[2],
        shape->block[0], shape->block[1], shape->block[2], shape->shared_bytes, stream,
        parameters, NULL);
    if (result != CUDA_SUCCESS) {
        char what[512];
        snprintf(what, sizeof what, "launching kernel '%s'", shape->name);
        return pkg_driver_error(handle, PKG_ERROR_KERNEL, result, what);
    }
    handle->pending[kernel] = 1;
    return handle->synchronous ? pkg_wait(handle, stream) : PKG_OK;
}

//: pkg_copy
/* Copies a whole buffer; a rotation may have brought both names to one, then nothing is to do. */
static int pkg_copy(pkg_handle *handle, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                    CUstream stream)
{
    const CUresult result = to == from ? CUDA_SUCCESS : cuMemcpyDtoDAsync(to, from, bytes, stream);
    return result == CUDA_SUCCESS
               ? PKG_OK
               : pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "copying a buffer");
}

//: pkg_check_step
static int pkg_check_step(pkg_handle *handle, const char *where, int64_t step)
{
    return step > 0 ? PKG_OK
                    : pkg_fail(handle, PKG_ERROR_LOOP_STEP,
                               "loop over %s has step %lld; it must be positive", where,
                               (long long)step);
}

//: pkg_next
/* The next value of a loop; one that no integer of 64 bits holds is not below any limit. */
static int64_t pkg_next(int64_t value, int64_t step, int64_t upper)
{
    return value > INT64_MAX - step ? upper : value + step;
}
