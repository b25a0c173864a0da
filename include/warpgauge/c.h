/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef WARPGAUGE_C_H
#define WARPGAUGE_C_H

#include <stddef.h>
#include <stdint.h>

/**
 * \file The library from C99 and C++17, without its templates: link `warpgauge::c`, or `pkg-config --libs warpgauge-c`.
 *
 * A function that can fail returns `WARPGAUGE_OK` or the code of the error. It also writes the code, the field and a
 * sentence to `error`, unless that is null. After an error its other outputs are unchanged, and no handle is made.
 * Nothing throws, and the library has no globals: any number of threads may call it at the same time. They may share a
 * handle as long as no `_set` or `_close` of it runs. Texts end with a null character; those that the library returns
 * have static storage duration, unless their function says otherwise.
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

/** The reason why a function failed. The first are those of `errc` in `warpgauge/core/result.hpp`. */
enum warpgauge_code {
    WARPGAUGE_OK = 0,
    WARPGAUGE_NOT_POSITIVE = 1,               /**< must be a finite number above zero */
    WARPGAUGE_NEGATIVE = 2,                   /**< must be a finite number, zero or above */
    WARPGAUGE_MISSING = 3,                    /**< is needed, and nothing gives it */
    WARPGAUGE_EXCEEDS_DEVICE = 4,             /**< is more than the device allows */
    WARPGAUGE_UNKNOWN_COMPUTE_CAPABILITY = 5, /**< no limits are known for it */
    WARPGAUGE_UNKNOWN_PARAMETER = 6,          /**< neither device nor profile has it */
    WARPGAUGE_OUTSIDE_DOMAIN = 7,             /**< its value is not allowed here */
    WARPGAUGE_OVERFLOW = 8,                   /**< too large or too small to compute with */
    WARPGAUGE_LIMIT_REACHED = 9,              /**< a limit on work or memory was reached */
    WARPGAUGE_MALFORMED = 10,                 /**< a text does not have the expected form */
    WARPGAUGE_EXPECTED = 11,          /**< a text has something else where this is expected */
    WARPGAUGE_UNKNOWN_NAME = 12,      /**< nothing has this name */
    WARPGAUGE_AMBIGUOUS_NAME = 13,    /**< several have this name */
    WARPGAUGE_BROKEN_CONSTRAINT = 14, /**< a constraint does not hold */
    WARPGAUGE_NOT_AN_ENUMERATOR = 15, /**< is none of the values of its type */
    WARPGAUGE_ALREADY_FULL = 16,      /**< another one does not fit */
    WARPGAUGE_EXCEEDS_MEMORY = 17,    /**< is more than the free memory of the device */
    WARPGAUGE_NOT_WHOLE = 18,         /**< must be a whole number */
    WARPGAUGE_NULL_POINTER = 100,     /**< a pointer is null that must not be */
    WARPGAUGE_OUT_OF_MEMORY = 101     /**< the host has no memory left */
};

/** An error. Long texts are cut off. */
typedef struct warpgauge_error {
    int32_t code;      /**< `enum warpgauge_code` */
    uint32_t line;     /**< of a text, or entry of a list, from 1; 0: neither */
    uint32_t column;   /**< in that line, from 1; 0: no text */
    char field[132];   /**< the name of the input that has the error */
    char message[256]; /**< a sentence: "blocks must be a finite number above zero" */
} warpgauge_error;

/** The version of the library that runs, such as "0.2.0". */
WARPGAUGE_API const char* warpgauge_version(void);

/** Lists of names. */
enum warpgauge_list {
    WARPGAUGE_DEVICES = 0,            /**< GPUs of the library, oldest first */
    WARPGAUGE_MODELS = 1,             /**< models */
    WARPGAUGE_DEVICE_PARAMETERS = 2,  /**< parameters that a device may have */
    WARPGAUGE_PROFILE_PARAMETERS = 3, /**< parameters that a profile may have */
    WARPGAUGE_ASSUMPTIONS = 4         /**< assumptions of predictions, in words */
};

/** Entry `index`, from 0, of an `enum warpgauge_list`; null beyond the last, or if there is no such list. */
WARPGAUGE_API const char* warpgauge_name_at(int list, size_t index);

/* --- Devices */

/** A GPU, as a copy whose parameters can be changed. */
typedef struct warpgauge_device warpgauge_device;

/** Opens the GPU of that name: its own name, as CUDA reports it, a short name ("a100"), or words that only it has.
 * Codes: UNKNOWN_NAME, AMBIGUOUS_NAME: the name. */
