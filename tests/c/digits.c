/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints seconds and cycles of each case of a file, with all digits, as the other languages do: through the C interface.
 *
 *     digits_by_c CASES         cases are profiles
 *     digits_by_c CASES FOLDER  cases are launches of PTX files of the folder
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpgauge/c.h>

/* Profiles are closed here. */
static int print(const char* device_name, const char* model, warpgauge_profile* profile) {
    warpgauge_device* device = NULL;
    warpgauge_prediction p;
    warpgauge_error error;
    int failed = warpgauge_device_open(device_name, &device, &error);
    if (!failed) failed = warpgauge_predict(device, model, profile, &p, &error);
    if (failed) {
        fprintf(stderr, "%s\n", error.message);
    } else {
        printf("%.17g %.17g\n", p.seconds, p.cycles);
    }
    warpgauge_profile_close(profile);
    warpgauge_device_close(device);
    return failed;
}

static int predict_profile(const char* device, const char* model, char* parameters) {
    warpgauge_profile* profile = NULL;
    warpgauge_error error;
    char* word;
    int failed = warpgauge_profile_open(NULL, &profile, &error);
    for (word = strtok(parameters, " \n"); word != NULL && !failed; word = strtok(NULL, " \n")) {
        char* value = strchr(word, '=');
        if (value == NULL) return 1;
        *value++ = '\0';
        failed = warpgauge_profile_set(profile, word, strtod(value, NULL), &error);
    }
    if (failed) fprintf(stderr, "%s\n", error.message);
    return failed ? failed : print(device, model, profile);
}

static size_t read_file(const char* folder, const char* name, char* to, size_t size) {
    char path[1024];
    size_t length;
    FILE* file;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
    file = fopen(path, "rb");
    if (file == NULL) return 0;
    length = fread(to, 1, size, file);
    (void)fclose(file);
    return length;
}

static void read_sides(const char* text, uint32_t* sides) {
    unsigned x = 1;
    unsigned y = 1;
    (void)sscanf(text, "%u,%u", &x, &y);
    sides[0] = x;
    sides[1] = y;
    sides[2] = 1;
}

static int predict_launch(const char* device_name, const char* model, char* words,
                          const char* folder) {
    static char text[1 << 20];
    const char* file = strtok(words, "|");
    const char* kernel = strtok(NULL, "|");
    const char* grid = strtok(NULL, "|");
    const char* block = strtok(NULL, "|");
    const char* argument = strtok(NULL, "|\n");
    warpgauge_argument arguments[1];
    warpgauge_launch launch;
    warpgauge_device* device = NULL;
    warpgauge_ptx* ptx = NULL;
    warpgauge_profile* profile = NULL;
    warpgauge_error error;
    int failed;
    if (argument == NULL) return 1;
    arguments[0].kind = WARPGAUGE_INTEGER;
    arguments[0].value = strtol(argument, NULL, 10);
    memset(&launch, 0, sizeof launch);
    launch.kernel = kernel;
    read_sides(grid, launch.grid);
    read_sides(block, launch.block);
    launch.arguments = arguments;
    launch.argument_count = 1;
    failed = warpgauge_device_open(device_name, &device, &error);
    if (!failed)
        failed = warpgauge_ptx_open(text, read_file(folder, file, text, sizeof text), &ptx, &error);
    if (!failed) failed = warpgauge_ptx_trace(ptx, &launch, device, &profile, &error);
    if (failed) fprintf(stderr, "%s: %s\n", file, error.message);
    warpgauge_ptx_close(ptx);
    warpgauge_device_close(device);
    return failed ? failed : print(device_name, model, profile);
}

int main(int argc, char** argv) {
    char line[1024];
    int failed = 0;
    FILE* cases = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
    if (cases == NULL) return 2;
    while (fgets(line, sizeof line, cases) != NULL) {
        char* model = strchr(line, '|');
        char* parameters = model == NULL ? NULL : strchr(model + 1, '|');
        if (parameters == NULL) return 2;
        *model++ = '\0';
        *parameters++ = '\0';
        if (argc == 2) {
            failed += predict_profile(line, model, parameters) != 0;
        } else {
            failed += predict_launch(line, model, parameters, argv[2]) != 0;
        }
    }
    (void)fclose(cases);
    return failed != 0;
}
