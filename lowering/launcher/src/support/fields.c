/*
 * Fields as arguments: what is refused, what is used in place, what is copied.
 *
 * A line that begins with "//: " names the piece below it; a launcher contains the pieces that it
 * uses. "pkg_" is replaced by the prefix of the package.
 */

//: pkg_shape
typedef struct pkg_shape {
    int rank;
    /* Whether what a run leaves there is of any use to the caller. */
    int is_result;
    size_t element_bytes;
    size_t bytes;
    int64_t extents[PKG_RANK_MAX];
} pkg_shape;

//: pkg_binding
/* A field of a run: what the caller gave, and where its cells are for the kernels. */
typedef struct pkg_binding {
    const char *name;
    const pkg_shape *shape;
    const pkg_field *given;
    /* Index of the handle's memory for a dense copy. */
    int memory;
    /* Bytes from the first cell to the end of the last. */
    uint64_t span;
    /* The caller's memory, or the copy. */
    CUdeviceptr address;
    int is_copied;
} pkg_binding;

//: pkg_given_address
static CUdeviceptr pkg_given_address(const pkg_binding *field)
{
    return (CUdeviceptr)(uintptr_t)field->given->data;
}

//: pkg_check_strides
/* Checks the strides of one field; computes its span and whether it is dense. */
static int pkg_check_strides(pkg_handle *handle, pkg_binding *field, int *is_dense)
{
    const pkg_shape *shape = field->shape;
    const int64_t *strides = field->given->strides;
    int64_t dense = (int64_t)shape->element_bytes;
    int64_t span = dense;
    int d, other;
    *is_dense = 1;
    for (d = shape->rank - 1; d >= 0; d--) {
        const int64_t extent = shape->extents[d];
        int64_t reach = (int64_t)shape->element_bytes;
        if (extent > 1 && d == shape->rank - 1 && strides[d] != dense) {
            return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                            "%s has a stride of %lld bytes in its last dimension; the cells must "
                            "be adjacent there, %lld bytes apart", field->name,
                            (long long)strides[d], (long long)dense);
        }
        for (other = 0; other < shape->rank && extent > 1; other++) {
            const int is_inner = strides[other] < strides[d]
                                 || (strides[other] == strides[d] && other > d);
            if (other != d && shape->extents[other] > 1 && is_inner && strides[other] > 0
                && strides[other] <= (INT64_MAX - reach) / shape->extents[other]) {
                reach += (shape->extents[other] - 1) * strides[other];
            }
        }
        if (extent > 1 && strides[d] < reach) {
            return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                            "%s has a stride of %lld bytes in dimension %d; its cells overlap "
                            "each other unless it is %lld or more", field->name,
                            (long long)strides[d], d, (long long)reach);
        }
        if (extent > 1 && strides[d] > (INT64_MAX - span) / (extent - 1)) {
            return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                            "%s has a stride of %lld bytes in dimension %d; it is larger than any "
                            "memory", field->name, (long long)strides[d], d);
        }
        *is_dense = *is_dense && (extent == 1 || strides[d] == dense);
        span += extent > 1 ? (extent - 1) * strides[d] : 0;
        dense *= extent;
    }
    field->span = (uint64_t)span;
    return PKG_OK;
}

//: pkg_check_count
/* Refuses a number of time steps below zero: the run would do nothing. */
static int pkg_check_count(pkg_handle *handle, const char *name, int64_t count, int64_t least)
{
    if (count < least) {
        return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                        "%s is %lld, and the time loop would make no step; a number of time steps "
                        "is not negative", name, (long long)count);
    }
    return PKG_OK;
}

//: pkg_steps
/* The time steps of a loop whose step is positive. */
static uint64_t pkg_steps(int64_t lower, int64_t upper, int64_t step)
{
    const uint64_t distance = upper > lower ? (uint64_t)upper - (uint64_t)lower : 0u;
    return distance == 0u ? 0u : ((distance - 1u) / (uint64_t)step + 1u) * (uint64_t)step;
}

