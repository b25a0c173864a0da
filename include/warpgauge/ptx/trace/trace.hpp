// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACE_HPP
#define WARPGAUGE_PTX_TRACE_TRACE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/stream_recorder.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file Follows a kernel's warps without running it: from PTX text and a launch to a profile.
///
/// Integers, predicates and addresses that follow from the launch, the arguments and constants are
/// computed as a GPU would; floats and loaded data are not known. So trip counts, divergence and the
/// addresses of accesses are exact where data does not decide them, and where it does, a hint or a
/// default takes its place and is listed in the result.

namespace warpgauge::ptx {

/// A kernel in its module, which must outlive it.
struct kernel {
    const module* text{};
    std::uint32_t function{};  ///< of the module
};

/// The kernel of that name; for an empty name, the only one there is.
/// \errors missing  `kernel`: none of that name has a body; or none is the only one
[[nodiscard]] inline result<kernel> find_kernel(const module& m, std::string_view name) {
    kernel found;
    for (std::uint32_t f = 0; f < m.functions.size(); ++f) {
        const function& candidate = m.functions[f];
        if (!candidate.is_kernel || !candidate.has_body) continue;
        if (!name.empty() && candidate.name != name) continue;
        if (found.text != nullptr) return model_error{errc::missing, "kernel"};
        found = {&m, f};
    }
    if (found.text == nullptr) return model_error{errc::missing, "kernel"};
    return found;
}
result<kernel> find_kernel(module&&, std::string_view) = delete;  // would not outlive it

/// The compute capability that a text is for: of `.target sm_90a`, 9.0; {} where there is none.
[[nodiscard]] constexpr compute_capability target_of(const module& m) noexcept {
    const std::size_t found = m.target.find("sm_");
    if (found == std::string_view::npos) return {};
    int number = 0;
    for (const char c : m.target.substr(found + 3)) {
        if (c < '0' || c > '9' || number > 1000) break;
        number = 10 * number + (c - '0');
    }
    return {number / 10, number % 10};
}

/// One of a kernel's arguments, in the order of its parameters.
class argument {
public:
    enum class kind : std::uint8_t { not_given, unknown, integer, bytes };

    /// Not given: of a float, it is not needed; of the size of an address, it is taken to be an
    /// allocation of its own, aligned to 256 B. Of another integer it is an error.
    constexpr argument() = default;
    constexpr argument(std::integral auto value)
        : kind_(kind::integer), value_(static_cast<std::uint64_t>(value)) {}
    /// A structure that is passed by value; the bytes must outlive the call.
    constexpr explicit argument(std::span<const unsigned char> bytes)
        : kind_(kind::bytes), bytes_(bytes) {}
    /// A value that nothing is to be assumed of, as of loaded data.
    [[nodiscard]] static constexpr argument unknown() {
        argument a;
        a.kind_ = kind::unknown;
        return a;
    }

