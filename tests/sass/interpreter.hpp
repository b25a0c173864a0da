// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the control flow of machine code for 7.5 to 8.9, lane by lane: integers, predicates, votes and branches,
// nothing of floating point or of memory. It knows nothing of PTX or of lines, so it counts instructions
// independently of `join`. Fields of the words: Mesa, src/nouveau/compiler/nak/sm70_encode.rs.
#ifndef WARPGAUGE_TESTS_SASS_INTERPRETER_HPP
#define WARPGAUGE_TESTS_SASS_INTERPRETER_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include <warpgauge/sass/instruction.hpp>

// A number that may not be known.
struct maybe {
    std::uint64_t value{};
    bool known{};
    std::uint32_t bytes =
        0;  // if not: a bit for each of the lowest four bytes that is known all the same
};

class sass_interpreter {
public:
    using word = warpgauge::sass::machine_word;
    // Words of the constant bank by their offset; what is not listed is not known.
    using constants = std::map<std::uint32_t, std::uint32_t>;
    struct place {
        std::array<std::uint32_t, 3> block{}, block_index{};
        std::uint32_t warp{};
    };

    sass_interpreter(std::span<const word> code, std::uint16_t capability, constants bank)
        : code_(code), capability_(capability), bank_(std::move(bank)) {}

    // Instructions that one warp issues, or a negative number where a branch depends on what is not known, or an
    // operation matters that is not one of ours.
    std::uint32_t stuck_at{};  // the offset of the last branch that could not be followed
    double run(const place& where) {
        begin(where);
        double issued = 0;
        while (const std::uint32_t now = next_lanes()) {
            if (++issued > 1e7) return -1;
            if (votes(now)) continue;
            for (int l = 0; l < 32; ++l) {
                if ((now >> l & 1U) != 0 && !step(lanes_[static_cast<std::size_t>(l)], l))
                    return -1;
            }
            release();
        }
        for (const lane& l : lanes_) {
            if (l.alive) return -1;  // it waits forever
        }
        return issued;
    }

private:
    struct lane {
        std::uint32_t at{};
        bool alive{}, waits{};
        std::uint32_t barrier{};  // that it waits at; 16: of the warp
        std::uint32_t joined{};   // bits of barriers that it has entered
        std::array<maybe, 256> r{};
        std::array<maybe, 64> u{};
        std::array<maybe, 8> p{};
        std::array<maybe, 8> up{};
    };

    static std::uint32_t bits(const word& w, unsigned first, unsigned count) {
        return warpgauge::sass::detail::bits(w, first, count);
    }

    void begin(const place& where) {
        where_ = where;
        const std::uint32_t threads = where.block[0] * where.block[1] * where.block[2];
        for (std::uint32_t l = 0; l < 32; ++l) {
            lanes_[l] = {};
            lanes_[l].alive = where.warp * 32 + l < threads;
            lanes_[l].r[255] = lanes_[l].u[63] = {0, true};
            lanes_[l].p[7] = lanes_[l].up[7] = {1, true};
        }
    }

    // Lanes at the lowest address of those that can go on.
    std::uint32_t next_lanes() const {
        std::uint32_t lowest = 0xffff'ffff;
        for (const lane& l : lanes_) {
            if (l.alive && !l.waits && l.at < lowest) lowest = l.at;
        }
        std::uint32_t mask = 0;
        for (unsigned n = 0; n < 32; ++n) {
            const lane& l = lanes_[n];
            if (l.alive && !l.waits && l.at == lowest) mask |= 1U << n;
        }
        return lowest < code_.size() ? mask : 0;
    }

    // Lanes that wait go on when all that entered the barrier are there.
    void release() {
        for (std::uint32_t b = 0; b <= 16; ++b) {
            bool all = true;
            for (const lane& l : lanes_) {
                const bool takes_part = l.alive && (b == 16 || (l.joined >> b & 1U) != 0);
                all = all && (!takes_part || (l.waits && l.barrier == b));
            }
            if (!all) continue;
            for (lane& l : lanes_) {
                if (!l.alive || !l.waits || l.barrier != b) continue;
                l.waits = false;
                l.joined &= ~(1U << b);
            }
        }
    }

