/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WARPGAUGE_C_H
#define WARPGAUGE_C_H

#include <stddef.h>
#include <stdint.h>

/**
 * \file The library from C99 and C++17, without its templates: link `warpgauge::c`, or `pkg-config --libs warpgauge-c`.
 *
 * A function that can fail returns a code, `WARPGAUGE_OK` or why not, and writes the same with field and sentence to
 * `error` unless that is null. It then leaves its other outputs as they were, and no handle is made. Nothing
 * throws, and there are no globals: any number of threads may call at the same time. They may share a handle as long as
 * no `_set` or `_close` of it runs. Texts end with a null character; those that the library returns have static storage
 * duration, unless their function says otherwise.
 *
 * Parameters have the names, units and ranges of `warpgauge/device/parameters.hpp` and `warpgauge/kernel/profile.hpp`;
 * `warpgauge_name_at` lists them.
 */

#if defined(_WIN32)
#define WARPGAUGE_API
#else
#define WARPGAUGE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Why a function failed. The first are those of `errc` in `warpgauge/core/result.hpp`. */
enum warpgauge_code {
    WARPGAUGE_OK = 0,
    WARPGAUGE_NOT_POSITIVE = 1,               /**< must be a finite number above zero */
    WARPGAUGE_NEGATIVE = 2,                   /**< must be a finite number, zero or above */
    WARPGAUGE_MISSING = 3,                    /**< is needed, and nothing gives it */
    WARPGAUGE_EXCEEDS_DEVICE = 4,             /**< is more than the device allows */
    WARPGAUGE_UNKNOWN_COMPUTE_CAPABILITY = 5, /**< no limits are known for it */
    WARPGAUGE_UNKNOWN_PARAMETER = 6,          /**< neither device nor profile has it */
    WARPGAUGE_OUTSIDE_DOMAIN = 7,             /**< the equations have no value here */
    WARPGAUGE_OVERFLOW = 8,                   /**< too large or too small to compute with */
    WARPGAUGE_LIMIT_REACHED = 9,              /**< a bound on work or memory was met */
    WARPGAUGE_MALFORMED = 10,                 /**< a text does not have the expected form */
    WARPGAUGE_EXPECTED = 11,                  /**< something else stands in its place in a text */
    WARPGAUGE_UNKNOWN_NAME = 12,              /**< nothing has this name */
    WARPGAUGE_AMBIGUOUS_NAME = 13,            /**< several have it */
    WARPGAUGE_BROKEN_CONSTRAINT = 14,         /**< a constraint does not hold */
    WARPGAUGE_NOT_AN_ENUMERATOR = 15,         /**< is none of the values of its type */
    WARPGAUGE_ALREADY_FULL = 16,              /**< there is no room for another */
    WARPGAUGE_EXCEEDS_MEMORY = 17,            /**< is more than the device's memory has left */
    WARPGAUGE_NULL_POINTER = 100,             /**< a pointer that must not be null is */
    WARPGAUGE_OUT_OF_MEMORY = 101             /**< the host has no memory left */
};

/** What went wrong. Long texts are cut off. */
typedef struct warpgauge_error {
    int32_t code;      /**< `enum warpgauge_code` */
    uint32_t line;     /**< of a text, or entry of a list, from 1; 0: neither */
    uint32_t column;   /**< in that line, from 1; 0: no text */
    char field[132];   /**< the input at fault, by name */
    char message[256]; /**< a sentence: "blocks must be a finite number above zero" */
} warpgauge_error;

/** The version of the library that runs: "0.1.0". */
WARPGAUGE_API const char* warpgauge_version(void);

/** Lists of names. */
enum warpgauge_list {
    WARPGAUGE_DEVICES = 0,            /**< GPUs of the library, oldest first */
    WARPGAUGE_MODELS = 1,             /**< models */
    WARPGAUGE_DEVICE_PARAMETERS = 2,  /**< parameters that a device may have */
    WARPGAUGE_PROFILE_PARAMETERS = 3, /**< parameters that a profile may have */
    WARPGAUGE_ASSUMPTIONS = 4         /**< what a prediction may take for granted, in words */
};

/** Entry `index`, from 0, of an `enum warpgauge_list`; null beyond the last, or where there is no such list. */
WARPGAUGE_API const char* warpgauge_name_at(int list, size_t index);

/* --- Devices */

/** A GPU, as a copy whose parameters can be changed. */
typedef struct warpgauge_device warpgauge_device;

/** Opens the GPU of that name: its own, as CUDA reports it, a short one ("a100"), or words that it alone has.
 * Codes: UNKNOWN_NAME, AMBIGUOUS_NAME: the name. */
WARPGAUGE_API int warpgauge_device_open(const char* name, warpgauge_device** device,
                                        warpgauge_error* error);
WARPGAUGE_API void warpgauge_device_close(warpgauge_device* device); /**< null: nothing to do */

/** Its own name; null for null. */
WARPGAUGE_API const char* warpgauge_device_name(const warpgauge_device* device);

