/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints seconds and cycles of each case of a file, with all digits, as the other languages do: through the C interface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpgauge/c.h>

static int predict(const char* device_name, const char* model, char* parameters) {
    warpgauge_device* device = NULL;
    warpgauge_profile* profile = NULL;
    warpgauge_prediction p;
    warpgauge_error error;
    char* word;
    int failed = warpgauge_device_open(device_name, &device, &error);
    if (!failed) failed = warpgauge_profile_open(NULL, &profile, &error);
    for (word = strtok(parameters, " \n"); word != NULL && !failed; word = strtok(NULL, " \n")) {
        char* value = strchr(word, '=');
        if (value == NULL) return 1;
        *value++ = '\0';
        failed = warpgauge_profile_set(profile, word, strtod(value, NULL), &error);
    }
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

int main(int argc, char** argv) {
    char line[1024];
    int failed = 0;
    FILE* cases = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (cases == NULL) return 2;
    while (fgets(line, sizeof line, cases) != NULL) {
        char* model = strchr(line, '|');
        char* parameters = model == NULL ? NULL : strchr(model + 1, '|');
        if (parameters == NULL) return 2;
        *model++ = '\0';
        *parameters++ = '\0';
        failed += predict(line, model, parameters) != 0;
    }
    (void)fclose(cases);
    return failed != 0;
}
