// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <utility>

#include <warpgauge/ptx.hpp>

using namespace warpgauge;

/// The module views the text, so neither moves.
struct warpgauge_ptx {
    std::string text{};
    ptx::module module{};
    std::vector<std::string> kernels{};
};

namespace {

ptx::extent extent_of(const uint32_t (&sides)[3]) {
    return {sides[0], sides[1], sides[2]};
}

result<std::vector<ptx::argument>> arguments_of(const warpgauge_launch& l) {
    std::vector<ptx::argument> arguments(l.argument_count);
    for (std::size_t n = 0; n < l.argument_count; ++n) {
        const warpgauge_argument& given = l.arguments[n];
        switch (given.kind) {
            case WARPGAUGE_NOT_GIVEN: break;
            case WARPGAUGE_INTEGER: arguments[n] = ptx::argument(given.value); break;
            case WARPGAUGE_UNKNOWN: arguments[n] = ptx::argument::unknown(); break;
            default:
                return model_error{errc::not_an_enumerator, "arguments",
                                   static_cast<std::uint32_t>(n + 1)};
        }
    }
    return arguments;
}

int trace(const warpgauge_ptx& text, const warpgauge_launch& l, const warpgauge_device* device,
          warpgauge_profile** profile, warpgauge_error* error) {
    const auto kernel = ptx::find_kernel(text.module, l.kernel == nullptr ? "" : l.kernel);
    if (!kernel) {
        return c::report(error, kernel.error(), message(kernel.error(), text.module).c_str());
    }
    const auto arguments = arguments_of(l);
    if (!arguments) return c::report(error, arguments.error());
    ptx::stopped_loop stopped;
    ptx::trace_options options{.stopped = &stopped};
    if (device != nullptr) options.capability = device->value.capability();
    if (l.max_steps != 0) options.max_steps = l.max_steps;
    const ptx::launch launch{extent_of(l.grid), extent_of(l.block), l.dynamic_shared_bytes};
    auto traced = ptx::trace(*kernel, launch, *arguments, options);
    if (!traced) {
        const auto words = message(traced.error(), *kernel, launch, options);
        return c::report(error, traced.error(), words.view());
    }
    auto made = std::make_unique<warpgauge_profile>();
    made->value = traced->profile();
    made->value.name = {};  // a view of the text
    made->stream = std::make_shared<const std::vector<instruction>>(std::move(traced->stream));
    made->value.instructions = *made->stream;
    *profile = made.release();
    return c::report(error, {});
}

}  // namespace

int warpgauge_ptx_open(const char* text, size_t length, warpgauge_ptx** ptx,
                       warpgauge_error* error) {
    static constexpr char not_needed = 0;
    return c::guarded(error, {{length > 0 ? text : &not_needed, "text"}, {ptx, "ptx"}}, [&] {
        auto made = std::make_unique<warpgauge_ptx>();
        if (length > 0) made->text.assign(text, length);
        auto parsed = ptx::parse(made->text);
        if (!parsed) return c::report(error, parsed.error());
        made->module = std::move(*parsed);
        for (const ptx::function& f : made->module.functions) {
            if (f.is_kernel && f.has_body) made->kernels.emplace_back(f.name);
        }
        *ptx = made.release();
        return c::report(error, {});
    });
}

void warpgauge_ptx_close(warpgauge_ptx* ptx) {
    delete ptx;
}

const char* warpgauge_ptx_kernel(const warpgauge_ptx* ptx, size_t index) {
    return ptx == nullptr || index >= ptx->kernels.size() ? nullptr : ptx->kernels[index].c_str();
}

int warpgauge_ptx_trace(const warpgauge_ptx* ptx, const warpgauge_launch* launch,
                        const warpgauge_device* device, warpgauge_profile** profile,
                        warpgauge_error* error) {
    const bool some = launch != nullptr && launch->argument_count > 0;
    static constexpr char not_needed = 0;
    return c::guarded(
        error,
        {{ptx, "ptx"},
         {launch, "launch"},
         {some ? static_cast<const void*>(launch->arguments) : &not_needed, "arguments"},
         {profile, "profile"}},
        [&] { return trace(*ptx, *launch, device, profile, error); });
}
