// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX as NVRTC writes it, which programs call to compile at run time.
//   nvrtc_ptx FILE.cu FILE.ptx OPTION...
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <nvrtc.h>

namespace {

bool fails(nvrtcResult result) {
    if (result == NVRTC_SUCCESS) return false;
    std::fprintf(stderr, "%s\n", nvrtcGetErrorString(result));
    return true;
}

void print_log(nvrtcProgram program) {
    std::size_t size = 0;
    if (fails(nvrtcGetProgramLogSize(program, &size))) return;
    std::string log(size, '\0');
    if (!fails(nvrtcGetProgramLog(program, log.data()))) std::fputs(log.c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    std::ifstream file(argv[1]);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    nvrtcProgram program = nullptr;
    if (fails(nvrtcCreateProgram(&program, source.c_str(), argv[1], 0, nullptr, nullptr))) return 1;
    const bool failed = fails(nvrtcCompileProgram(program, argc - 3, argv + 3));
    print_log(program);
    std::size_t size = 0;
    if (failed || fails(nvrtcGetPTXSize(program, &size)) || size == 0) return 1;
    std::string text(size, '\0');
    if (fails(nvrtcGetPTX(program, text.data()))) return 1;
    text.pop_back();  // the 0 at its end
    std::ofstream(argv[2]) << text;
    return fails(nvrtcDestroyProgram(&program)) ? 1 : 0;
}