/** The model that suits it best, of those that need no instruction stream; null for null. */
WARPGAUGE_API const char* warpgauge_device_default_model(const warpgauge_device* device);

/** Codes: UNKNOWN_PARAMETER: no device has it. MISSING: not known of this one. */
WARPGAUGE_API int warpgauge_device_get(const warpgauge_device* device, const char* parameter,
                                       double* value, warpgauge_error* error);

/** Codes: UNKNOWN_PARAMETER; NOT_POSITIVE, NEGATIVE, OUTSIDE_DOMAIN: not in the lawful range of the parameter. */
WARPGAUGE_API int warpgauge_device_set(warpgauge_device* device, const char* parameter,
                                       double value, warpgauge_error* error);

/* --- Profiles */

/** One launch of one kernel: what it does. */
typedef struct warpgauge_profile warpgauge_profile;

/** Opens a copy of `like`, or, where that is null, a profile with defaults: all 0 but the few that say otherwise. */
WARPGAUGE_API int warpgauge_profile_open(const warpgauge_profile* like, warpgauge_profile** profile,
                                         warpgauge_error* error);
WARPGAUGE_API void warpgauge_profile_close(warpgauge_profile* profile); /**< null: nothing to do */

/** Codes: UNKNOWN_PARAMETER: the name. */
WARPGAUGE_API int warpgauge_profile_get(const warpgauge_profile* profile, const char* parameter,
                                        double* value, warpgauge_error* error);

/** Any number is taken; the model says what is wrong with it. But "dimensions" of a stencil is 0 (none) to 3, and
 * "waits_counted" 0 or 1.
 * Codes: UNKNOWN_PARAMETER: the name. OUTSIDE_DOMAIN: one of these two. */
WARPGAUGE_API int warpgauge_profile_set(warpgauge_profile* profile, const char* parameter,
                                        double value, warpgauge_error* error);

/* --- Predictions */

/** How long a launch takes. */
typedef struct warpgauge_prediction {
    double cycles; /**< of an SM, the whole launch */
    double seconds;
    const char* model;      /**< that was asked */
    const char* limited_by; /**< in words; "" where the model does not say */
    uint64_t assumed; /**< bit i: the model took entry i of WARPGAUGE_ASSUMPTIONS for granted */
} warpgauge_prediction;

/** Predicts by the model of that name; null: the default model of the device. The closed forms allocate nothing.
 * Codes: UNKNOWN_NAME: the model. MISSING: a parameter that the model needs of device or profile. Those of the model. */
WARPGAUGE_API int warpgauge_predict(const warpgauge_device* device, const char* model,
                                    const warpgauge_profile* profile,
                                    warpgauge_prediction* prediction, warpgauge_error* error);

/** Configurations, column by column. Nothing is copied. */
typedef struct warpgauge_columns {
    size_t count;             /**< configurations */
    size_t column_count;      /**< at most 128, which all parameters fit in */
    const char* const* names; /**< a parameter of profiles for each column; no two are the same */
    const double* const* columns; /**< `columns[c][i]`: the value in configuration i */
} warpgauge_columns;

/** Predicts every configuration: `common` with the values of its row. `seconds[i]` becomes the time, or 0 where there is
 * none; `codes[i]` says why, unless `codes` is null, and `warpgauge_predict` of that configuration names the field.
 * Roofline, MWP/CWP and saturation predict several at a time, as long as "dimensions" and "waits_counted" do not change.
 * `predicted`, unless null, becomes the number of times.
 * Codes: as `warpgauge_predict`, but for those of single configurations. UNKNOWN_PARAMETER: the name of a column.
 * AMBIGUOUS_NAME: a name that two columns have. LIMIT_REACHED: too many columns. */
WARPGAUGE_API int warpgauge_predict_columns(const warpgauge_device* device, const char* model,
                                            const warpgauge_profile* common,
                                            const warpgauge_columns* configurations,
                                            double* seconds, int32_t* codes, size_t* predicted,
                                            warpgauge_error* error);

/** Orders predicted times, the fastest first; those that are 0 last. Times that differ by at most the fraction `tolerance`
 * of the fastest among them are one group, in the order of the list. `order` becomes the `count` places in the list;
 * `groups`, unless null, the number of the group of each entry of `order`, from 0, and SIZE_MAX for what has no time.
 * Codes: NEGATIVE: `tolerance`. */
WARPGAUGE_API int warpgauge_rank(const double* seconds, size_t count, double tolerance,
                                 size_t* order, size_t* groups, warpgauge_error* error);

/* --- Occupancy */

/** How many blocks of a kernel one SM holds. */
typedef struct warpgauge_occupancy_estimate {
    double active_blocks_per_sm;
    double active_warps_per_sm;
    double occupancy;    /**< of the warps that an SM can hold, 0 to 1 */
    const char* limiter; /**< "warps", "blocks", "registers" or "shared memory" */
} warpgauge_occupancy_estimate;

/** Codes: MISSING: the device does not say what an SM holds. EXCEEDS_DEVICE: no block fits; the resource. */
WARPGAUGE_API int warpgauge_occupancy(const warpgauge_device* device,
                                      const warpgauge_profile* profile,
                                      warpgauge_occupancy_estimate* estimate,
                                      warpgauge_error* error);