    // VOTE and VOTEU: which of the lanes that are at it have a predicate, in all, in any, or in each alike. False where
    // they are at something else.
    bool votes(std::uint32_t now) {
        const auto first = static_cast<std::size_t>(std::countr_zero(now));
        const word& w = code_[lanes_[first].at];
        const std::uint32_t operation = bits(w, 0, 9);
        if (operation != 0x006 && operation != 0x086) return false;
        const bool uniform = operation == 0x086;
        std::uint32_t taking_part = 0;
        std::uint32_t holding = 0;
        bool known = true;
        for (std::size_t n = 0; n < 32; ++n) {
            if ((now >> n & 1U) == 0) continue;
            lane& l = lanes_[n];
            ++l.at;
            const maybe guard =
                predicate(uniform ? l.up : l.p, bits(w, 12, 3), bits(w, 15, 1) != 0);
            const maybe asked = predicate(l.p, bits(w, 87, 3), bits(w, 90, 1) != 0);
            known = known && guard.known && (guard.value == 0 || asked.known);
            if (guard.value != 0) taking_part |= 1U << n;
            if (guard.value != 0 && asked.value != 0) holding |= 1U << n;
        }
        const std::uint32_t how = bits(w, 72, 2);
        const bool all = holding == taking_part;
        const bool agreed = how == 0 ? all : how == 1 ? holding != 0 : all || holding == 0;
        for (std::size_t n = 0; n < 32; ++n) {
            if ((known ? taking_part : now) >> n & 1U) {
                set(lanes_[n], w, uniform, {holding, known});
                set_predicate(lanes_[n], w, 81, uniform, {agreed ? 1U : 0U, known});
            }
        }
        return true;
    }

    static maybe predicate(const std::array<maybe, 8>& file, std::uint32_t n, bool negated) {
        return {file[n].value ^ (negated ? 1U : 0U), file[n].known};
    }

    maybe constant(const word& w) const {
        if (bits(w, 54, 5) != 0) return {};
        const auto found = bank_.find(bits(w, 38, 16));
        return found == bank_.end() ? maybe{} : maybe{found->second, true};
    }

    struct operands {
        maybe a, b, c;
        bool b_in_32 = true;  // else c is where immediates are
    };

    operands read(const lane& l, const word& w, bool uniform) const {
        const auto reg = [&](unsigned first) {
            return uniform ? l.u[bits(w, first, 6)] : l.r[bits(w, first, 8)];
        };
        operands o;
        o.a = reg(24);
        const std::uint32_t form = bits(w, 9, 3);
        const maybe at_64 = reg(64);
        maybe at_32 = reg(32);
        if (form == 2 || form == 4) at_32 = {static_cast<std::uint32_t>(w.low >> 32), true};
        if (form == 3 || form == 5) at_32 = constant(w);
        if (form == 6 || form == 7) at_32 = l.u[bits(w, 32, 6)];
        o.b_in_32 = form == 1 || form >= 4;
        if (form == 7) o.b_in_32 = false;
        o.b = o.b_in_32 ? at_32 : at_64;
        o.c = o.b_in_32 ? at_64 : at_32;
        return o;
    }

    static std::uint32_t low(std::uint64_t v) { return static_cast<std::uint32_t>(v); }

    // False where it cannot go on.
    bool step(lane& l, int number) {
        const word& w = code_[l.at];
        const auto i = warpgauge::sass::decode(w, capability_, l.at * 16);
        const std::uint32_t operation = bits(w, 0, 9);
        const bool uniform = operation >= 0x080 && operation < 0x0c0;
        maybe guard = predicate(uniform ? l.up : l.p, i.predicate, i.negated);
        ++l.at;
        const bool flows = i.flow != warpgauge::sass::flow::next;
        if (operation == 0x147) {
            const maybe second = predicate(l.p, bits(w, 87, 3), bits(w, 90, 1) != 0);
            guard = {guard.value & second.value, guard.known && second.known};
        }
        if (!guard.known && flows) {
            stuck_at = i.offset;
            return false;
        }
        if (!guard.known) {
            forget(l, w, operation);
            return true;
        }
        if (guard.value == 0) return true;
        switch (operation) {
            case 0x144:  // by which ptxas leaves some loops; what returns is not followed
                if (i.target < 0) break;
                [[fallthrough]];
            case 0x147: l.at = static_cast<std::uint32_t>(i.target / 16); return true;
            case 0x14d: l.alive = false; return true;
            case 0x142: l.joined &= ~(1U << bits(w, 16, 4)); return true;
            case 0x145: l.joined |= 1U << bits(w, 16, 4); return true;
            case 0x141: return wait(l, bits(w, 16, 4));
            case 0x148: return wait(l, 16);
            default: break;
        }
        if (flows) {
            stuck_at = i.offset;
            return false;
        }
        compute(l, w, operation, uniform, number);
        return true;
    }

