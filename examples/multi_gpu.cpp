// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program on several GPUs of several nodes: a stencil on 1024 x 1024 x 1024 floats, a slab of planes for each H100.
// The library says how long the kernels take, and SimGrid (https://simgrid.org), what the network does meanwhile.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "traced.hpp"

namespace {

namespace report = warpgauge::report;
namespace sg = simgrid::s4u;
using std::uint32_t;

constexpr uint32_t edge = 1024;
constexpr double plane_bytes = 4.0 * edge * edge;
constexpr int steps = 20;

// Of a DGX H100 (NVIDIA, DGX H100 System User Guide): NVLink 4 moves 450 GB/s in each direction of a GPU, and each GPU
// has a network adapter of 400 Gbit/s. The latencies are assumptions.
constexpr double nvlink_bytes_per_s = 450e9;
constexpr double nvlink_latency_s = 2e-6;
constexpr double network_bytes_per_s = 50e9;
constexpr double network_latency_s = 5e-6;

// region: kernel
// The time of a GPU for a number of planes.
warpgauge::result<double> seconds_of(uint32_t planes) {
    const kernel_launch launch{"jacobi",
                               "jacobi",
                               "jacobi_naive",
                               {.grid = {edge / 128, edge - 2, planes}, .block = {128}},
                               {edge, {}, {}, {}, {}}};
    const auto traced = follow(launch, warpgauge::ptx::sampling::representative);
    if (!traced) return traced.error();
    const auto e =
        warpgauge::saturation_model{warpgauge::devices::h100_sxm5{}}.predict(traced->profile());
    if (!e) return e.error();
    return e->seconds;
}
// endregion

// A stencil on nodes x gpus, with or without kernels beside copies; each of these is a machine of its own.
struct run {
    uint32_t nodes{};
    uint32_t gpus{};  // of a node
    bool overlapped{};
    double border_s{};    // of the two planes that neighbours wait for
    double interior_s{};  // of the others
    double all_s{};
    double end_s{};  // that the slowest GPU takes

    [[nodiscard]] uint32_t slabs() const { return nodes * gpus; }
};

// region: step
// The work of one GPU: `left` and `right` are its neighbours' mailboxes, or null.
struct slab {
    run* of{};
    sg::Mailbox* own_left{};  // for messages from the left, and from the right
    sg::Mailbox* own_right{};
    sg::Mailbox* left{};
    sg::Mailbox* right{};

    void exchange(std::vector<sg::CommPtr>& under_way, std::array<int*, 2>& received) const {
        static int plane = 0;
        if (left != nullptr) {
            under_way.push_back(left->put_async(&plane, static_cast<std::uint64_t>(plane_bytes)));
            under_way.push_back(own_left->get_async<int>(&received[0]));
        }
        if (right != nullptr) {
            under_way.push_back(right->put_async(&plane, static_cast<std::uint64_t>(plane_bytes)));
            under_way.push_back(own_right->get_async<int>(&received[1]));
        }
    }