//: pkg_check_limit
/* Refuses time steps for which a table has no values: it has some from `first` to `last`. */
static int pkg_check_limit(pkg_handle *handle, const char *table, int64_t first, int64_t last,
                           int64_t start, uint64_t steps, uint64_t step)
{
    const uint64_t iterations =
        last < start ? 0u : ((uint64_t)last - (uint64_t)start) / step + 1u;
    if (steps > 0u && start < first) {
        return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                        "%s has values from time step %lld on, and the time loop starts at %lld; "
                        "start later, or give it more cells and its access in the program a wider "
                        "range", table, (long long)first, (long long)start);
    }
    if (iterations < steps / step) {
        return pkg_fail(handle, PKG_ERROR_ARGUMENT,
                        "%s has values for %llu time steps from %lld on, and %llu would be made; "
                        "make fewer, or give it more cells and its access in the program a wider "
                        "range", table, (unsigned long long)(iterations * step), (long long)start,
                        (unsigned long long)steps);
    }
    return PKG_OK;
}

//: pkg_check_field
/* Checks one field, and decides whether kernels can work in its memory. */
static int pkg_check_field(pkg_handle *handle, pkg_binding *field)
{
    int is_dense = 1, code = PKG_OK;
    if (field->given == NULL || field->given->data == NULL) {
        return pkg_fail(handle, PKG_ERROR_ARGUMENT, "%s is a null pointer", field->name);
    }
    field->span = field->shape->bytes;
    if (field->given->strides != NULL) {
        code = pkg_check_strides(handle, field, &is_dense);
    }
    field->address = pkg_given_address(field);
    /* Kernels load several cells at once, aligned as memory from an allocation is. */
    field->is_copied = !is_dense || field->address % PKG_ALIGNMENT != 0;
    if (code == PKG_OK && field->span > UINT64_MAX - field->address) {
        return pkg_fail(handle, PKG_ERROR_ARGUMENT, "%s ends beyond the address space",
                        field->name);
    }
    return code;
}

//: pkg_check_overlap
static int pkg_check_overlap(pkg_handle *handle, const pkg_binding *fields, int count)
{
    int one, two;
    for (one = 0; one < count; one++) {
        for (two = one + 1; two < count; two++) {
            const CUdeviceptr left = fields[one].address, right = fields[two].address;
            if (left < right + fields[two].span && right < left + fields[one].span) {
                return pkg_fail(handle, PKG_ERROR_OVERLAP,
                                "%s and %s are in overlapping memory; each field needs its own",
                                fields[one].name, fields[two].name);
            }
        }
    }
    return PKG_OK;
}

//: pkg_reserve
/*
 * Makes the memory of a run that the handle does not have yet: temporary buffers, numbered from
 * `first`, and copies of fields. Free memory is asked for before the first allocation.
 */
static int pkg_reserve(pkg_handle *handle, const pkg_binding *fields, int count, int first,
                       int temporaries)
{
    unsigned char wanted[PKG_MEMORY_COUNT + 1] = {0};
    size_t free_bytes = 0, total_bytes = 0;
    uint64_t needed = 0;
    CUresult result;
    int index;
    for (index = 0; index < temporaries; index++) {
        wanted[first + index] = 1;
    }
    for (index = 0; index < count; index++) {
        wanted[fields[index].memory] |= (unsigned char)(fields[index].is_copied != 0);
    }
    for (index = 0; index < PKG_MEMORY_COUNT; index++) {
        wanted[index] &= (unsigned char)(handle->memory[index] == 0);
        needed += wanted[index] ? pkg_memory_bytes[index] : 0;
    }
    if (needed == 0) {
        return PKG_OK;
    }
    result = cuMemGetInfo(&free_bytes, &total_bytes);
    if (result != CUDA_SUCCESS) {
        return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "querying free memory");
    }
    if (needed > free_bytes) {
        return pkg_fail(handle, PKG_ERROR_MEMORY,
                        "the program needs %llu bytes of device memory, %llu bytes are free",
                        (unsigned long long)needed, (unsigned long long)free_bytes);
    }
    for (index = 0; index < PKG_MEMORY_COUNT; index++) {
        if (wanted[index]) {
            result = cuMemAlloc(&handle->memory[index], (size_t)pkg_memory_bytes[index]);
            if (result != CUDA_SUCCESS) {
                handle->memory[index] = 0;
                return pkg_driver_error(handle, PKG_ERROR_MEMORY, result,
                                        "allocating device memory");
            }
        }
    }
    return PKG_OK;
}