    [[nodiscard]] constexpr kind what() const { return kind_; }
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
    [[nodiscard]] constexpr std::span<const unsigned char> bytes() const { return bytes_; }

private:
    kind kind_ = kind::not_given;
    std::uint64_t value_ = 0;
    std::span<const unsigned char> bytes_;
};

/// What happens at branches to a label where unknown data decides.
struct hint {
    std::string_view label{};
    double probability = -1;  ///< that a lane jumps, 0 to 1; below 0: not given
    double rounds = 0;        ///< of the loop that the label begins, mean, >= 1; 0: not given
};

/// Which warps are followed.
enum class sampling : std::uint8_t {
    middle_block,    ///< all warps of the middle block
    representative,  ///< one block of every kind along each dimension, looked for between the first,
                     ///< the middle and the last; more where alignments differ; weighted
    all,             ///< of every block
};

struct trace_options {
    compute_capability capability{};  ///< whose memory it is; {}: that of the text's `.target`
    sampling blocks = sampling::representative;
    std::span<const hint> hints{};
    double default_probability = 0.5;        ///< that a lane jumps forward, or executes
    double default_rounds = 10;              ///< of a loop
    std::uint64_t most_steps = 100'000'000;  ///< instructions followed, of all warps
    std::uint64_t most_memory_bytes = std::uint64_t{1} << 28;  ///< B, registers and local memory
    std::uint32_t most_calls = 64;                             ///< within each other
    std::size_t most_stream_entries = std::size_t{1} << 20;  ///< more, and the trace has no stream
};

namespace detail {

constexpr bool has_body(const kernel& k) {
    return k.text != nullptr && k.function < k.text->functions.size() &&
           k.text->functions[k.function].has_body;
}

/// Sums over warps, by their weight.
struct step_sums {
    double executions{}, lanes{}, transactions{}, least{}, most{}, bytes_moved{}, uncoalesced{};
    double decisions{};
    unit_kind unit{};
    bool unknown_address{};
};

/// The registers that a kernel needs at a time, with those of the function it calls that needs most.
template <int Instance>
result<std::uint32_t> most_live(program& p, std::uint64_t most_work) {
    std::uint32_t kernel = 0;
    std::uint32_t callee = 0;
    for (std::size_t r = 0; r < p.routines.size(); ++r) {
        flow_graph<Instance> graph(p, p.routines[r], most_work);
        const auto live = graph.most_live();
        if (!live) return live.error();
        std::uint32_t& most = r == 0 ? kernel : callee;
        most = *live > most ? *live : most;
    }
    return kernel + callee;
}

template <int Instance>
class tracer {
public:
    tracer(const kernel& k, const launch& l, std::span<const argument> arguments,
           const trace_options& options)
        : m_(*k.text), f_(m_.functions[k.function]), l_(l), given_(arguments), o_(options) {
        t_.name = f_.name;
        t_.launch = l;
    }

    result<traced_kernel> trace(std::uint32_t function) {
        if (auto bad = check_launch()) return bad;
        if (auto bad = check_options()) return bad;
        if (auto bad = bind_arguments()) return bad;
        linker<Instance> link(m_, o_.most_steps);
        auto linked = link.link(function);
        if (!linked) return linked.error();
        p_ = std::move(*linked);
        if (auto bad = analyse()) return bad;
        if (auto bad = decide()) return bad;
        machine_.emplace(p_, arguments_, decisions_, t_.capability, limits());
        if (auto bad = follow()) return bad;
        if (auto bad = record()) return bad;
        combine();
        return std::move(t_);
    }

private:
    // --- What is given

