// The same function through the classes of C++: handles free themselves, errors are exceptions.
#include <stencil.hpp>

#include <cstdio>

int main(int count, char **arguments)
{
    std::vector<float> u(70, 1.0f), v(70, 0.0f);
    try {
        const stencil::Package package = stencil::Package::read(arguments[count - 1]);
        const stencil::Module module(package, 0);
        const stencil_array first = stencil::host(u.data()), second = stencil::host(v.data());
        const std::vector<stencil_value> values = {stencil_field(&first), stencil_field(&second),
                                                   stencil_bits(STENCIL_INDEX, 1),
                                                   stencil_f32(0.25f)};
        module.run("heat", values);
        module.synchronize();
        std::printf("%g at the top, %g below\n", static_cast<double>(v[0]),
                    static_cast<double>(v[7]));
        std::printf("%d times\n", static_cast<int>(module.time(0, values, 3).size()));
        module.run("cold", values);
    } catch (const stencil::Error &error) {
        std::printf("%d: %s\n", static_cast<int>(error.status), error.what());
    }
    return 0;
}
