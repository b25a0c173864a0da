// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "kernel.hpp"

namespace program {

namespace ptx = warpgauge::ptx;

answer kernels(const request& r) {
    if (r.launch.file.empty()) fail_usage("FILE is needed: PTX, or CUDA source");
    kernel_texts texts;
    const auto m = ptx::parse(texts.of(r.launch).ptx);
    if (!m) fail_in(r.launch.file, m.error());
    answer a{.rows_key = "kernels",
             .columns = {{"kernel", "kernel"},
                         {"place", "place"},
                         {"type", "type"},
                         {"parameter", "parameter"},
                         {"needs a value", "needs_value"}}};
    for (const ptx::function& f : m->functions) {
        if (!f.is_kernel || !f.has_body) continue;
        const auto all = m->parameters(f);
        const auto kernel = ptx::find_kernel(*m, f.name);
        const std::vector<bool> needed =
            kernel ? needed_values(*kernel) : std::vector<bool>(all.size());
        if (all.empty()) a.rows.push_back({text_cell(f.name), {}, {}, {}, {}});
        for (std::size_t place = 0; place < all.size(); ++place) {
            a.rows.push_back({text_cell(f.name),
                              number_cell(static_cast<double>(place)),
                              text_cell(all[place].type),
                              text_cell(all[place].name),
                              {needed[place] ? "yes" : "", bool{needed[place]}}});
        }
    }
    if (a.rows.empty()) fail_model(r.launch.file + ": has no kernel");
    return a;
}

}  // namespace program
