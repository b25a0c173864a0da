// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nonsense into every model: a prediction is an error, or a time that is finite and above zero.
//
//   attacks [CASES [SEED]]    of each model
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string_view>
#include <vector>

#include <warpgauge/by_name.hpp>
#include <warpgauge/kernel/parameters.hpp>

#include "random_numbers.hpp"

namespace {

using namespace warpgauge;

using limits = std::numeric_limits<double>;
constexpr double nonsense[]{limits::quiet_NaN(),
                            limits::infinity(),
                            -limits::infinity(),
                            -1,
                            0,
                            -0.0,
                            limits::denorm_min(),
                            limits::min(),
                            1e-300,
                            1e-170,
                            1e-30,
                            0.5,
                            1,
                            3,
                            32,
                            1024,
                            2147483648.0,
                            9007199254740992.0,
                            1e18,
                            1e100,
                            1e154,
                            1e200,
                            1e300,
                            limits::max()};

double bad_number(random_numbers& random) {
    constexpr int known = static_cast<int>(std::size(nonsense));
    const int which = random.whole(0, known + 5);
    return which < known ? nonsense[which] : random.real(1e-3, 1e12);
}

bool one_in(random_numbers& random, int n) {
    return random.whole(1, n) == 1;
}

/// One parameter of a group of the device, replaced without a check.
template <template <class> class... Groups>
void spoil(any_device& device, random_numbers& random, group_list<Groups...>) {
    int left = random.whole(0, static_cast<int>(device_parameter_count) - 1);
    const double value = bad_number(random);
    const auto of_group = [&]<template <class> class Group>(std::type_identity<Group<double>>) {
        if (!device.knows(Group<double>::which)) return;
        Group<double> values = device.as<Group>();
        bool changed = false;
        auto replace = [&](device_parameter, double& x) {
            if (left-- != 0) return;
            x = value;
            changed = true;
        };
        Group<double>::for_each(values, replace);
        if (changed) device.complete<Group>(values);
    };
    (of_group(std::type_identity<Groups<double>>{}), ...);
}

void spoil(kernel_profile<>& k, random_numbers& random) {
    int count = 0;
    for_each_possible_parameter(k, [&](std::string_view, double&) { ++count; });
    int left = random.whole(0, count - 1);
    const double value = bad_number(random);
    for_each_possible_parameter(k, [&](std::string_view, double& x) {
        if (left-- == 0) x = value;
    });
    if (one_in(random, 20)) k.stencil.dimensions = random.whole(-2, 6);
}

/// A profile with something of all that models read.
kernel_profile<> sensible(random_numbers& random) {
    kernel_profile<> k{.blocks = std::floor(random.real(1, 1e5)),
                       .threads_per_block = 32.0 * random.whole(1, 16),
                       .registers_per_thread = std::floor(random.real(8, 64)),
                       .comp_insts = random.real(1, 1e4),
                       .coalesced_mem_insts = random.real(1, 1e3)};
    k.stencil = {.dimensions = random.whole(0, 3),
                 .data_length = {1024, 1024, 512},
                 .halo_width = {2, 2, 2},
                 .block_length = 16,
                 .elements_per_op = 5,
                 .profiled_elements = 1e6,
                 .misc_insts_per_sm = 1e4,
                 .iter_insts_per_sm = 1e5};
    if (one_in(random, 2)) {
        k.ops = {.fp32_ops = random.real(1, 1e5), .integer_ops = random.real(1, 1e5)};
        k.accesses = {.load_sectors = random.real(1, 1e4), .lines = random.real(1, 1e3)};
        k.waits = {.dram_waits = random.real(1, 100)};
        k.traffic = {.footprint_bytes = random.real(1, 1e10)};
    }
    return k;
}

/// Half of them as a kernel could have; of the others any member may be anything.
std::vector<instruction> stream(random_numbers& random) {
    std::vector<instruction> all(static_cast<std::size_t>(random.whole(0, 12)));
    if (one_in(random, 2)) {
        for (instruction& i : all) {
            constexpr unit_kind units[]{unit_kind::integer, unit_kind::single_precision,
                                        unit_kind::special_function, unit_kind::global_memory};
            i.unit = units[random.whole(0, 3)];
            i.op = i.unit == unit_kind::global_memory ? operation::other : operation::add;
        }
        return all;
    }
    const auto any = [&](int high, int rarely) {
        return one_in(random, 40) ? random.whole(0, rarely) : random.whole(0, high);
    };
    for (instruction& i : all) {
        i.unit = static_cast<unit_kind>(any(11, 255));
        i.op = static_cast<operation>(any(11, 255));
        i.second = static_cast<operand>(any(1, 255));
        i.transactions = static_cast<std::uint16_t>(any(1, 65535));
        i.bytes = static_cast<std::uint8_t>(any(8, 255));
        if (one_in(random, 20)) {
            i.async = static_cast<async_step>(any(9, 255));
            if (one_in(random, 3)) i.sharing_warps = static_cast<std::uint16_t>(any(9, 65535));
            i.groups_left = static_cast<std::uint8_t>(any(2, 255));
        }
        if (one_in(random, 3)) i.needs[0] = random.whole(-3, one_in(random, 20) ? 100 : 1);
        if (i.unit != unit_kind::loop) continue;
        i.loop_length = static_cast<std::uint32_t>(random.whole(0, 4));
        i.loop_count =
            one_in(random, 10) ? 0xffff'ffffU : static_cast<std::uint32_t>(random.whole(0, 20));
    }
    return all;
}

bool holds(const prediction& p) {
    return p.seconds > 0 && p.cycles > 0 && std::isfinite(p.seconds) && std::isfinite(p.cycles);
}

/// The devices that have what the model needs, whatever the kernel.
std::vector<any_device> devices_of(std::string_view model, const std::vector<any_device>& all) {
    std::vector<any_device> found;
    for (const any_device& d : all) {
        const auto nothing = [](const auto&) { return model_error{}; };
        if (!visit_model(model, d, nothing)) found.push_back(d);
    }
    return found;
}

struct tally {
    int times{}, errors{};
};

/// False, with the case printed, where a prediction is neither an error nor a time.
bool attack(std::string_view model, const std::vector<any_device>& devices, int cases,
            unsigned seed, tally& to) {
    for (int n = 0; n < cases; ++n) {
        random_numbers random(seed + static_cast<unsigned>(n));
        any_device device = devices[static_cast<std::size_t>(
            random.whole(0, static_cast<int>(devices.size()) - 1))];
        kernel_profile<> k = sensible(random);
        const std::vector<instruction> instructions = stream(random);
        k.instructions = instructions;
        for (int i = random.whole(0, 2); i > 0; --i) spoil(device, random, all_groups{});
        for (int i = random.whole(0, 3); i > 0; --i) spoil(k, random);
        const auto p = predict(model, device, k);
        (p ? to.times : to.errors) += 1;
        if (p ? holds(*p) : static_cast<bool>(p.error())) continue;
        std::cout << model << " on " << device.name() << ", seed "
                  << seed + static_cast<unsigned>(n) << ": ";
        if (p) {
            std::cout << p->seconds << " s, " << p->cycles << " cycles\n";
        } else {
            std::cout << "an error without a reason\n";
        }
        return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const int cases = argc > 1 ? std::atoi(argv[1]) : 100'000;
    const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    std::vector<any_device> all;
    for_each_device_name([&](std::string_view name) { all.push_back(*find_device(name)); });
    bool good = true;
    std::cout << "model, cases, times, errors; seeds from " << seed << '\n';
    for (const std::string_view model : model_names) {
        const std::vector<any_device> devices = devices_of(model, all);
        tally count;
        good = !devices.empty() && attack(model, devices, cases, seed, count) && good;
        std::cout << model << ", " << cases << ", " << count.times << ", " << count.errors << '\n';
    }
    return good ? 0 : 1;
}