WARPGAUGE_API int warpgauge_device_open(const char* name, warpgauge_device** device,
                                        warpgauge_error* error);
WARPGAUGE_API void warpgauge_device_close(warpgauge_device* device); /**< null: nothing to do */

/** Its own name; null for null. */
WARPGAUGE_API const char* warpgauge_device_name(const warpgauge_device* device);

/** Its default model, one of those that need no instruction stream; null for null. */
WARPGAUGE_API const char* warpgauge_device_default_model(const warpgauge_device* device);

/** Codes: UNKNOWN_PARAMETER: no device has it. MISSING: it is not known for this device. */
WARPGAUGE_API int warpgauge_device_get(const warpgauge_device* device, const char* parameter,
                                       double* value, warpgauge_error* error);

/** Codes: UNKNOWN_PARAMETER; NOT_POSITIVE, NEGATIVE, OUTSIDE_DOMAIN: not in the valid range of the parameter. */
WARPGAUGE_API int warpgauge_device_set(warpgauge_device* device, const char* parameter,
                                       double value, warpgauge_error* error);

/* --- Profiles */

/** The profile of one launch of one kernel. */
typedef struct warpgauge_profile warpgauge_profile;

/** Opens a copy of `like`, or, if that is null, a profile with the defaults of the C++ struct, most of which are 0. */
WARPGAUGE_API int warpgauge_profile_open(const warpgauge_profile* like, warpgauge_profile** profile,
                                         warpgauge_error* error);
WARPGAUGE_API void warpgauge_profile_close(warpgauge_profile* profile); /**< null: nothing to do */

/** Codes: UNKNOWN_PARAMETER: the name. */
WARPGAUGE_API int warpgauge_profile_get(const warpgauge_profile* profile, const char* parameter,
                                        double* value, warpgauge_error* error);

/** Accepts any number; the model reports an invalid one. But "dimensions" of a stencil has to be 0 (none) to 3, and
 * "waits_counted" 0 or 1.
 * Codes: UNKNOWN_PARAMETER: the name. OUTSIDE_DOMAIN: one of these two. */
WARPGAUGE_API int warpgauge_profile_set(warpgauge_profile* profile, const char* parameter,
                                        double value, warpgauge_error* error);

/* --- Predictions */

/** The predicted time of a launch. */
typedef struct warpgauge_prediction {
    double cycles; /**< of an SM, the whole launch */
    double seconds;
    const char* model;      /**< the model that predicted */
    const char* limited_by; /**< in words; "" if the model does not say */
    uint64_t assumed;       /**< bit i: the model assumed entry i of WARPGAUGE_ASSUMPTIONS */
} warpgauge_prediction;

/** Predicts by the model of that name; null: the default model of the device. The closed forms allocate nothing.
 * Codes: UNKNOWN_NAME: the model. MISSING: a parameter of device or profile that the model needs. Others are those of
 * the model. */
WARPGAUGE_API int warpgauge_predict(const warpgauge_device* device, const char* model,
                                    const warpgauge_profile* profile,
                                    warpgauge_prediction* prediction, warpgauge_error* error);

/** Configurations, column by column. Nothing is copied. */
typedef struct warpgauge_columns {
    size_t count;             /**< configurations */
    size_t column_count;      /**< at most 128, enough for all parameters */
    const char* const* names; /**< a parameter of profiles for each column; no two are the same */
    const double* const* columns; /**< `columns[c][i]`: the value in configuration i */
} warpgauge_columns;

/** Predicts every configuration: `common` with the values of its row. `seconds[i]` becomes the time, or 0 if there is
 * none. Then `codes[i]` has the reason, unless `codes` is null, and `warpgauge_predict` of that configuration names the
 * field.
 * Roofline, MWP/CWP and saturation predict several at a time, as long as "dimensions" and "waits_counted" do not
 * change.
 * `predicted`, unless null, becomes the number of times.
 * Codes: as `warpgauge_predict`, except those of single configurations. UNKNOWN_PARAMETER: the name of a column.
 * AMBIGUOUS_NAME: a name that two columns have. LIMIT_REACHED: too many columns. */
WARPGAUGE_API int warpgauge_predict_columns(const warpgauge_device* device, const char* model,
                                            const warpgauge_profile* common,
                                            const warpgauge_columns* configurations,
                                            double* seconds, int32_t* codes, size_t* predicted,
                                            warpgauge_error* error);

/** Orders predicted times, the fastest first; those that are 0 last. Times that differ by at most the fraction
 * `tolerance` of the fastest among them are one group, in the order of the list. `order` becomes the `count` indices of
 * the list. `groups`, unless null, becomes the number of the group of each entry of `order`, from 0, and SIZE_MAX for
 * an entry without a time.
 * Codes: NEGATIVE: `tolerance`. */