    void operator()() const {
        for (int step = 0; step < steps; ++step) {
            std::vector<sg::CommPtr> under_way;
            std::array<int*, 2> received{};
            sg::this_actor::execute(of->overlapped ? of->border_s : of->all_s);
            exchange(under_way, received);
            if (of->overlapped) sg::this_actor::execute(of->interior_s);
            sg::Comm::wait_all(under_way);
        }
        of->end_s = std::max(of->end_s, sg::Engine::get_clock());
    }
};
// endregion

// A GPU, a second of whose time is one operation, and a link for each of its ways out and in.
struct gpu {
    sg::Host* host{};
    std::array<sg::Link*, 2> nvlink{};   // out, in
    std::array<sg::Link*, 2> network{};  // out, in
};

gpu make_gpu(sg::NetZone& zone, const std::string& name) {
    gpu g{.host = zone.create_host(name, 1.0)};
    const auto link = [&](const char* way, double bytes_per_s, double latency_s) {
        return zone.create_link(name + way, bytes_per_s)->set_latency(latency_s)->seal();
    };
    g.nvlink = {link(" nvlink out", nvlink_bytes_per_s, nvlink_latency_s),
                link(" nvlink in", nvlink_bytes_per_s, 0)};
    g.network = {link(" network out", network_bytes_per_s, network_latency_s),
                 link(" network in", network_bytes_per_s, 0)};
    g.host->seal();
    return g;
}

void connect(sg::NetZone& zone, const gpu& from, const gpu& to, bool same_node) {
    const auto& out = same_node ? from.nvlink : from.network;
    const auto& in = same_node ? to.nvlink : to.network;
    zone.add_route(from.host->get_netpoint(), to.host->get_netpoint(), nullptr, nullptr,
                   {sg::LinkInRoute(out[0]), sg::LinkInRoute(in[1])}, false);
}

// Neighbours in a row of slabs are connected; the others have nothing to say to each other.
void build(sg::NetZone& zone, run& r, const std::string& name) {
    std::vector<gpu> gpus;
    const auto box = [&](uint32_t slab, const char* side) {
        return sg::Mailbox::by_name(name + ' ' + std::to_string(slab) + side);
    };
    for (uint32_t s = 0; s < r.slabs(); ++s) {
        gpus.push_back(make_gpu(zone, name + ' ' + std::to_string(s)));
        if (s == 0) continue;
        const bool same_node = (s - 1) / r.gpus == s / r.gpus;
        connect(zone, gpus[s - 1], gpus[s], same_node);
        connect(zone, gpus[s], gpus[s - 1], same_node);
    }
    for (uint32_t s = 0; s < r.slabs(); ++s) {
        slab work{&r, box(s, " left"), box(s, " right"), nullptr, nullptr};
        if (s > 0) work.left = box(s - 1, " right");
        if (s + 1 < r.slabs()) work.right = box(s + 1, " left");
        sg::Actor::create(name, gpus[s].host, work);
    }
}

}  // namespace

int main(int argc, char** argv) {
    sg::Engine engine(&argc, argv);
    // Links at their rates: without the factors of the default model, which were measured on TCP over Ethernet.
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/TCP-gamma:0");
    sg::Engine::set_config("network/crosstraffic:0");

    std::vector<run> runs;
    for (const bool overlapped : {false, true}) {
        for (const auto& [nodes, gpus] : std::vector<std::array<uint32_t, 2>>{
                 {1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 8}, {4, 8}, {8, 8}, {16, 8}}) {
            runs.push_back({.nodes = nodes, .gpus = gpus, .overlapped = overlapped});
        }
    }
    sg::NetZone* const zone = sg::create_full_zone("machines");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        run& r = runs[i];
        const uint32_t planes = edge / r.slabs();
        const auto all = seconds_of(planes);
        const auto border = seconds_of(2);
        const auto interior = seconds_of(planes - 2);
        if (!all || !border || !interior) return 1;
        r.all_s = *all;
        r.border_s = *border;
        r.interior_s = *interior;
        build(*zone, r, "run " + std::to_string(i));
    }
    zone->seal();
    engine.run();

    report::table t({"nodes", "GPUs", "kernel", "a step", "gain", "efficiency", "overlapped",
                     "gain", "efficiency"},
                    0);
    const std::size_t half = runs.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        std::vector<std::string> row{std::to_string(runs[i].nodes), std::to_string(runs[i].slabs()),
                                     report::duration(runs[i].all_s)};
        for (const run& r : {runs[i], runs[i + half]}) {
            const double gain = runs[0].end_s / r.end_s;
            row.push_back(report::duration(r.end_s / steps));
            row.push_back(report::fixed(gain, 1));
            row.push_back(report::fixed(100 * gain / r.slabs(), 0) + "%");
        }
        t.add_row(row);
    }
    std::cout << t;
}
