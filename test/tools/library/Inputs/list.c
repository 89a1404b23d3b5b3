/*
 * Uses a package through libstencil: lists it, runs its function on arrays of the host and of the
 * device, and provokes every kind of error.
 *
 *     list PACKAGE.spk
 */
#include <stencil.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, COLUMNS = 7, CELLS = ROWS * COLUMNS };

static void expect(stencil_status status, const char *what)
{
    if (status != STENCIL_OK) {
        printf("%s: %d: %s\n", what, (int)status, stencil_last_error());
        exit(1);
    }
}

static void show(const char *what, stencil_status status)
{
    printf("%s: %d: %s\n", what, (int)status, stencil_last_error());
}

static void list(const stencil_package *package)
{
    size_t index, position;
    for (index = 0; index < stencil_package_function_count(package); index++) {
        stencil_function function;
        expect(stencil_package_function(package, index, &function), "function");
        printf("function %s\n%s", function.name, function.signature);
        for (position = 0; position < function.argument_count; position++) {
            stencil_argument argument;
            int64_t lower[8], upper[8];
            size_t dimension;
            expect(stencil_package_argument(package, index, position, &argument), "argument");
            printf("%s: type %u, field %d, written %d, scratch %d,", argument.description,
                   (unsigned)argument.value_type, argument.is_field, argument.is_written,
                   argument.is_scratch);
            if (argument.is_field) {
                expect(stencil_package_shape(package, index, position, NULL, 0, lower, upper),
                       "shape");
            }
            for (dimension = 0; dimension < argument.rank; dimension++) {
                printf(" [%d,%d]", (int)lower[dimension], (int)upper[dimension]);
            }
            printf("%s%s\n", argument.symbol ? " symbol " : "",
                   argument.symbol ? argument.symbol : "");
        }
    }
}

static stencil_array on_host(void *data, const int64_t *strides)
{
    const stencil_array array = {data, NULL, strides, 0, STENCIL_F32, STENCIL_ON_HOST};
    return array;
}

/* Three steps on dense arrays and on every second cell of larger ones give the same cells. */
static void run(const stencil_package *package, stencil_module *module)
{
    static float u[CELLS], v[CELLS], spread_u[4 * CELLS], spread_v[4 * CELLS];
    const int64_t strides[2] = {4 * COLUMNS * sizeof(float), 2 * sizeof(float)};
    const stencil_array dense[2] = {on_host(u, NULL), on_host(v, NULL)};
    const stencil_array wide[2] = {on_host(spread_u, strides), on_host(spread_v, strides)};
    const stencil_value last[2] = {stencil_bits(STENCIL_INDEX, 3), stencil_f32(0.25f)};
    stencil_value values[4];
    double seconds[2] = {0, 0};
    size_t index;
    int cell, differences = 0;
    expect(stencil_fill_random(7, 0, STENCIL_F32, CELLS, u), "fill");
    for (cell = 0; cell < 4 * CELLS; cell++) {
        spread_u[cell] = spread_v[cell] = -77;
    }
    for (cell = 0; cell < CELLS; cell++) {
        v[cell] = 0;
        spread_u[cell / COLUMNS * 4 * COLUMNS + cell % COLUMNS * 2] = u[cell];
        spread_v[cell / COLUMNS * 4 * COLUMNS + cell % COLUMNS * 2] = 0;
    }
    expect(stencil_package_find(package, "heat", &index), "find");
    memcpy(values + 2, last, sizeof last);
    values[0] = stencil_field(&dense[0]);
    values[1] = stencil_field(&dense[1]);
    expect(stencil_run(module, index, values, 4, NULL), "run");
    values[0] = stencil_field(&wide[0]);
    values[1] = stencil_field(&wide[1]);
    expect(stencil_run(module, index, values, 4, NULL), "run");
    for (cell = 0; cell < 4 * CELLS; cell++) {
        const int row = cell / (4 * COLUMNS), column = cell % (4 * COLUMNS);
        const int inside = column < 2 * COLUMNS && column % 2 == 0;
        const float expected = inside ? v[row * COLUMNS + column / 2] : -77;
        differences += memcmp(&spread_v[cell], &expected, sizeof expected) != 0;
    }
    printf("%d cells differ, the middle is %.6f\n", differences, v[CELLS / 2]);
    expect(stencil_time(module, index, values, 4, NULL, 1, 2, seconds), "time");
    printf("%s\n", seconds[0] > 0 && seconds[1] > 0 ? "timed" : "not timed");
    printf("%s\n", stencil_module_report(module));
    expect(stencil_synchronize(module, NULL), "synchronize");
}

static void fail(const stencil_package *package, stencil_module *module)
{
    float cells[CELLS];
    const stencil_array array = on_host(cells, NULL);
    const int64_t extents[2] = {COLUMNS, ROWS};
    stencil_array turned = array, null = array, doubles = array;
    stencil_value values[4] = {{NULL, 0, 0}};
    stencil_package *none = NULL;
    stencil_module *other = NULL;
    turned.extents = extents;
    null.data = NULL;
    doubles.cell_type = STENCIL_F64;
    values[0] = values[1] = stencil_field(&array);
    values[2] = stencil_bits(STENCIL_INDEX, 3);
    values[3] = stencil_f32(0.25f);
    show("overlap", stencil_run(module, 0, values, 4, NULL));
    show("count", stencil_run(module, 0, values, 3, NULL));
    show("function", stencil_run(module, 9, values, 4, NULL));
    values[0] = stencil_field(&turned);
    show("shape", stencil_check(package, 0, values, 4));
    values[0] = stencil_field(&null);
    show("null", stencil_run(module, 0, values, 4, NULL));
    values[0] = stencil_field(NULL);
    show("no array", stencil_run(module, 0, values, 4, NULL));
    values[0] = stencil_field(&doubles);
    show("cells", stencil_run(module, 0, values, 4, NULL));
    values[0] = stencil_bits(11, 0);
    show("type", stencil_run(module, 0, values, 4, NULL));
    values[0] = stencil_field(&array);
    values[1] = stencil_f32(1);
    show("number", stencil_run(module, 0, values, 4, NULL));
    values[1] = stencil_field(&array);
    values[2] = stencil_bits(STENCIL_INDEX, (uint64_t)-1);
    show("steps", stencil_check(package, 0, values, 4));
    show("module", stencil_run(NULL, 0, values, 4, NULL));
    show("place", stencil_package_read("no.spk", NULL));
    show("file", stencil_package_read("no.spk", &none));
    show("bytes", stencil_package_from_memory("no package", 10, &none));
    show("device", stencil_module_load(package, 9, &other));
    printf("%s\n", none == NULL && other == NULL ? "no handles" : "handles");
}

int main(int count, char **arguments)
{
    stencil_package *package;
    stencil_module *module;
    stencil_verified verified;
    stencil_value numbers[4] = {{NULL, 0, 0}};
    const char *report;
    numbers[2] = stencil_bits(STENCIL_INDEX, 2);
    numbers[3] = stencil_f32(0.5f);
    expect(stencil_package_read(arguments[count - 1], &package), "read");
    report = stencil_package_report(package);
    printf("%.24s\n", report);
    list(package);
    expect(stencil_module_load(package, 0, &module), "load");
    run(package, module);
    fail(package, module);
    stencil_module_free(module);
    expect(stencil_verify(package, 0, numbers, 4, 1, 0, &verified), "verify");
    printf("verified %d fields\n", (int)verified.fields);
    expect(stencil_selftest(package, 0, &verified), "selftest");
    printf("self-test of %d runs\n", (int)verified.runs);
    stencil_package_free(package);
    return 0;
}
