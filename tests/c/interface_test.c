/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C interface from C99: what it answers, and each function's errors. The argument is a PTX file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpgauge/c.h>

static int failures = 0;

static void check(int good, const char* what, int line) {
    if (good) return;
    ++failures;
    fprintf(stderr, "line %d: %s\n", line, what);
}
#define CHECK(what) check((what) != 0, #what, __LINE__)

/* The call fails with that code and names that field, with and without a place for the error. */
#define CHECK_ERROR(wanted, named, call)                                        \
    do {                                                                        \
        warpgauge_error failed;                                                 \
        warpgauge_error* const to = &failed;                                    \
        memset(to, 0x55, sizeof failed);                                        \
        CHECK((call) == (wanted));                                              \
        CHECK(failed.code == (wanted));                                         \
        check(strcmp(failed.field, named) == 0, failed.field, __LINE__);        \
        check(strstr(failed.message, named) != NULL, failed.message, __LINE__); \
    } while (0)

static warpgauge_device* open_device(const char* name) {
    warpgauge_device* device = NULL;
    CHECK(warpgauge_device_open(name, &device, NULL) == WARPGAUGE_OK);
    return device;
}

static warpgauge_profile* open_saxpy(void) {
    warpgauge_profile* k = NULL;
    CHECK(warpgauge_profile_open(NULL, &k, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(k, "blocks", 4096, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(k, "threads_per_block", 256, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(k, "registers_per_thread", 40, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(k, "comp_insts", 10, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(k, "coalesced_mem_insts", 3, NULL) == WARPGAUGE_OK);
    return k;
}

static size_t length_of(int list) {
    size_t n = 0;
    while (warpgauge_name_at(list, n) != NULL) ++n;
    return n;
}

static void lists(void) {
    int list;
    size_t n;
    size_t m;
    CHECK(strcmp(warpgauge_version(), VERSION) == 0);
    CHECK(length_of(WARPGAUGE_DEVICES) >= 42);
    CHECK(length_of(WARPGAUGE_MODELS) == 8);
    CHECK(length_of(WARPGAUGE_DEVICE_PARAMETERS) > 50);
    CHECK(length_of(WARPGAUGE_PROFILE_PARAMETERS) > 50);
    CHECK(length_of(WARPGAUGE_ASSUMPTIONS) == 17);
    for (list = 0; list < 5; ++list) {
        for (n = 0; n < length_of(list); ++n) {
            for (m = 0; m < n; ++m) {
                CHECK(strcmp(warpgauge_name_at(list, n), warpgauge_name_at(list, m)) != 0);
            }
        }
    }
    CHECK(warpgauge_name_at(5, 0) == NULL);
    CHECK(warpgauge_name_at(-1, 0) == NULL);
    CHECK(warpgauge_name_at(WARPGAUGE_DEVICES, (size_t)-1) == NULL);
}

static void devices(void) {
    warpgauge_device* none = NULL;
    warpgauge_device* d;
    double value = 0;
    size_t n;
    for (n = 0; n < length_of(WARPGAUGE_DEVICES); ++n) {
        const char* name = warpgauge_name_at(WARPGAUGE_DEVICES, n);
        d = open_device(name);
        CHECK(strcmp(warpgauge_device_name(d), name) == 0);
        CHECK(warpgauge_device_default_model(d) != NULL);
        warpgauge_device_close(d);
    }
    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "no such GPU",
                warpgauge_device_open("no such GPU", &none, to));
    warpgauge_error misspelt;
    CHECK(warpgauge_device_open("H100 SXM6", &none, &misspelt) == WARPGAUGE_UNKNOWN_NAME);
    CHECK(strcmp(misspelt.message, "H100 SXM6 is not a known name; perhaps H100 SXM5") == 0);
    CHECK_ERROR(WARPGAUGE_AMBIGUOUS_NAME, "geforce", warpgauge_device_open("geforce", &none, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "name", warpgauge_device_open(NULL, &none, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_device_open("a100", NULL, to));
    CHECK(none == NULL);

    d = open_device("NVIDIA A100-SXM4-40GB");
    CHECK(warpgauge_device_get(d, "sm_count", &value, NULL) == WARPGAUGE_OK && value == 108);
    CHECK(warpgauge_device_set(d, "sm_count", 54, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_device_get(d, "sm_count", &value, NULL) == WARPGAUGE_OK && value == 54);
    CHECK_ERROR(WARPGAUGE_UNKNOWN_PARAMETER, "flops", warpgauge_device_get(d, "flops", &value, to));
    CHECK_ERROR(WARPGAUGE_MISSING, "coalesced_departure_cycles",
                warpgauge_device_get(d, "coalesced_departure_cycles", &value, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device",
                warpgauge_device_get(NULL, "sm_count", &value, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "parameter", warpgauge_device_get(d, NULL, &value, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "value", warpgauge_device_get(d, "sm_count", NULL, to));
    CHECK_ERROR(WARPGAUGE_UNKNOWN_PARAMETER, "flops", warpgauge_device_set(d, "flops", 1, to));
    CHECK_ERROR(WARPGAUGE_NOT_POSITIVE, "sm_count", warpgauge_device_set(d, "sm_count", 0, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_device_set(NULL, "sm_count", 1, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "parameter", warpgauge_device_set(d, NULL, 1, to));
    CHECK(warpgauge_device_get(d, "sm_count", &value, NULL) == WARPGAUGE_OK && value == 54);
    warpgauge_device_close(d);
    warpgauge_device_close(NULL);
    CHECK(warpgauge_device_name(NULL) == NULL);
    CHECK(warpgauge_device_default_model(NULL) == NULL);
}

static void profiles(void) {
    warpgauge_profile* k = open_saxpy();
    warpgauge_profile* copy = NULL;
    double value = 0;
    size_t n;
    for (n = 0; n < length_of(WARPGAUGE_PROFILE_PARAMETERS); ++n) {
        const char* name = warpgauge_name_at(WARPGAUGE_PROFILE_PARAMETERS, n);
        CHECK(warpgauge_profile_set(k, name, 1, NULL) == WARPGAUGE_OK);
        CHECK(warpgauge_profile_get(k, name, &value, NULL) == WARPGAUGE_OK && value == 1);
    }
    CHECK(warpgauge_profile_open(k, &copy, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_set(copy, "blocks", 7, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_profile_get(k, "blocks", &value, NULL) == WARPGAUGE_OK && value == 1);
    CHECK(warpgauge_profile_get(copy, "blocks", &value, NULL) == WARPGAUGE_OK && value == 7);
    CHECK(warpgauge_profile_get(copy, "l2_waits", &value, NULL) == WARPGAUGE_OK && value == 1);
    warpgauge_profile_close(copy);

    CHECK_ERROR(WARPGAUGE_UNKNOWN_PARAMETER, "block", warpgauge_profile_set(k, "block", 1, to));
    CHECK_ERROR(WARPGAUGE_UNKNOWN_PARAMETER, "block",
                warpgauge_profile_get(k, "block", &value, to));
    CHECK_ERROR(WARPGAUGE_OUTSIDE_DOMAIN, "dimensions",
                warpgauge_profile_set(k, "dimensions", 4, to));
    CHECK_ERROR(WARPGAUGE_OUTSIDE_DOMAIN, "dimensions",
                warpgauge_profile_set(k, "dimensions", 0.5, to));
    CHECK_ERROR(WARPGAUGE_OUTSIDE_DOMAIN, "dimensions",
                warpgauge_profile_set(k, "dimensions", NAN, to));
    CHECK_ERROR(WARPGAUGE_OUTSIDE_DOMAIN, "waits_counted",
                warpgauge_profile_set(k, "waits_counted", 2, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_profile_open(NULL, NULL, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_profile_set(NULL, "blocks", 1, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "parameter", warpgauge_profile_set(k, NULL, 1, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile",
                warpgauge_profile_get(NULL, "blocks", &value, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "parameter", warpgauge_profile_get(k, NULL, &value, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "value", warpgauge_profile_get(k, "blocks", NULL, to));
    warpgauge_profile_close(k);
    warpgauge_profile_close(NULL);
}

static void predictions(void) {
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_profile* k = open_saxpy();
    warpgauge_prediction p;
    warpgauge_prediction same;
    warpgauge_error error;
    CHECK(warpgauge_predict(d, NULL, k, &p, &error) == WARPGAUGE_OK);
    CHECK(error.code == WARPGAUGE_OK && error.message[0] == '\0');
    CHECK(p.seconds > 1e-6 && p.seconds < 1e-4 && p.cycles > 0);
    CHECK(strcmp(p.model, "saturation") == 0 && p.limited_by[0] != '\0' && p.assumed != 0);
    CHECK(warpgauge_predict(d, "saturation", k, &same, NULL) == WARPGAUGE_OK);
    CHECK(same.seconds == p.seconds);

    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "guess", warpgauge_predict(d, "guess", k, &p, to));
    CHECK_ERROR(WARPGAUGE_MISSING, "issue_cycles", warpgauge_predict(d, "mwp_cwp", k, &p, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_predict(NULL, NULL, k, &p, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_predict(d, NULL, NULL, &p, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "prediction", warpgauge_predict(d, NULL, k, NULL, to));
    CHECK(warpgauge_profile_set(k, "blocks", -1, NULL) == WARPGAUGE_OK);
    CHECK_ERROR(WARPGAUGE_NOT_POSITIVE, "blocks", warpgauge_predict(d, NULL, k, &p, to));
    CHECK(p.seconds == same.seconds); /* as it was */
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

/* Columns of each way to predict, with one configuration in error; every count of rows, as packs are filled. */
static void columns_of(const char* device_name, const char* model) {
    enum { most = 9 };
    warpgauge_device* d = open_device(device_name);
    warpgauge_profile* k = open_saxpy();
    double comp[most];
    double memory[most];
    double seconds[most + 1];
    int32_t codes[most + 1];
    const char* names[2] = {"comp_insts", "coalesced_mem_insts"};
    const double* columns[2];
    warpgauge_columns c;
    size_t count;
    size_t n;
    columns[0] = comp;
    columns[1] = memory;
    c.column_count = 2;
    c.names = names;
    c.columns = columns;
    for (count = 0; count <= most; ++count) {
        size_t predicted = 77;
        for (n = 0; n < count; ++n) {
            comp[n] = n == 4 ? -1 : 100.0 * (double)(n + 1);
            memory[n] = (double)(n % 3 + 1);
        }
        seconds[count] = 77;
        codes[count] = 77;
        c.count = count;
        CHECK(warpgauge_predict_columns(d, model, k, &c, seconds, codes, &predicted, NULL) ==
              WARPGAUGE_OK);
        CHECK(predicted == (count > 4 ? count - 1 : count));
        CHECK(seconds[count] == 77 && codes[count] == 77);
        for (n = 0; n < count; ++n) {
            warpgauge_prediction p;
            CHECK(warpgauge_profile_set(k, "comp_insts", comp[n], NULL) == WARPGAUGE_OK);
            CHECK(warpgauge_profile_set(k, "coalesced_mem_insts", memory[n], NULL) == WARPGAUGE_OK);
            if (n == 4) {
                CHECK(seconds[n] == 0 && codes[n] == WARPGAUGE_NEGATIVE);
                CHECK_ERROR(WARPGAUGE_NEGATIVE, "comp_insts",
                            warpgauge_predict(d, model, k, &p, to));
            } else {
                CHECK(warpgauge_predict(d, model, k, &p, NULL) == WARPGAUGE_OK &&
                      codes[n] == WARPGAUGE_OK);
                CHECK(fabs(seconds[n] - p.seconds) <= 1e-12 * p.seconds);
            }
        }
        CHECK(warpgauge_predict_columns(d, model, k, &c, seconds, NULL, NULL, NULL) ==
              WARPGAUGE_OK);
    }
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

/* Columns of what is no number; one configuration has none of its values. */
static void switch_columns(const char* device, const char* model) {
    enum { count = 9 };
    const double counted[count] = {0, 0, 0, 1, 1, 0.5, 0, 1, 1};
    const double dimensions[count] = {0, 0, 0, 0, 0, 0, 0, 0, 4};
    const double comp[count] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
    const char* names[3] = {"waits_counted", "comp_insts", "dimensions"};
    const double* columns[3];
    warpgauge_device* d = open_device(device);
    warpgauge_profile* k = open_saxpy();
    double seconds[count];
    int32_t codes[count];
    warpgauge_columns c;
    size_t predicted = 0;
    size_t n;
    columns[0] = counted;
    columns[1] = comp;
    columns[2] = dimensions;
    c.count = count;
    c.column_count = 3;
    c.names = names;
    c.columns = columns;
    CHECK(warpgauge_predict_columns(d, model, k, &c, seconds, codes, &predicted, NULL) ==
          WARPGAUGE_OK);
    CHECK(predicted == count - 2);
    for (n = 0; n < count; ++n) {
        warpgauge_prediction p;
        CHECK(warpgauge_profile_set(k, "comp_insts", comp[n], NULL) == WARPGAUGE_OK);
        if (n == 5 || n == 8) {
            CHECK(seconds[n] == 0 && codes[n] == WARPGAUGE_OUTSIDE_DOMAIN);
        } else {
            CHECK(warpgauge_profile_set(k, names[0], counted[n], NULL) == WARPGAUGE_OK);
            CHECK(warpgauge_predict(d, model, k, &p, NULL) == WARPGAUGE_OK && codes[n] == 0);
            CHECK(fabs(seconds[n] - p.seconds) <= 1e-12 * p.seconds);
        }
    }
    CHECK(seconds[0] < seconds[1]);
    c.count = 0;
    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "guess",
                warpgauge_predict_columns(d, "guess", k, &c, seconds, codes, NULL, to));
    names[2] = "waits_counted";
    CHECK_ERROR(WARPGAUGE_AMBIGUOUS_NAME, "waits_counted",
                warpgauge_predict_columns(d, model, k, &c, seconds, codes, NULL, to));
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

/* A column for every parameter. */
static void all_columns(void) {
    enum { most = 128 };
    const char* names[most];
    const double* columns[most];
    double values[most];
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_profile* k = open_saxpy();
    warpgauge_prediction p;
    double seconds = 0;
    warpgauge_columns c;
    size_t n;
    c.column_count = length_of(WARPGAUGE_PROFILE_PARAMETERS);
    CHECK(c.column_count <= most);
    for (n = 0; n < c.column_count; ++n) {
        names[n] = warpgauge_name_at(WARPGAUGE_PROFILE_PARAMETERS, n);
        CHECK(warpgauge_profile_get(k, names[n], &values[n], NULL) == WARPGAUGE_OK);
        columns[n] = &values[n];
    }
    c.count = 1;
    c.names = names;
    c.columns = columns;
    CHECK(warpgauge_predict(d, NULL, k, &p, NULL) == WARPGAUGE_OK);
    warpgauge_profile_close(k);
    CHECK(warpgauge_profile_open(NULL, &k, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_predict_columns(d, NULL, k, &c, &seconds, NULL, NULL, NULL) == WARPGAUGE_OK);
    CHECK(fabs(seconds - p.seconds) <= 1e-12 * p.seconds);
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

static void column_errors(void) {
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_profile* k = open_saxpy();
    double seconds[2] = {0, 0};
    double values[2] = {1, 2};
    const char* names[129];
    const double* columns[129];
    warpgauge_columns c;
    size_t n;
    for (n = 0; n < 129; ++n) {
        names[n] = "comp_insts";
        columns[n] = values;
    }
    c.count = 2;
    c.column_count = 1;
    c.names = names;
    c.columns = columns;
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device",
                warpgauge_predict_columns(NULL, NULL, k, &c, seconds, NULL, NULL, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "common",
                warpgauge_predict_columns(d, NULL, NULL, &c, seconds, NULL, NULL, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "configurations",
                warpgauge_predict_columns(d, NULL, k, NULL, seconds, NULL, NULL, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "seconds",
                warpgauge_predict_columns(d, NULL, k, &c, NULL, NULL, NULL, to));
    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "guess",
                warpgauge_predict_columns(d, "guess", k, &c, seconds, NULL, NULL, to));
    c.column_count = 129;
    CHECK_ERROR(WARPGAUGE_LIMIT_REACHED, "columns",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    c.column_count = 2;
    CHECK_ERROR(WARPGAUGE_AMBIGUOUS_NAME, "comp_insts",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    names[1] = "flops";
    CHECK_ERROR(WARPGAUGE_UNKNOWN_PARAMETER, "flops",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    names[1] = NULL;
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "names",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    names[1] = "blocks";
    columns[1] = NULL;
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "columns",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    c.names = NULL;
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "names",
                warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, to));
    c.column_count = 0; /* every configuration is the common one */
    CHECK(warpgauge_predict_columns(d, NULL, k, &c, seconds, NULL, NULL, NULL) == WARPGAUGE_OK);
    CHECK(seconds[0] > 0 && seconds[0] == seconds[1]);
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

static void ranks(void) {
    const double seconds[5] = {3, 1, 0, 1.05, 2};
    size_t order[5];
    size_t groups[5];
    const size_t wanted[5] = {1, 3, 4, 0, 2};
    CHECK(warpgauge_rank(seconds, 5, 0.1, order, groups, NULL) == WARPGAUGE_OK);
    CHECK(memcmp(order, wanted, sizeof order) == 0);
    CHECK(groups[0] == 0 && groups[1] == 0 && groups[2] == 1 && groups[3] == 2 &&
          groups[4] == (size_t)-1);
    CHECK(warpgauge_rank(seconds, 5, 0, order, NULL, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_rank(NULL, 0, 0, NULL, NULL, NULL) == WARPGAUGE_OK);
    CHECK_ERROR(WARPGAUGE_NEGATIVE, "tolerance", warpgauge_rank(seconds, 5, -1, order, groups, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "seconds", warpgauge_rank(NULL, 5, 0, order, groups, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "order", warpgauge_rank(seconds, 5, 0, NULL, groups, to));
}

static void occupancies(void) {
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_profile* k = open_saxpy();
    warpgauge_occupancy_estimate o;
    warpgauge_occupancy_step s;
    CHECK(warpgauge_occupancy(d, k, &o, NULL) == WARPGAUGE_OK);
    CHECK(o.active_blocks_per_sm == 6 && o.active_warps_per_sm == 48 && o.occupancy == 0.75);
    CHECK(strcmp(o.limiter, "registers") == 0);
    CHECK(warpgauge_next_occupancy_step(d, k, &s, NULL) == WARPGAUGE_OK);
    CHECK(s.active_blocks_per_sm == 8 && s.registers_per_thread == 32 &&
          s.shared_bytes_per_block == 0);
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_occupancy(NULL, k, &o, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_occupancy(d, NULL, &o, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "estimate", warpgauge_occupancy(d, k, NULL, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_next_occupancy_step(NULL, k, &s, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_next_occupancy_step(d, NULL, &s, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "step", warpgauge_next_occupancy_step(d, k, NULL, to));
    CHECK(warpgauge_profile_set(k, "registers_per_thread", 16, NULL) == WARPGAUGE_OK);
    CHECK_ERROR(WARPGAUGE_ALREADY_FULL, "active_warps_per_sm",
                warpgauge_next_occupancy_step(d, k, &s, to));
    CHECK(warpgauge_profile_set(k, "registers_per_thread", 1000, NULL) == WARPGAUGE_OK);
    CHECK_ERROR(WARPGAUGE_EXCEEDS_DEVICE, "registers_per_thread",
                warpgauge_occupancy(d, k, &o, to));
    CHECK_ERROR(WARPGAUGE_EXCEEDS_DEVICE, "registers_per_thread",
                warpgauge_next_occupancy_step(d, k, &s, to));
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

static void explanations(void) {
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_profile* k = open_saxpy();
    warpgauge_explanation e;
    warpgauge_prediction p;
    size_t n;
    CHECK(warpgauge_explain(d, NULL, k, &e, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_predict(d, NULL, k, &p, NULL) == WARPGAUGE_OK);
    CHECK(e.seconds == p.seconds && e.assumed == p.assumed && strcmp(e.model, p.model) == 0);
    CHECK(e.limiting != NULL && e.removal_count > 2 && e.removals[0].bottleneck == e.limiting);
    for (n = 0; n < e.removal_count; ++n) {
        CHECK(e.removals[n].code != 0 ||
              e.removals[n].benefit_seconds == e.seconds - e.removals[n].seconds);
        CHECK(n == 0 || e.removals[n].code != 0 ||
              e.removals[n].benefit_seconds <= e.removals[n - 1].benefit_seconds);
    }
    CHECK_ERROR(WARPGAUGE_OUTSIDE_DOMAIN, "model", warpgauge_explain(d, "makespan", k, &e, to));
    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "guess", warpgauge_explain(d, "guess", k, &e, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "device", warpgauge_explain(NULL, NULL, k, &e, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_explain(d, NULL, NULL, &e, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "explanation", warpgauge_explain(d, NULL, k, NULL, to));
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

static char* read_file(const char* path, size_t* length) {
    FILE* file = fopen(path, "rb");
    char* text = malloc(1 << 20);
    if (file == NULL || text == NULL) exit(2);
    *length = fread(text, 1, 1 << 20, file);
    (void)fclose(file);
    return text;
}

static void ptx(const char* path) {
    size_t length = 0;
    char* text = read_file(path, &length);
    const warpgauge_argument arguments[2] = {{WARPGAUGE_INTEGER, 1024}, {WARPGAUGE_NOT_GIVEN, 0}};
    const warpgauge_argument wrong[1] = {{9, 0}};
    warpgauge_launch launch;
    warpgauge_device* d = open_device("a100 sxm4 40gb");
    warpgauge_ptx* x = NULL;
    warpgauge_ptx* none = NULL;
    warpgauge_profile* k = NULL;
    warpgauge_prediction p;
    double value = 0;
    memset(&launch, 0, sizeof launch);
    launch.kernel = "matmul_tiled";
    launch.grid[0] = launch.grid[1] = 64;
    launch.block[0] = launch.block[1] = 16;
    launch.grid[2] = launch.block[2] = 1;
    launch.arguments = arguments;
    launch.argument_count = 2;

    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "text", warpgauge_ptx_open(NULL, 1, &none, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "ptx", warpgauge_ptx_open(text, length, NULL, to));
    CHECK_ERROR(WARPGAUGE_EXPECTED, "a directive", warpgauge_ptx_open("?", 1, &none, to));
    CHECK(none == NULL);
    CHECK(warpgauge_ptx_open(text, length, &x, NULL) == WARPGAUGE_OK);
    memset(text, '?', length); /* what was parsed is a copy */
    free(text);
    CHECK(strcmp(warpgauge_ptx_kernel(x, 0), "matmul_naive") == 0);
    CHECK(strcmp(warpgauge_ptx_kernel(x, 1), "matmul_tiled") == 0);
    CHECK(warpgauge_ptx_kernel(x, 2) == NULL && warpgauge_ptx_kernel(NULL, 0) == NULL);

    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "ptx", warpgauge_ptx_trace(NULL, &launch, d, &k, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "launch", warpgauge_ptx_trace(x, NULL, d, &k, to));
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "profile", warpgauge_ptx_trace(x, &launch, d, NULL, to));
    launch.max_steps = 400;
    CHECK_ERROR(WARPGAUGE_LIMIT_REACHED, "max_steps", warpgauge_ptx_trace(x, &launch, d, &k, to));
    {
        warpgauge_error steps;
        CHECK(warpgauge_ptx_trace(x, &launch, d, &k, &steps) == WARPGAUGE_LIMIT_REACHED);
        CHECK(strstr(steps.message,
                     ": max_steps reached in loop $L__BB1_2, source line 18, after ") != NULL);
        CHECK(strstr(steps.message, " = 1024") != NULL); /* the bound */
    }
    launch.max_steps = 0;
    launch.arguments = wrong;
    launch.argument_count = 1;
    CHECK_ERROR(WARPGAUGE_NOT_AN_ENUMERATOR, "arguments",
                warpgauge_ptx_trace(x, &launch, d, &k, to));
    launch.arguments = NULL;
    CHECK_ERROR(WARPGAUGE_NULL_POINTER, "arguments", warpgauge_ptx_trace(x, &launch, d, &k, to));
    launch.argument_count = 0;
    CHECK_ERROR(WARPGAUGE_MISSING, "matmul_tiled_param_0",
                warpgauge_ptx_trace(x, &launch, d, &k, to));
    launch.kernel = "matmul_tile";
    CHECK_ERROR(WARPGAUGE_UNKNOWN_NAME, "matmul_tile", warpgauge_ptx_trace(x, &launch, d, &k, to));
    launch.kernel = NULL;
    CHECK_ERROR(WARPGAUGE_MISSING, "kernel", warpgauge_ptx_trace(x, &launch, d, &k, to));
    {
        warpgauge_error several;
        CHECK(warpgauge_ptx_trace(x, &launch, d, &k, &several) == WARPGAUGE_MISSING);
        CHECK(strcmp(several.message, "kernel is needed; the text has matmul_naive matmul_tiled") ==
              0);
    }
    CHECK(k == NULL);

    launch.kernel = "matmul_tiled";
    launch.arguments = arguments;
    launch.argument_count = 2;
    CHECK(warpgauge_ptx_trace(x, &launch, d, &k, NULL) == WARPGAUGE_OK);
    warpgauge_ptx_close(x); /* what was traced needs it no more */
    warpgauge_ptx_close(NULL);
    CHECK(warpgauge_profile_get(k, "sync_insts", &value, NULL) == WARPGAUGE_OK && value == 128);
    CHECK(warpgauge_predict(d, "saturation", k, &p, NULL) == WARPGAUGE_OK);
    CHECK(warpgauge_predict(d, "hybrid", k, &p, NULL) ==
          WARPGAUGE_OK); /* by its instruction stream */
    warpgauge_profile_close(k);
    warpgauge_device_close(d);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    lists();
    devices();
    profiles();
    predictions();
    columns_of("a100 sxm4 40gb", "saturation");
    columns_of("a100 sxm4 40gb", "roofline");
    columns_of("geforce gtx 280", "mwp_cwp");
    switch_columns("a100 sxm4 40gb", "saturation");
    switch_columns("geforce gtx 280", "mwp_cwp");
    all_columns();
    column_errors();
    ranks();
    occupancies();
    explanations();
    ptx(argv[1]);
    if (failures == 0) puts("all is as it must be");
    return failures != 0;
}
