// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/simulate/result_slots.hpp>

namespace result_slots_test {

using namespace warpgauge;

namespace {

using stream = std::vector<instruction>;

// Walks the stream and follows the slots: every need finds the execution that `task_list` names, or
// nothing where that names none.
bool agrees_with_tasks(const stream& s, detail::simulate::result_slots<>& slots) {
    slots.assign(s);
    const auto tasks = task_list(s);
    REQUIRE(tasks);
    std::vector<std::uint32_t> written(slots.count(), task::none);
    std::uint32_t n = 0;
    bool agrees = true;
    auto visit = [&](const instruction&, std::size_t at) {
        const detail::simulate::result_slots<>::entry_slots& e = slots.entries()[at];
        for (std::size_t i = 0; i < e.needs.size(); ++i) {
            const std::uint32_t found = e.needs[i] == detail::simulate::result_slots<>::always_there
                                            ? task::none
                                            : written[e.needs[i]];
            agrees = agrees && found == (*tasks)[n].after[i];
        }
        written[e.result] = n++;
        return true;
    };
    for_each_execution(s, 0, s.size(), visit);
    return agrees;
}

instruction op(std::int32_t a = 0, std::int32_t b = 0) {
    return {.unit = unit_kind::single_precision, .needs = {a, b}};
}

}  // namespace

TEST_CASE("entries share slots where their results are not needed at the same time") {
    detail::simulate::result_slots<> slots;
    stream chain(1000, op(1));
    chain[0] = op();
    CHECK(agrees_with_tasks(chain, slots));
    CHECK(slots.count() <= 4);
    CHECK(agrees_with_tasks(stream(1000, op()), slots));
    CHECK(slots.count() == 2);
}

TEST_CASE("asynchronous copies share a slot, and groups have as many as a wait leaves") {
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    const instruction commit{.async = async_step::commit};
    const instruction wait{.async = async_step::wait, .groups_left = 2, .needs = {4}};
    const instruction wait_all{.async = async_step::wait_all};
    detail::simulate::result_slots<> slots;
    slots.assign(stream{op(), copy, copy, commit, wait, wait_all});
    const auto entries = slots.entries();
    CHECK(slots.copies().groups == 3);
    CHECK(slots.count() == slots.copies().all + 1 + 3);
    CHECK(entries[1].result == slots.copies().all);
    CHECK(entries[2].result == slots.copies().all);
    CHECK(entries[3].result == detail::simulate::result_slots<>::unread);
    CHECK(entries[4].needs[0] == entries[0].result);
    CHECK(entries[4].needs[2] == slots.copies().all + 3);
    CHECK(entries[5].needs[2] == slots.copies().all);
    slots.assign(stream{op(), op(1)});
    CHECK(slots.copies().groups == 0);
    CHECK(slots.count() == 3);
}

TEST_CASE("asynchronous products have slots beside those of copies") {
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    const instruction product{.unit = unit_kind::tensor, .async = async_step::product};
    const instruction commit{.async = async_step::commit_products};
    const instruction wait{.async = async_step::wait_products, .groups_left = 1};
    detail::simulate::result_slots<> slots;
    slots.assign(stream{op(), product, commit, wait});
    CHECK(slots.copies().groups == 0);
    CHECK(slots.products().groups == 2);
    CHECK(slots.count() == slots.products().all + 1 + 2);
    CHECK(slots.entries()[1].result == slots.products().all);
    CHECK(slots.entries()[3].needs[2] == slots.products().all + 2);
    slots.assign(stream{copy, product, commit, wait, {.async = async_step::wait_all}});
    CHECK(slots.copies().groups == 0);
    CHECK(slots.products().all == slots.copies().all + 1);
    CHECK(slots.entries()[0].result == slots.copies().all);
    CHECK(slots.entries()[1].result == slots.products().all);
    CHECK(slots.entries()[4].needs[2] == slots.copies().all);
}

TEST_CASE("what a loop reads in every round keeps its slot to the end of the loop") {
    detail::simulate::result_slots<> slots;
    CHECK(agrees_with_tasks({op(), loop(4, 3), op(2), op(), op(1), op(1), op(1)}, slots));
    CHECK(
        agrees_with_tasks({op(), loop(4, 2), loop(2, 3), op(3), op(1), op(2, 1), op(6, 1)}, slots));
}

TEST_CASE("results of earlier rounds") {
    detail::simulate::result_slots<> slots;
    CHECK(agrees_with_tasks({op(), op(1), loop(3, 4), op(-2), op(1), op(1), op(1)}, slots));
    CHECK(agrees_with_tasks({op(), loop(1, 4), op(own_result), op(1)}, slots));
    CHECK(agrees_with_tasks({loop(4, 3), loop(2, 2), op(-2), op(1), op(own_result, 2)}, slots));
    // A later entry that shares no loop has produced nothing yet.
    CHECK(agrees_with_tasks({op(-1), op(), loop(1, 2), op()}, slots));
    CHECK(agrees_with_tasks({loop(1, 2), op(-1), op()}, slots));
    CHECK(slots.count() == 2);  // which needs no slot
}

TEST_CASE("small streams, all of them") {
    // Four entries, one of them the head of a loop in any place, and every pair of needs.
    detail::simulate::result_slots<> slots;
    int tried = 0;
    for (std::size_t head = 0; head < 4; ++head) {
        for (std::uint32_t length = 1; length + head <= 4; ++length) {
            for (std::size_t a = 0; a < 5; ++a) {
                for (std::size_t b = 0; b < 5; ++b) {
                    for (std::size_t reader = 0; reader < 5; ++reader) {
                        stream s{op(), op(), op(), op()};
                        s.insert(s.begin() + static_cast<std::ptrdiff_t>(head), loop(length, 3));
                        if (a == head || b == head || reader == head) continue;
                        const auto need = [&](std::size_t to) {
                            return to == reader ? own_result
                                                : static_cast<std::int32_t>(reader) -
                                                      static_cast<std::int32_t>(to);
                        };
                        s[reader] = op(need(a), need(b));
                        // And one that could take a slot too early.
                        if (head != 4 && reader != 4)
                            s[4].needs[0] = 4 == head + 1 ? 0 : own_result;
                        CHECK(agrees_with_tasks(s, slots));
                        ++tried;
                    }
                }
            }
        }
    }
    CHECK(tried == 640);
}

}  // namespace result_slots_test
