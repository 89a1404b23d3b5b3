// What a test says to the driver of driver.c, and asks it.
#ifndef DRIVER_H
#define DRIVER_H

#include <stddef.h>

/* A field with these strides, or with none. */
#define FIELD(data, strides) {data, NULL, strides, 0, 0, 0}

struct driver_kernel {
    const char *name;
    const char *parameters;
};

/* Defined by the test. */
extern const struct driver_kernel driver_kernels[];
extern void (*driver_on_launch)(const char *kernel, void **parameters);
extern int driver_log_copies;

extern size_t driver_free_bytes;
extern int driver_loaded_cubin;

/* Has the context fail with an illegal access when this many launches have been made. */
void driver_fault_after(int launches);
void driver_forget_buffers(void);
int driver_live_buffers(void);

#endif