/** The least change that makes room for another block. */
typedef struct warpgauge_occupancy_step {
    double active_blocks_per_sm;   /**< after the step */
    double registers_per_thread;   /**< the most that a thread may then use */
    double shared_bytes_per_block; /**< the most that a block may then use */
} warpgauge_occupancy_step;

/** Codes: as `warpgauge_occupancy`; ALREADY_FULL: no further block fits, whatever the kernel gives up. */
WARPGAUGE_API int warpgauge_next_occupancy_step(const warpgauge_device* device,
                                                const warpgauge_profile* profile,
                                                warpgauge_occupancy_step* step,
                                                warpgauge_error* error);

/* --- What limits a kernel */

/** What there is to gain from one bottleneck. */
typedef struct warpgauge_removal {
    const char* bottleneck; /**< in words: "memory bandwidth" */
    double seconds;         /**< without it */
    double benefit_seconds; /**< what is gained; below 0 where the model predicts a longer time */
    int32_t code;           /**< why there is no prediction without it; else 0 */
} warpgauge_removal;

/** Why a kernel takes as long as it does. */
typedef struct warpgauge_explanation {
    double seconds;           /**< as it is */
    const char* model;        /**< that was asked */
    const char* limiting;     /**< the bottleneck that gains most; null: none gains */
    const char* next;         /**< the one that gains most once `limiting` is removed; null: none */
    double next_after_factor; /**< beyond it, `next` gains more than `limiting`; 0: not found */
    uint64_t assumed;         /**< as in `warpgauge_prediction` */
    size_t removal_count;
    warpgauge_removal removals[16]; /**< the largest benefit first, those without a time last */
} warpgauge_explanation;

/** Explains the time that a closed form or the simulation "hybrid" predicts; null: the default model of the device.
 * Codes: as `warpgauge_predict`; OUTSIDE_DOMAIN, `model`: a model that explains nothing. */
WARPGAUGE_API int warpgauge_explain(const warpgauge_device* device, const char* model,
                                    const warpgauge_profile* profile,
                                    warpgauge_explanation* explanation, warpgauge_error* error);

/* --- PTX */

/** A PTX text, parsed. */
typedef struct warpgauge_ptx warpgauge_ptx;

/** Parses a copy of `length` bytes of `text`.
 * Codes: with line and column, MALFORMED, EXPECTED, LIMIT_REACHED and others. */
WARPGAUGE_API int warpgauge_ptx_open(const char* text, size_t length, warpgauge_ptx** ptx,
                                     warpgauge_error* error);
WARPGAUGE_API void warpgauge_ptx_close(warpgauge_ptx* ptx); /**< null: nothing to do */

/** The name of kernel `index`, from 0, until `ptx` is closed; null beyond the last. */
WARPGAUGE_API const char* warpgauge_ptx_kernel(const warpgauge_ptx* ptx, size_t index);

/** What is known of an argument. */
enum warpgauge_argument_kind {
    WARPGAUGE_NOT_GIVEN = 0, /**< a float, or a pointer to an allocation of its own */
    WARPGAUGE_INTEGER = 1,   /**< `value` */
    WARPGAUGE_UNKNOWN = 2    /**< an integer of which nothing is to be assumed */
};

/** One argument of a kernel, in the order of its parameters. */
typedef struct warpgauge_argument {
    int32_t kind;  /**< `enum warpgauge_argument_kind` */
    int64_t value; /**< of WARPGAUGE_INTEGER */
} warpgauge_argument;

/** How a kernel is launched. */
typedef struct warpgauge_launch {
    const char* kernel; /**< its name in the text; null: the only one there is */
    uint32_t grid[3];   /**< blocks */
    uint32_t block[3];  /**< threads */
    uint64_t dynamic_shared_bytes;
    const warpgauge_argument* arguments; /**< those that are not there are not given */
    size_t argument_count;
    uint64_t max_steps; /**< instructions that are followed; 0: 100 million */
} warpgauge_launch;

/** Follows the warps of a launch, and opens the profile of what they do, with its instruction stream. `device`, unless null, says by
 * the rules of which GPU accesses coalesce; else the text's `.target` does.
 * Codes: UNKNOWN_NAME, AMBIGUOUS_NAME: the kernel. NOT_POSITIVE, EXCEEDS_DEVICE: `grid`, `block`. MISSING: an integer argument
 * without value, `line` is its place; OVERFLOW: one that its parameter has too few bits for. BROKEN_CONSTRAINT: `.maxntid`,
 * `.reqntid` of the text. LIMIT_REACHED: `max_steps`. Others, with line and column of the text. */
WARPGAUGE_API int warpgauge_ptx_trace(const warpgauge_ptx* ptx, const warpgauge_launch* launch,
                                      const warpgauge_device* device, warpgauge_profile** profile,
                                      warpgauge_error* error);

#ifdef __cplusplus
}
#endif

#endif