    static bool wait(lane& l, std::uint32_t barrier) {
        l.waits = true;
        l.barrier = barrier;
        return true;
    }

    void set(lane& l, const word& w, bool uniform, maybe v) const {
        v.value &= 0xffff'ffff;
        const std::uint32_t to = bits(w, 16, 8);
        if (uniform) {
            if ((to & 63U) != 63) l.u[to & 63U] = v;
        } else if (to != 255) {
            l.r[to] = v;
        }
    }
    void set_pair(lane& l, const word& w, bool uniform, maybe v) const {
        set(l, w, uniform, {v.value & 0xffff'ffff, v.known});
        const std::uint32_t to = bits(w, 16, 8) + 1;
        if (uniform) {
            if (to < 63) l.u[to] = {v.value >> 32, v.known};
        } else if (to < 255) {
            l.r[to] = {v.value >> 32, v.known};
        }
    }
    static void set_predicate(lane& l, const word& w, unsigned first, bool uniform, maybe v) {
        const std::uint32_t to = bits(w, first, 3);
        if (to != 7) (uniform ? l.up : l.p)[to] = {v.value & 1, v.known};
    }

    // Stores, atomics without a result, barriers, and what makes a warp wait.
    static bool has_no_result(std::uint32_t operation) {
        switch (operation) {
            case 0x118:
            case 0x11a:
            case 0x11d:
            case 0x146:
            case 0x15d:
            case 0x185:
            case 0x186:
            case 0x187:
            case 0x188:
            case 0x18e:
            case 0x18f:
            case 0x192:
            case 0x1ab:
            case 0x1ae:
            case 0x1af: return true;
            default: return false;
        }
    }

    // What it may have written is not known any more.
    void forget(lane& l, const word& w, std::uint32_t operation) const {
        const bool uniform = operation >= 0x080 && operation < 0x0c0;
        const bool predicates = operation == 0x00b || operation == 0x00c || operation == 0x08c ||
                                operation == 0x02a || operation == 0x01c || operation == 0x09c ||
                                operation == 0x102 || operation == 0x034;
        if (operation == 0x004) unpack_predicates(l, {}, {});
        const bool also_one = operation == 0x010 || operation == 0x011 || operation == 0x012 ||
                              operation == 0x090 || operation == 0x091 || operation == 0x092 ||
                              operation == 0x189;
        if (predicates || also_one) set_predicate(l, w, 81, uniform, {});
        if (predicates || operation == 0x010) set_predicate(l, w, 84, uniform, {});
        if (predicates || operation == 0x004) return;
        const std::uint32_t to = bits(w, 16, 8);
        const bool wide = operation == 0x025 || operation == 0x0a5 || operation == 0x005;
        const std::uint32_t bytes = warpgauge::sass::decode(w, capability_, 0).lane_bytes;
        const std::uint32_t count = wide ? 2 : bytes > 4 ? bytes / 4 : 1;
        if (has_no_result(operation)) return;
        for (std::uint32_t n = to; n < to + count && n < 255; ++n) {
            if (uniform) {
                if (n < 63) l.u[n] = {};
            } else {
                l.r[n] = {};
            }
        }
    }

    static maybe add3(const operands& o, const word& w, bool extended, maybe carry_a, maybe carry_b,
                      maybe& carry_out) {
        const std::uint32_t form = bits(w, 9, 3);
        const bool negated_32 = bits(w, 63, 1) != 0 && form != 2 && form != 4;
        const bool negate[3]{bits(w, 72, 1) != 0, o.b_in_32 ? negated_32 : bits(w, 75, 1) != 0,
                             o.b_in_32 ? bits(w, 75, 1) != 0 : negated_32};
        const maybe sources[3]{o.a, o.b, o.c};
        std::uint64_t sum = 0;
        bool known = true;
        for (int n = 0; n < 3; ++n) {
            const std::uint64_t v = sources[n].value & 0xffff'ffff;
            known = known && sources[n].known;
            sum += negate[n] ? (~v & 0xffff'ffff) : v;
            if (negate[n] && !extended) sum += 1;
        }
        if (extended) {
            sum += (carry_a.value & 1) + (carry_b.value & 1);
            known = known && carry_a.known && carry_b.known;
        }
        carry_out = {sum >> 32 & 1, known};
        return {sum & 0xffff'ffff, known};
    }

    static bool compare(std::uint32_t how, std::int64_t a, std::int64_t b) {
        switch (how) {
            case 1: return a < b;
            case 2: return a == b;
            case 3: return a <= b;
            case 4: return a > b;
            case 5: return a != b;
            case 6: return a >= b;
            case 7: return true;
            default: return false;
        }
    }

    void compare(lane& l, const word& w, const operands& o, bool uniform) const {
        const auto& file = uniform ? l.up : l.p;
        const std::uint32_t how = bits(w, 76, 3);
        const bool is_signed = bits(w, 73, 1) != 0;
        const auto number = [&](const maybe& v) {
            return is_signed ? std::int64_t{static_cast<std::int32_t>(low(v.value))}
                             : std::int64_t{low(v.value)};
        };
        const std::int64_t a = number(o.a);
        const std::int64_t b = number(o.b);
        maybe holds{compare(how, a, b) ? 1U : 0U, o.a.known && o.b.known};
        if (bits(w, 72, 1) != 0) {  // .EX: of two words, where the higher ones are equal
            const maybe below = predicate(file, bits(w, 68, 3), bits(w, 71, 1) != 0);
            holds.known = holds.known && below.known;
            if (a == b) holds.value = below.value;
        }
        const maybe other = predicate(file, bits(w, 87, 3), bits(w, 90, 1) != 0);
        const auto joined = [&](std::uint64_t v) -> maybe {
            const std::uint32_t by = bits(w, 74, 2);
            const bool settled =
                by == 0 ? (holds.known && v == 0) || (other.known && other.value == 0)
                        : by == 1 && ((holds.known && v == 1) || (other.known && other.value == 1));
            const std::uint64_t r = by == 0   ? v & other.value
                                    : by == 1 ? v | other.value
                                              : v ^ other.value;
            if (settled) return {by == 0 ? 0U : 1U, true};
            return {r, holds.known && other.known};
        };
        const maybe first = joined(holds.value);
        const maybe second = joined(holds.value ^ 1U);
        set_predicate(l, w, 81, uniform, first);
        set_predicate(l, w, 84, uniform, second);
    }

    static std::uint64_t logic(std::uint32_t table, std::uint64_t a, std::uint64_t b,
                               std::uint64_t c) {
        std::uint64_t r = 0;
        for (unsigned n = 0; n < 8; ++n) {
            if ((table >> n & 1U) == 0) continue;
            r |= ((n & 4U) != 0 ? a : ~a) & ((n & 2U) != 0 ? b : ~b) & ((n & 1U) != 0 ? c : ~c);
        }
        return r;
    }

    // Of three predicates; what is not known of them may not matter.
    static maybe by_table(std::uint32_t table, const maybe (&s)[3]) {
        bool seen[2]{};
        for (std::uint32_t n = 0; n < 8; ++n) {
            bool possible = true;
            for (std::uint32_t k = 0; k < 3; ++k) {
                possible = possible && (!s[k].known || s[k].value == (n >> (2 - k) & 1U));
            }
            if (possible) seen[table >> n & 1U] = true;
        }
        return {seen[1] ? 1U : 0U, seen[0] != seen[1]};
    }

    void compute(lane& l, const word& w, std::uint32_t operation, bool uniform, int number) {
        const operands o = read(l, w, uniform);
        const auto& file = uniform ? l.up : l.p;
        const bool known2 = o.a.known && o.b.known;
        const bool known3 = known2 && o.c.known;
        const maybe condition = predicate(file, bits(w, 87, 3), bits(w, 90, 1) != 0);
        const bool is_signed = bits(w, 73, 1) != 0;
        const bool negated_32 = bits(w, 63, 1) != 0;
        switch (operation) {
            case 0x002:
            case 0x082: set(l, w, uniform, o.b); return;
            case 0x0b9: load_constant(l, w); return;
            case 0x119: set(l, w, false, special(bits(w, 72, 8), number)); return;
            case 0x1c3: set(l, w, true, special(bits(w, 72, 8), number)); return;
            case 0x003: set(l, w, false, packed_predicates(l, o)); return;
            case 0x004: unpack_predicates(l, o.a, o.b); return;
            case 0x005:
                if (bits(w, 72, 8) == 0xff)
                    set_pair(l, w, false, {0, true});  // SRZ
                else
                    forget(l, w, operation);
                return;
            case 0x007:
            case 0x087:
                set(l, w, uniform, condition.known ? (condition.value != 0 ? o.a : o.b) : maybe{});
                return;
            case 0x00c:
            case 0x08c: compare(l, w, o, uniform); return;
            case 0x010:
            case 0x090: {
                maybe carry;
                const maybe sum = add3(o, w, bits(w, 74, 1) != 0, condition,
                                       predicate(file, bits(w, 77, 3), bits(w, 80, 1) != 0), carry);
                set(l, w, uniform, sum);
                set_predicate(l, w, 81, uniform, carry);
                set_predicate(l, w, 84, uniform, {});
                return;
            }
            case 0x011:
            case 0x091: {
                const std::uint32_t shift = bits(w, 75, 5);
                const bool high = bits(w, 80, 1) != 0;
                std::uint64_t v = o.a.value;
                if (high) v |= o.c.value << 32;
                if (bits(w, 72, 1) != 0) v = ~v + 1;
                const std::uint64_t scaled = high ? low(v << shift >> 32) : low(v << shift);
                std::uint64_t sum = scaled + o.b.value;
                bool known = known2 && (!high || o.c.known);
                if (bits(w, 74, 1) != 0) {
                    sum += condition.value & 1;
                    known = known && condition.known;
                }
                set(l, w, uniform, {sum & 0xffff'ffff, known});
                set_predicate(l, w, 81, uniform, {sum >> 32 & 1, known});
                return;
            }
            case 0x012:
            case 0x092: {
                const std::uint32_t table = bits(w, 72, 8);
                const maybe r{logic(table, o.a.value, o.b.value, o.c.value) & 0xffff'ffff, known3};
                set(l, w, uniform, r);
                set_predicate(l, w, 81, uniform, {r.value != 0 ? 1U : 0U, r.known});
                return;
            }
            case 0x016: set(l, w, false, chosen_bytes(w, o)); return;
            case 0x017: {
                const bool less = is_signed ? static_cast<std::int32_t>(low(o.a.value)) <
                                                  static_cast<std::int32_t>(low(o.b.value))
                                            : low(o.a.value) < low(o.b.value);
                const bool first = less == (condition.value != 0);
                set(l, w, false, {(first ? o.a : o.b).value, known2 && condition.known});
                return;
            }
            case 0x019:
            case 0x099: shift(l, w, o, uniform, known3); return;
            case 0x01c:
            case 0x09c: {
                const maybe s[3]{condition, predicate(file, bits(w, 77, 3), bits(w, 80, 1) != 0),
                                 predicate(bits(w, 67, 1) != 0 ? l.up : file, bits(w, 68, 3),
                                           bits(w, 71, 1) != 0)};
                const std::uint32_t first = bits(w, 64, 3) | bits(w, 72, 5) << 3;
                set_predicate(l, w, 81, uniform, by_table(first, s));
                set_predicate(l, w, 84, uniform, by_table(bits(w, 16, 8), s));
                return;
            }
            case 0x024:
            case 0x0a4: {
                const std::uint32_t form = bits(w, 9, 3);
                const bool minus_32 = negated_32 && form != 2 && form != 4;  // no part of a number
                const bool minus_64 = bits(w, 75, 1) != 0;
                const bool minus_c = o.b_in_32 ? minus_64 : minus_32;
                const bool minus_b = o.b_in_32 ? minus_32 : minus_64;
                const std::uint64_t product = o.a.value * (minus_b ? ~o.b.value + 1 : o.b.value);
                // A factor of zero does not ask for the other.
                const bool zero = (o.a.known && o.a.value == 0) || (o.b.known && o.b.value == 0);
                std::uint64_t sum = (zero ? 0 : product) + (minus_c ? ~o.c.value : o.c.value);
                bool known = o.c.known && (zero || known2);
                if (bits(w, 74, 1) != 0) {  // .X: with the carry of the lower word
                    sum += condition.value & 1;
                    known = known && condition.known;
                } else {
                    sum += minus_c ? 1 : 0;
                }
                set(l, w, uniform, {sum, known});
                return;
            }
            case 0x025:
            case 0x0a5: forget(l, w, operation); return;  // addresses
            default: forget(l, w, operation); return;
        }
    }

    // P2R: bits of the first operand, with predicates in place of those that the second one selects; R2P: the way back.
    static maybe packed_predicates(const lane& l, const operands& o) {
        maybe r{o.a.value & ~o.b.value, o.a.known && o.b.known};
        for (std::size_t n = 0; n < 7; ++n) {
            if ((o.b.value >> n & 1U) == 0) continue;
            r.value |= l.p[n].value << n;
            r.known = r.known && l.p[n].known;
        }
        return r;
    }
    static void unpack_predicates(lane& l, const maybe& from, const maybe& which) {
        for (std::size_t n = 0; n < 7; ++n) {
            if (which.known && (which.value >> n & 1U) == 0) continue;
            l.p[n] = {from.value >> n & 1U, which.known && from.known};
        }
    }

    // PRMT: each byte of the result is one of the eight of two registers, or its sign.
    static maybe chosen_bytes(const word& w, const operands& o) {
        if (bits(w, 72, 3) != 0 || !o.b.known) return {};
        maybe r;
        for (unsigned n = 0; n < 4; ++n) {
            const std::uint64_t choice = o.b.value >> (4 * n) & 0xf;
            const maybe& from = (choice & 4U) != 0 ? o.c : o.a;
            const auto byte = static_cast<unsigned>(choice & 3U);
            if (!from.known && (from.bytes >> byte & 1U) == 0) continue;
            std::uint64_t v = from.value >> (8 * byte) & 0xff;
            if ((choice & 8U) != 0) v = (v & 0x80) != 0 ? 0xff : 0;
            r.value |= v << (8 * n);
            r.bytes |= 1U << n;
        }
        r.known = r.bytes == 15;
        return r;
    }

    void load_constant(lane& l, const word& w) const {
        const std::uint32_t offset = bits(w, 38, 16);
        const auto at = [&](std::uint32_t where) {
            const auto found = bank_.find(where);
            return found == bank_.end() ? maybe{} : maybe{found->second, true};
        };
        set(l, w, true, at(offset));
        const std::uint32_t to = bits(w, 16, 6);
        if (bits(w, 73, 3) == 5 && to + 1 < 63) l.u[to + 1] = at(offset + 4);
    }

    void shift(lane& l, const word& w, const operands& o, bool uniform, bool known) const {
        const std::uint32_t type = bits(w, 73, 2);
        const bool right = bits(w, 76, 1) != 0;
        const bool high = bits(w, 80, 1) != 0;
        const std::uint64_t most = type >= 2 ? 32 : 63;
        const std::uint64_t asked = o.b.value & 0xffff'ffff;
        const unsigned by =
            static_cast<unsigned>(bits(w, 75, 1) != 0 ? asked & (type >= 2 ? 31 : 63)
                                  : asked < most      ? asked
                                                      : most);
        const std::uint64_t v = o.a.value | o.c.value << 32;
        std::uint64_t r = v << by;
        if (right)
            r = type == 0 || type == 2
                    ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v) >> by)
                    : v >> by;
        set(l, w, uniform, {(high ? r >> 32 : r) & 0xffff'ffff, known});
    }

    maybe special(std::uint32_t which, int number) const {
        const std::uint32_t thread = where_.warp * 32 + static_cast<std::uint32_t>(number);
        const auto& b = where_.block;
        switch (which) {
            case 0x00: return {static_cast<std::uint64_t>(number), true};
            case 0x21: return {thread % b[0], true};
            case 0x22: return {thread / b[0] % b[1], true};
            case 0x23: return {thread / b[0] / b[1], true};
            case 0x25: return {where_.block_index[0], true};
            case 0x26: return {where_.block_index[1], true};
            case 0x27: return {where_.block_index[2], true};
            default: return {};
        }
    }

    std::span<const word> code_;
    std::uint16_t capability_;
    constants bank_;
    place where_;
    std::array<lane, 32> lanes_;
};

#endif