//: pkg_copy_rows
/* Copies `rows` runs of `width` bytes; `pitch` is the caller's, the copy is dense. */
static CUresult pkg_copy_rows(CUdeviceptr dense, CUdeviceptr given, uint64_t width, uint64_t rows,
                              uint64_t pitch, int back, CUstream stream)
{
    CUDA_MEMCPY2D copy;
    if (rows == 1) {
        return back ? cuMemcpyDtoDAsync(given, dense, (size_t)width, stream)
                    : cuMemcpyDtoDAsync(dense, given, (size_t)width, stream);
    }
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = back ? dense : given;
    copy.srcPitch = (size_t)(back ? width : pitch);
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = back ? given : dense;
    copy.dstPitch = (size_t)(back ? pitch : width);
    copy.WidthInBytes = (size_t)width;
    copy.Height = (size_t)rows;
    return cuMemcpy2DAsync(&copy, stream);
}

//: pkg_copy_cells
/*
 * Copies all cells of a field to its dense copy, or back. Dimensions that lie dense in the
 * caller's memory become one run of bytes, the next one the rows of a copy in two dimensions;
 * what is left are loops.
 */
static int pkg_copy_cells(pkg_handle *handle, const pkg_binding *field, int back, CUstream stream)
{
    const pkg_shape *shape = field->shape;
    const int64_t *strides = field->given->strides;
    uint64_t extents[PKG_RANK_MAX + 1], pitches[PKG_RANK_MAX + 1], index[PKG_RANK_MAX + 1] = {0};
    uint64_t width = strides != NULL ? shape->element_bytes : shape->bytes, offset = 0, done;
    int outer = 0, rows = 0, d;
    for (d = shape->rank - 1; d >= 0 && strides != NULL; d--) {
        const uint64_t extent = (uint64_t)shape->extents[d], pitch = (uint64_t)strides[d];
        if (extent == 1) {
            continue;
        }
        if (outer == 0 && pitch == width) {
            width *= extent;
        } else if (outer > 0 && pitch == pitches[outer - 1] * extents[outer - 1]) {
            extents[outer - 1] *= extent;
        } else {
            extents[outer] = extent;
            pitches[outer] = pitch;
            outer++;
        }
    }
    /* The driver takes pitches of 31 bits. */
    rows = outer > 0 && pitches[0] <= INT32_MAX && width <= INT32_MAX;
    for (done = 0; done < shape->bytes; done += width * (rows ? extents[0] : 1)) {
        const CUresult result =
            pkg_copy_rows(field->address + done, pkg_given_address(field) + offset, width,
                          rows ? extents[0] : 1, rows ? pitches[0] : width, back, stream);
        if (result != CUDA_SUCCESS) {
            return pkg_driver_error(handle, PKG_ERROR_DRIVER, result, "copying a field");
        }
        for (d = rows; d < outer; d++) {
            offset += pitches[d];
            index[d]++;
            if (index[d] < extents[d]) {
                break;
            }
            offset -= pitches[d] * extents[d];
            index[d] = 0;
        }
    }
    return PKG_OK;
}

//: pkg_begin
/* Checks the fields of a run, makes its memory, copies the fields that are not used in place. */
static int pkg_begin(pkg_handle *handle, pkg_binding *fields, int count, int first,
                     int temporaries, CUstream stream)
{
    int index, code = PKG_OK;
    for (index = 0; index < count && code == PKG_OK; index++) {
        code = pkg_check_field(handle, &fields[index]);
    }
    if (code == PKG_OK) {
        code = pkg_check_overlap(handle, fields, count);
    }
    if (code == PKG_OK) {
        code = pkg_reserve(handle, fields, count, first, temporaries);
    }
    for (index = 0; index < count && code == PKG_OK; index++) {
        if (fields[index].is_copied) {
            fields[index].address = handle->memory[fields[index].memory];
            code = pkg_copy_cells(handle, &fields[index], 0, stream);
        }
    }
    return code;
}

//: pkg_end
/* Copies the results back that were not made in place. */
static int pkg_end(pkg_handle *handle, const pkg_binding *fields, int count, CUstream stream)
{
    int index, code = PKG_OK;
    for (index = 0; index < count && code == PKG_OK; index++) {
        if (fields[index].is_copied && fields[index].shape->is_result) {
            code = pkg_copy_cells(handle, &fields[index], 1, stream);
        }
    }
    return code;
}
