/*
 * libstencil for C++11: handles that free themselves, and errors as exceptions.
 *
 *     stencil::Package package = stencil::Package::read("heat.spk");
 *     stencil::Module module(package);
 *     module.run("heat", {u, v, stencil_bits(STENCIL_INDEX, steps), stencil_f64(k)}, stream);
 *     module.synchronize(stream);
 *
 * An array is a stencil_array, which must live during the call; `device` and `host` make one.
 */
#ifndef STENCIL_HPP
#define STENCIL_HPP

#include "stencil.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stencil {

/* What is wrong, by whom it belongs to. */
class Error : public std::runtime_error {
public:
    Error(stencil_status code, const char *message) : std::runtime_error(message), status(code) {}

    stencil_status status;
};

/* Throws unless it is done. */
inline void check(stencil_status status)
{
    if (status != STENCIL_OK) {
        throw Error(status, stencil_last_error());
    }
}

/* An array on the device; without strides there is no padding. */
inline stencil_array device(void *data, const std::vector<int64_t> *strides = nullptr)
{
    stencil_array array = {};
    array.data = data;
    array.strides = strides != nullptr ? strides->data() : nullptr;
    array.rank = strides != nullptr ? static_cast<uint32_t>(strides->size()) : 0;
    return array;
}

/* An array on the host. */
inline stencil_array host(void *data, const std::vector<int64_t> *strides = nullptr)
{
    stencil_array array = device(data, strides);
    array.flags = STENCIL_ON_HOST;
    return array;
}

/* A kernel package. */
class Package {
public:
    static Package read(const std::string &path)
    {
        stencil_package *handle = nullptr;
        check(stencil_package_read(path.c_str(), &handle));
        return Package(handle);
    }

    static Package from_memory(const void *bytes, size_t byte_count)
    {
        stencil_package *handle = nullptr;
        check(stencil_package_from_memory(bytes, byte_count, &handle));
        return Package(handle);
    }

    /* The place of a function; without a name that of the only one. */
    size_t find(const char *name = nullptr) const
    {
        size_t index = 0;
        check(stencil_package_find(get(), name, &index));
        return index;
    }

    /* What it holds, as JSON. */
    const char *report() const { return stencil_package_report(get()); }

    stencil_package *get() const { return handle_.get(); }

private:
    explicit Package(stencil_package *handle) : handle_(handle, stencil_package_free) {}

    std::shared_ptr<stencil_package> handle_;
};

/* The kernels of a package in a CUDA context, or on several devices. */
class Module {
public:
    explicit Module(const Package &package, int32_t device = STENCIL_CURRENT_CONTEXT)
        : package_(package)
    {
        stencil_module *handle = nullptr;
        check(stencil_module_load(package.get(), device, &handle));
        handle_.reset(handle, stencil_module_free);
    }

    /* On several devices that share the domain; none means the first ones. Runs then take arrays on
       the host, and no stream. */
    Module(const Package &package, const std::vector<size_t> &devices) : package_(package)
    {
        stencil_module *handle = nullptr;
        check(stencil_module_load_shared(package.get(), devices.empty() ? nullptr : devices.data(),
                                         devices.size(), &handle));
        handle_.reset(handle, stencil_module_free);
    }

    /* Runs a function on a stream, which is the driver's or the runtime's. */
    void run(size_t function, const std::vector<stencil_value> &values,
             CUstream_st *stream = nullptr) const
    {
        check(stencil_run(get(), function, values.data(), values.size(), stream));
    }

    /* The same of a literal, which 0 is of a pointer, too. */
    void run(int function, const std::vector<stencil_value> &values,
             CUstream_st *stream = nullptr) const
    {
        run(static_cast<size_t>(function), values, stream);
    }

    void run(const char *function, const std::vector<stencil_value> &values,
             CUstream_st *stream = nullptr) const
    {
        run(package_.find(function), values, stream);
    }

    /* Waits for a stream; a kernel that failed is named. */
    void synchronize(CUstream_st *stream = nullptr) const
    {
        check(stencil_synchronize(get(), stream));
    }

    /* Has every launch waited for, so that an error names one kernel. */
    void set_synchronous(bool synchronous) const
    {
        stencil_set_synchronous(get(), synchronous ? 1 : 0);
    }

    /* Seconds of some runs, each on what the run before left behind. */
    std::vector<double> time(size_t function, const std::vector<stencil_value> &values,
                             uint32_t repeat, uint32_t warm_up = 1,
                             CUstream_st *stream = nullptr) const
    {
        std::vector<double> seconds(repeat);
        check(stencil_time(get(), function, values.data(), values.size(), stream, warm_up, repeat,
                           seconds.data()));
        return seconds;
    }

    stencil_module *get() const { return handle_.get(); }

private:
    Package package_;
    std::shared_ptr<stencil_module> handle_;
};

}  // namespace stencil

#endif