    model_error check_launch() const {
        const extent& grid = l_.grid;
        const extent& block = l_.block;
        if (grid.count() == 0 || grid.x > 0x7fff'ffff) return {errc::not_positive, "grid"};
        if (grid.y > 0xffff || grid.z > 0xffff) return {errc::exceeds_device, "grid"};
        if (block.count() == 0) return {errc::not_positive, "block"};
        if (block.x > 1024 || block.y > 1024 || block.count() > 1024) {
            return {errc::exceeds_device, "block"};
        }
        const auto& required = f_.required_threads;
        const extent wanted{required[0], required[1], required[2]};
        if (required[0] != 0 && wanted != block) return {errc::outside_domain, "block"};
        const auto& most = f_.max_threads;
        if (most[0] != 0 && block.count() > std::uint64_t{most[0]} * most[1] * most[2]) {
            return {errc::outside_domain, "block"};
        }
        if (l_.dynamic_shared_bytes > (std::uint64_t{1} << 32)) {
            return {errc::overflow, "dynamic_shared_bytes"};
        }
        return {};
    }

    model_error check_options() {
        t_.capability = o_.capability;
        if (t_.capability == compute_capability{}) t_.capability = target_of(m_);
        if (t_.capability == compute_capability{}) return {errc::missing, "capability"};
        if (!(o_.default_probability >= 0 && o_.default_probability <= 1)) {
            return {errc::outside_domain, "default_probability"};
        }
        if (!(o_.default_rounds >= 1 && o_.default_rounds <= most_rounds)) {
            return {errc::outside_domain, "default_rounds"};
        }
        for (std::size_t h = 0; h < o_.hints.size(); ++h) {
            const hint& given = o_.hints[h];
            const bool odds = given.probability >= 0 && given.probability <= 1;
            const bool rounds = given.rounds >= 1 && given.rounds <= most_rounds;
            if (odds == rounds || (given.rounds != 0 && !rounds)) {
                return {errc::outside_domain, "hints", static_cast<std::uint32_t>(h + 1)};
            }
        }
        return {};
    }

    model_error bind_arguments() {
        const auto parameters = m_.parameters(f_);
        const auto error = [](errc code, std::size_t n) {
            return model_error{code, "arguments", static_cast<std::uint32_t>(n + 1)};
        };
        if (given_.size() > parameters.size()) {
            return error(errc::outside_domain, parameters.size());
        }
        const unsigned address_bits = m_.address_bits == 0 ? 32 : m_.address_bits;
        for (std::size_t n = 0; n < parameters.size(); ++n) {
            const argument a = n < given_.size() ? given_[n] : argument{};
            const declaration& p = parameters[n];
            value_type type;
            read_type(p.type, type);
            const bool one = type.followed && p.elements == 1 && p.vector == 1;
            argument_bytes bytes;
            std::uint64_t value = a.value();
            if (a.what() == argument::kind::bytes) {
                bytes.bytes = a.bytes();
                bytes.known = true;
            } else if (a.what() == argument::kind::integer) {
                if (!one) return error(errc::outside_domain, n);
                bytes.known = true;
            } else if (a.what() == argument::kind::not_given && one) {
                if (type.bits != address_bits) return error(errc::missing, n);
                value = address_bits == 64
                            ? (std::uint64_t{n} + 1) << 40
                            : (std::uint64_t{n} % 15 << 27) + (std::uint64_t{1} << 31);
                bytes.known = true;
            }
            for (std::size_t b = 0; b < 8; ++b) {
                bytes.small[b] = static_cast<unsigned char>(value >> 8 * b & 0xff);
            }
            arguments_.push_back(bytes);
        }
        return {};
    }

    // --- Before the first step

    model_error analyse() {
        t_.static_shared_bytes = p_.shared_bytes;
        for (const routine& r : p_.routines) {
            flow_graph<Instance> graph(p_, r, o_.most_steps);
            if (auto bad = graph.find_reconvergence()) return bad;
        }
        const auto live = most_live<Instance>(p_, o_.most_steps);
        if (!live) return live.error();
        t_.live_registers = *live;
        return {};
    }

    // How unknown data decides, of every step.
    model_error decide() {
        decisions_.assign(p_.steps.size(), {.probability = o_.default_probability});
        find_loops();
        std::vector<bool> used(o_.hints.size());
        for (std::uint32_t s = 0; s < p_.steps.size(); ++s) {
            const step& branch = p_.steps[s];
            if (branch.what != action::branch) continue;
            decision& d = decisions_[s];
            const bool loops = d.loop != nowhere;
            if (loops) d.rounds = o_.default_rounds;
            for (std::size_t h = 0; h < o_.hints.size(); ++h) {
                const hint& given = o_.hints[h];
                if (given.probability >= 0 && given.label == label_of(branch)) {
                    used[h] = true;
                    d.probability = given.probability;
                    d.rounds = 0;
                } else if (given.rounds > 0 && loops && given.label == label_of(p_.steps[d.loop])) {
                    used[h] = true;
                    d.rounds = given.rounds;
                }
            }
        }
        for (std::size_t h = 0; h < used.size(); ++h) {
            if (!used[h]) return {errc::missing, "hints", static_cast<std::uint32_t>(h + 1)};
        }
        return {};
    }

    // The branches that decide whether a loop goes on: those that jump back; and where what jumps back
    // asks for nothing, those in the loop that leave it, or that stay where the next step leaves it.
    void find_loops() {
        for (std::uint32_t s = 0; s < p_.steps.size(); ++s) {
            const step& back = p_.steps[s];
            if (back.what != action::branch || back.target > s) continue;
            if (back.predicate != nowhere) {
                decisions_[s].loop = s;
                continue;
            }
            const auto outside = [&](std::uint32_t to) { return to < back.target || to > s; };
            if (s - back.target > most_loop_steps) continue;
            for (std::uint32_t at = back.target; at < s; ++at) {
                const step& exit = p_.steps[at];
                decision& d = decisions_[at];
                if (exit.what != action::branch || exit.predicate == nowhere) continue;
                if (d.loop != nowhere) continue;  // of a loop within, which ends first
                const step& next = p_.steps[at + 1];
                const bool falls_out = next.what == action::branch && next.predicate == nowhere &&
                                       outside(next.target);
                if (!outside(exit.target) && !falls_out) continue;
                d.loop = s;
                d.leaves = outside(exit.target);
            }
        }
    }

    [[nodiscard]] std::string_view label_of(const step& branch) const {
        const auto operands = m_.operands_of(m_.instructions[branch.statement]);
        return operands.empty() ? std::string_view() : operands[0].text;
    }

    // --- The warps

    struct place {
        std::uint32_t index{};
        double weight{};
        std::uint32_t run{};  // the first block of the run that it stands for
    };

    using place_list = std::vector<place>;

    // Blocks of one dimension, with how many each stands for.
    result<place_list> places(std::size_t dimension) {
        const std::uint32_t count = grid()[dimension];
        if (o_.blocks == sampling::middle_block) {
            return place_list{{count / 2, static_cast<double>(count)}};
        }
        if (o_.blocks == sampling::all) {
            place_list every(count);
            for (std::uint32_t n = 0; n < count; ++n) every[n] = {n, 1};
            return every;
        }
        return kinds(dimension, count);
    }

    // Numbers for what a block's warps do.
    struct way {
        std::uint64_t path = 14'695'981'039'346'656'037U;   // which instructions, with which lanes
        std::uint64_t place = 14'695'981'039'346'656'037U;  // and what its accesses cost
    };

    // Runs of blocks along one dimension whose warps go the same ways, whether the others are at their
    // first, middle or last block.
    result<place_list> kinds(std::size_t dimension, std::uint32_t count) {
        if (count == 1) return place_list{{0, 1}};
        std::vector<std::uint32_t> ends{count};  // of runs
        for (const line& other : lines(dimension)) {
            if (auto bad = find_runs(other, count, ends)) return bad;
        }
        std::sort(ends.begin(), ends.end());
        place_list found;
        std::uint32_t begin = 0;
        for (const std::uint32_t end : ends) {
            if (end == begin) continue;
            if (auto bad = add_run(dimension, begin, end, found)) return bad;
            begin = end;
        }
        return found;
    }

    // Blocks along one dimension, the others fixed.
    struct line {
        std::size_t dimension{};
        std::array<std::uint32_t, 3> block{};
    };

    [[nodiscard]] std::vector<line> lines(std::size_t dimension) const {
        std::vector<line> all;
        for (const std::uint32_t part : {1U, 0U, 2U}) {  // the middle, the first, the last
            line l{.dimension = dimension};
            for (std::size_t d = 0; d < 3; ++d) {
                if (d == dimension) continue;
                l.block[d] = part == 0 ? 0 : part == 1 ? grid()[d] / 2 : grid()[d] - 1;
            }
            bool again = false;
            for (const line& other : all) again = again || other.block == l.block;
            if (!again) all.push_back(l);
        }
        return all;
    }

    // By bisection between the first, the middle and the last block. Ends that agree are taken to have
    // the same between them.
    model_error find_runs(const line& along, std::uint32_t count,
                          std::vector<std::uint32_t>& ends) {
        struct interval {
            std::uint32_t first, last;
            std::uint64_t path_first, path_last;
        };
        const auto first = way_of(along, 0);
        const auto middle = way_of(along, count / 2);
        const auto last = way_of(along, count - 1);
        for (const auto* end : {&first, &middle, &last}) {
            if (!*end) return end->error();
        }
        std::vector<interval> open{{count / 2, count - 1, middle->path, last->path},
                                   {0, count / 2, first->path, middle->path}};
        for (int looked = 0; !open.empty();) {
            const interval at = open.back();
            open.pop_back();
            if (at.path_first == at.path_last) continue;
            if (at.last - at.first <= 1 || looked == most_looks) {
                ends.push_back(at.last);
                continue;
            }
            const std::uint32_t half = at.first + (at.last - at.first) / 2;
            const auto there = way_of(along, half);
            if (!there) return there.error();
            ++looked;
            open.push_back({half, at.last, there->path, at.path_last});
            open.push_back({at.first, half, at.path_first, there->path});
        }
        return {};
    }

    // One block stands for a run; where its neighbours' accesses cost something else, as many as it
    // takes until that repeats.
    model_error add_run(std::size_t dimension, std::uint32_t begin, std::uint32_t end,
                        place_list& found) {
        const std::uint32_t most = end - begin < most_alignments ? end - begin : most_alignments;
        const std::uint32_t from = begin + (end - begin - most + 1) / 2;
        std::uint32_t period = 1;
        for (const line& along : lines(dimension)) {
            if (most == 1) break;
            const auto first = way_of(along, from);
            if (!first) return first.error();
            std::uint32_t repeats = 1;
            for (; repeats < most; ++repeats) {
                const auto next = way_of(along, from + repeats);
                if (!next) return next.error();
                if (next->place == first->place) break;
            }
            period = repeats > period ? repeats : period;
        }
        for (std::uint32_t n = 0; n < period; ++n) {
            found.push_back({from + n, static_cast<double>(end - begin) / period, begin});
        }
        return {};
    }

    result<way> way_of(const line& along, std::uint32_t index) {
        std::array<std::uint32_t, 3> block = along.block;
        block[along.dimension] = index;
        for (const auto& [other, known] : ways_) {
            if (other == block) return known;
        }
        way w;
        const auto mix = [](std::uint64_t& hash, std::uint64_t value) {
            hash = (hash ^ value) * 1'099'511'628'211U;
        };
        for (std::uint32_t n = 0; n < warps_per_block(); ++n) {
            const auto bad = machine_->run(at(block, n, n), [&](const executed& e) {
                mix(w.path, std::uint64_t{e.step} << 32 | e.active);
                if (e.transactions == 0) return;
                mix(w.place, std::uint64_t{e.transactions} << 32 | e.bytes_moved);
                mix(w.place, e.alignment);
            });
            if (bad) return bad;
        }
        mix(w.place, w.path);
        ways_.push_back({block, w});
        return w;
    }

    // Do blocks spread over the grid go the ways of those that stand for them? Not where the way depends
    // on several coordinates together, as in a triangle.
    result<bool> is_representative(const std::array<place_list, 3>& along) {
        if (l_.grid.count() == std::max({l_.grid.x, l_.grid.y, l_.grid.z})) return true;
        for (std::uint32_t n = 1; n <= probes; ++n) {
            line any{};
            line standing{};
            for (std::size_t d = 0; d < 3; ++d) {
                // Multiples of powers of the plastic number's inverse: evenly spread in three dimensions.
                constexpr double steps[]{0.8191725133961645, 0.6710436067037893,
                                         0.5497004779019703};
                const double share = n * steps[d];
                any.block[d] = static_cast<std::uint32_t>(
                    (share - static_cast<double>(static_cast<std::uint32_t>(share))) *
                    static_cast<double>(grid()[d]));
                for (const place& p : along[d]) {
                    if (p.run <= any.block[d]) standing.block[d] = p.index;
                }
            }
            const auto real = way_of(any, any.block[0]);
            const auto taken = way_of(standing, standing.block[0]);
            if (!real) return real.error();
            if (!taken) return taken.error();
            if (real->path != taken->path) return false;
        }
        return true;
    }

    // Blocks evenly spread over the grid, about `most_lattice` of them.
    [[nodiscard]] std::array<place_list, 3> lattice() const {
        std::array<std::uint32_t, 3> sides = grid();
        while (std::uint64_t{sides[0]} * sides[1] * sides[2] > most_lattice) {
            std::uint32_t& longest = *std::max_element(sides.begin(), sides.end());
            longest = (longest + 1) / 2;
        }
        std::array<place_list, 3> along;
        for (std::size_t d = 0; d < 3; ++d) {
            for (std::uint32_t n = 0; n < sides[d]; ++n) {
                const std::uint64_t begin = std::uint64_t{grid()[d]} * n / sides[d];
                const std::uint64_t end = std::uint64_t{grid()[d]} * (n + 1) / sides[d];
                along[d].push_back({static_cast<std::uint32_t>(begin + (end - begin) / 2),
                                    static_cast<double>(end - begin)});
            }
        }
        return along;
    }

    [[nodiscard]] std::array<std::uint32_t, 3> grid() const {
        return {l_.grid.x, l_.grid.y, l_.grid.z};
    }
    [[nodiscard]] std::uint32_t warps_per_block() const {
        return static_cast<std::uint32_t>((l_.block.count() + warp_lanes - 1) / warp_lanes);
    }

    [[nodiscard]] warp_place at(const std::array<std::uint32_t, 3>& block, std::uint32_t warp,
                                std::uint32_t ordinal) const {
        return {.grid = grid(),
                .block = {l_.block.x, l_.block.y, l_.block.z},
                .block_index = block,
                .warp = warp,
                .dynamic_shared_bytes = l_.dynamic_shared_bytes,
                .ordinal = ordinal};
    }

    model_error follow() {
        if (o_.blocks == sampling::all) {
            if (l_.grid.count() > o_.most_steps) return {errc::limit_reached, "steps"};
            if (l_.grid.x > o_.most_memory_bytes / sizeof(place)) {
                return {errc::limit_reached, "memory"};
            }
        }
        sums_.resize(p_.steps.size());
        std::array<place_list, 3> along;
        for (std::size_t d = 0; d < 3; ++d) {
            auto found = places(d);
            if (!found) return found.error();
            along[d] = std::move(*found);
        }
        if (o_.blocks == sampling::representative) {
            const auto holds = is_representative(along);
            if (!holds) return holds.error();
            if (!*holds) along = lattice();
        }
        std::array<std::uint32_t, 3> typical{};  // the most frequent kind of each dimension
        for (std::size_t d = 0; d < 3; ++d) {
            double most = 0;
            for (const place& p : along[d]) {
                if (p.weight < most || (p.weight == most && p.index > grid()[d] / 2)) continue;
                most = p.weight;
                typical[d] = p.index;
            }
        }
        t_.stream_block = {typical[0], typical[1], typical[2]};
        for (const place& z : along[2]) {
            for (const place& y : along[1]) {
                for (const place& x : along[0]) {
                    const std::array<std::uint32_t, 3> block{x.index, y.index, z.index};
                    const double weight = x.weight * y.weight * z.weight;
                    if (auto bad = follow_block(block, weight, block == typical); bad) {
                        return bad;
                    }
                }
            }
        }
        t_.steps = machine_->steps();
        return {};
    }

    model_error follow_block(const std::array<std::uint32_t, 3>& block, double weight,
                             bool typical) {
        for (std::uint32_t w = 0; w < warps_per_block(); ++w) {
            const auto ordinal = static_cast<std::uint32_t>(t_.warps_traced);
            const std::uint64_t before = machine_->steps();
            const auto bad =
                machine_->run(at(block, w, ordinal), [&](const executed& e) { count(e, weight); });
            if (bad) return bad;
            if (typical) {
                typical_steps_.push_back(machine_->steps() - before);
                typical_ordinal_.push_back(ordinal);
            }
            t_.warps_traced += 1;
        }
        t_.warps += weight * warps_per_block();
        t_.blocks_traced += 1;
        return {};
    }

    [[nodiscard]] machine_limits limits() const {
        return {o_.most_steps, o_.most_memory_bytes, o_.most_calls};
    }

    void count(const executed& e, double weight) {
        step_sums& s = sums_[e.step];
        const auto lanes = static_cast<double>(std::popcount(e.active));
        t_.warp_insts += weight;
        t_.active_lanes += weight * lanes;
        if (e.active != 0xffff'ffff) t_.divergent_insts += weight;
        t_.unit_insts[static_cast<std::size_t>(e.unit)] += weight;
        if (e.unknown_predicate) s.decisions += weight;
        if (e.active == 0) return;
        s.executions += weight;
        s.lanes += weight * lanes;
        if (e.transactions == 0) return;
        s.transactions += weight * e.transactions;
        s.least += weight * e.least_transactions;
        s.most = e.transactions > s.most ? e.transactions : s.most;
        s.bytes_moved += weight * e.bytes_moved;
        s.unit = e.unit;
        s.unknown_address = s.unknown_address || e.unknown_address;
        if (!e.coalesced) s.uncoalesced += weight;
        if (e.unit != unit_kind::global_memory) return;
        t_.bytes_moved += weight * e.bytes_moved;
        if (e.coalesced) {
            t_.coalesced_mem_insts += weight;
            t_.coalesced_bytes_moved += weight * e.bytes_moved;
        } else {
            t_.uncoalesced_mem_insts += weight;
            t_.transactions += weight * e.transactions;
        }
    }

    // The stream of the warp of the typical block that is nearest to the mean of its length.
    model_error record() {
        const double mean = t_.warp_insts / t_.warps;
        double nearest = -1;
        for (std::uint32_t w = 0; w < typical_steps_.size(); ++w) {
            const double off = static_cast<double>(typical_steps_[w]) - mean;
            const double distance = off < 0 ? -off : off;
            if (nearest >= 0 && distance >= nearest) continue;
            nearest = distance;
            t_.stream_warp = w;
        }
        stream_recorder<Instance> recorder(p_, o_.most_stream_entries);
        const auto bad = machine_->run(at({t_.stream_block.x, t_.stream_block.y, t_.stream_block.z},
                                          t_.stream_warp, typical_ordinal_[t_.stream_warp]),
                                       [&](const executed& e) { recorder(e); });
        if (bad) return bad;
        t_.stream = recorder.finish();
        return {};
    }

    // --- The result

    void combine() {
        for (std::uint32_t s = 0; s < p_.steps.size(); ++s) {
            if (p_.steps[s].accesses && sums_[s].executions > 0) add_access(s);
            add_assumptions(s);
        }
        if (t_.warp_insts > 0) t_.active_lanes /= t_.warp_insts;
        for (double* sum : {&t_.warp_insts, &t_.divergent_insts, &t_.coalesced_mem_insts,
                            &t_.uncoalesced_mem_insts, &t_.transactions, &t_.bytes_moved,
                            &t_.coalesced_bytes_moved}) {
            *sum /= t_.warps;
        }
        for (double& sum : t_.unit_insts) sum /= t_.warps;
    }

    void add_access(std::uint32_t index) {
        const step& s = p_.steps[index];
        const step_sums& sum = sums_[index];
        const ptx::instruction& i = m_.instructions[s.statement];
        t_.accesses.push_back({.opcode = i.opcode,
                               .at = i.at,
                               .source_file = i.source_file,
                               .source_line = i.source_line,
                               .unit = sum.unit,
                               .stores = s.stores,
                               .is_atomic = s.is_atomic,
                               .bytes_per_lane = s.lane_bytes,
                               .executions = sum.executions / t_.warps,
                               .active_lanes = sum.lanes / sum.executions,
                               .transactions = sum.transactions / sum.executions,
                               .least_transactions = sum.least / sum.executions,
                               .most_transactions = sum.most,
                               .bytes_moved = sum.bytes_moved / sum.executions,
                               .uncoalesced = sum.uncoalesced / t_.warps,
                               .unknown_address = sum.unknown_address});
    }

    void add_assumptions(std::uint32_t index) {
        const step& s = p_.steps[index];
        const step_sums& sum = sums_[index];
        const ptx::instruction& i = m_.instructions[s.statement];
        assumption a{.at = i.at, .source_file = i.source_file, .source_line = i.source_line};
        if (sum.decisions > 0) {
            const decision& d = decisions_[index];
            a.what = s.what == action::branch         ? assumed::branch
                     : s.what == action::branch_table ? assumed::table
                                                      : assumed::predicate;
            a.value = d.probability;
            if (s.what == action::branch) a.label = label_of(s);
            if (s.what == action::branch && d.rounds > 0) {
                a.what = assumed::loop;
                a.label = label_of(p_.steps[d.loop]);
                a.value = d.rounds;
            }
            a.executions = sum.decisions / t_.warps;
            t_.assumptions.push_back(a);
        }
        a.executions = sum.executions / t_.warps;
        a.label = {};
        a.value = 0;
        if (sum.unknown_address) {
            a.what = assumed::address;
            t_.assumptions.push_back(a);
        }
        if (s.what == action::call && s.target == nowhere && sum.executions > 0) {
            a.what = assumed::callee;
            t_.assumptions.push_back(a);
        }
    }

    static constexpr double most_rounds = 1e9;
    static constexpr std::uint32_t probes = 16;
    static constexpr std::uint64_t most_lattice = 1024;
    static constexpr std::uint32_t most_loop_steps = 1 << 16;  // of a loop that is looked through
    static constexpr int most_looks = 64;  // blocks between the first, the middle and the last
    static constexpr std::uint32_t most_alignments = 16;  // blocks that stand for one run

    const module& m_;
    const function& f_;
    const launch& l_;
    std::span<const argument> given_;
    const trace_options& o_;
    program p_;
    std::vector<argument_bytes> arguments_;
    std::vector<decision> decisions_;
    std::vector<step_sums> sums_;
    std::optional<warp_machine<Instance>> machine_;
    std::vector<std::pair<std::array<std::uint32_t, 3>, way>> ways_;  // of the blocks looked at
    std::vector<std::uint64_t> typical_steps_;  // of each warp of the typical block
    std::vector<std::uint32_t> typical_ordinal_;
    traced_kernel t_;
};

}  // namespace detail

/// How many 32-bit registers of a thread hold values that are still needed, at most: an estimate of what
/// the compiler will take. It may take fewer, by computing values anew, and takes more where it unrolls
/// loops or loads ahead.
/// \errors missing, limit_reached  as `trace`
template <int Instance = 0>
[[nodiscard]] result<std::uint32_t> live_registers(const kernel& k) {
    if (!detail::has_body(k)) return model_error{errc::missing, "kernel"};
    constexpr std::uint64_t most_work = trace_options{}.most_steps;
    detail::linker<Instance> link(*k.text, most_work);
    auto linked = link.link(k.function);
    if (!linked) return linked.error();
    return detail::most_live<Instance>(*linked, most_work);
}

/// Follows a sample of the launch's warps, or all of them.
/// \errors with line and column of the text, where an instruction is at fault:
///         not_positive    `grid`, `block`: without blocks or threads
///         exceeds_device  `grid`, `block`: more than any GPU starts
///         outside_domain  `block`: not what the text requires; `arguments`: more than parameters, or
///                         an integer for what is none; `default_probability`, `default_rounds`,
///                         `hints`: out of range; `index`: of a branch table
///         missing         `kernel`; `arguments`: an integer without value; `capability`: no `.target`;
///                         `declaration`, `label`: a name that nothing declares; `hints`: no branch
///                         goes to the label
///         overflow        `shared`, `local`, `dynamic_shared_bytes`: no memory is as large
///         limit_reached   `steps`, `memory`, `calls`, `registers`, `operands`
/// For arguments and hints, `line` is the entry.
template <int Instance = 0>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::span<const argument> arguments,
                                          const trace_options& options = {}) {
    if (!detail::has_body(k)) return model_error{errc::missing, "kernel"};
    detail::tracer<Instance> t(k, l, arguments, options);
    return t.trace(k.function);
}

/// The same, with arguments in braces: `trace(*kernel, launch, {4096, {}, {}})`.
template <int Instance = 0>
[[nodiscard]] result<traced_kernel> trace(const kernel& k, const launch& l,
                                          std::initializer_list<argument> arguments,
                                          const trace_options& options = {}) {
    return trace<Instance>(k, l, std::span<const argument>(arguments.begin(), arguments.size()),
                           options);
}

}  // namespace warpgauge::ptx

#endif