WARPGAUGE_API int warpgauge_rank(const double* seconds, size_t count, double tolerance,
                                 size_t* order, size_t* groups, warpgauge_error* error);

/* --- Occupancy */

/** The number of blocks of a kernel that one SM holds. */
typedef struct warpgauge_occupancy_estimate {
    double active_blocks_per_sm;
    double active_warps_per_sm;
    double occupancy;    /**< of the warps that an SM can hold, 0 to 1 */
    const char* limiter; /**< "warps", "blocks", "registers" or "shared memory" */
} warpgauge_occupancy_estimate;

/** Codes: MISSING: the device does not have the limits of an SM. EXCEEDS_DEVICE: no block fits; names the resource. */
WARPGAUGE_API int warpgauge_occupancy(const warpgauge_device* device,
                                      const warpgauge_profile* profile,
                                      warpgauge_occupancy_estimate* estimate,
                                      warpgauge_error* error);

/** The smallest change with which another block fits. */
typedef struct warpgauge_occupancy_step {
    double active_blocks_per_sm;   /**< after the step */
    double registers_per_thread;   /**< the maximum that a thread may then use */
    double shared_bytes_per_block; /**< the maximum that a block may then use */
} warpgauge_occupancy_step;

/** Codes: as `warpgauge_occupancy`; ALREADY_FULL: no further block fits, however little the kernel uses. */
WARPGAUGE_API int warpgauge_next_occupancy_step(const warpgauge_device* device,
                                                const warpgauge_profile* profile,
                                                warpgauge_occupancy_step* step,
                                                warpgauge_error* error);

/* --- What limits a kernel */

/** The gain from removing one bottleneck. */
typedef struct warpgauge_removal {
    const char* bottleneck; /**< in words: "memory bandwidth" */
    double seconds;         /**< without it */
    double benefit_seconds; /**< the gain; below 0 if the model predicts a longer time */
    int32_t code;           /**< the error of the prediction without it, or 0 */
} warpgauge_removal;

/** What limits a kernel, and the gain from each removal. */
typedef struct warpgauge_explanation {
    double seconds;       /**< of the unchanged kernel and device */
    const char* model;    /**< the model that predicted */
    const char* limiting; /**< the bottleneck with the largest gain; null: none gains */
    const char* next;     /**< that with the largest gain once `limiting` is removed; null: none */
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

/** What is known about an argument. */
enum warpgauge_argument_kind {
    WARPGAUGE_NOT_GIVEN = 0, /**< a float, or a pointer to an allocation of its own */
    WARPGAUGE_INTEGER = 1,   /**< `value` */
    WARPGAUGE_UNKNOWN = 2    /**< an integer with an unknown value */
};

/** One argument of a kernel, in the order of its parameters. */
typedef struct warpgauge_argument {
    int32_t kind;  /**< `enum warpgauge_argument_kind` */
    int64_t value; /**< of WARPGAUGE_INTEGER */
} warpgauge_argument;

/** How a kernel is launched. */
typedef struct warpgauge_launch {
    const char* kernel; /**< its name in the text; null: the only kernel */
    uint32_t grid[3];   /**< blocks */
    uint32_t block[3];  /**< threads */
    uint64_t dynamic_shared_bytes;
    const warpgauge_argument* arguments; /**< missing ones count as WARPGAUGE_NOT_GIVEN */
    size_t argument_count;
    uint64_t max_steps; /**< the maximum number of followed instructions; 0: 100 million */
} warpgauge_launch;

/** Follows the warps of a launch, and opens their profile, with its instruction stream. Accesses coalesce by the rules
 * of `device`, or if that is null, by those of the text's `.target`.
 * Codes: UNKNOWN_NAME, AMBIGUOUS_NAME: the kernel. NOT_POSITIVE, EXCEEDS_DEVICE: `grid`, `block`. MISSING: `kernel`,
 * if it is null and the text has none, or several; an integer argument without a value, whose position is `line`. OVERFLOW: an integer with more bits than its parameter.
 * BROKEN_CONSTRAINT: `.maxntid`, `.reqntid` of the text. LIMIT_REACHED: `max_steps`. Others have line and column of
 * the text. */
WARPGAUGE_API int warpgauge_ptx_trace(const warpgauge_ptx* ptx, const warpgauge_launch* launch,
                                      const warpgauge_device* device, warpgauge_profile** profile,
                                      warpgauge_error* error);

#ifdef __cplusplus
}
#endif

#endif
