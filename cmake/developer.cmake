# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What examples, tests and benchmarks are compiled with. Users of the library inherit none of it, and need no CMake as new.
cmake_minimum_required(VERSION 3.25)

set(CMAKE_CXX_EXTENSIONS OFF)

option(WARPGAUGE_WERROR "Warnings are errors" OFF)
option(WARPGAUGE_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(WARPGAUGE_TEST_SOURCE "Tests of sources, installation, consumers and other compilers" ON)
option(WARPGAUGE_NO_EXCEPTIONS "Compile without exceptions and RTTI" OFF)
set(WARPGAUGE_RANDOM_CASES 10000 CACHE STRING "Random cases of each invariant of each model")
set(WARPGAUGE_RANDOM_SEED 1 CACHE STRING "Where random cases start; empty: anywhere, printed")
set(WARPGAUGE_FUZZ_SECONDS 60 CACHE STRING "Seconds for which each reader of files is fuzzed")

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-Wc2y-extensions HAS_C2Y_WARNING)

# Each header compiles on its own: the target all_verify_interface_header_sets.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/warpgauge/*.hpp)
list(FILTER headers EXCLUDE REGEX "/(boost_math|eigen)/")
add_library(warpgauge_headers INTERFACE)
target_link_libraries(warpgauge_headers INTERFACE warpgauge::warpgauge)
target_sources(warpgauge_headers INTERFACE FILE_SET HEADERS BASE_DIRS include FILES ${headers})
set_target_properties(warpgauge_headers PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

# Without sanitizers: for programs that they would make too slow.
add_library(warpgauge_unsanitized INTERFACE)
target_link_libraries(warpgauge_unsanitized INTERFACE warpgauge::warpgauge)
target_compile_options(warpgauge_unsanitized INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion
    -ffp-contract=off  # tests compare bits, of constants too
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Debug>>:--param=ggc-min-heapsize=1048576>  # memory, not a seventh of the time
    $<$<BOOL:${HAS_C2Y_WARNING}>:-Wno-c2y-extensions>  # __COUNTER__, in doctest and benchmark
    $<$<BOOL:${WARPGAUGE_WERROR}>:-Werror>
    $<$<BOOL:${WARPGAUGE_NO_EXCEPTIONS}>:-fno-exceptions -fno-rtti>)
add_library(warpgauge_developer INTERFACE)
target_link_libraries(warpgauge_developer INTERFACE warpgauge_unsanitized)
if(WARPGAUGE_SANITIZE)
    target_compile_options(warpgauge_developer INTERFACE
        -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
        $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizers.txt>)
    target_link_options(warpgauge_developer INTERFACE -fsanitize=address,undefined)
endif()
if(WARPGAUGE_NO_EXCEPTIONS)
    target_compile_definitions(warpgauge_unsanitized INTERFACE
        DOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS)
endif()

# What many programs here use is instantiated in one library, since a compiler takes seconds for it in each of them: `trace`
# five. tests/once declares what is instantiated, for programs that are named here; their text is that of a user's program.
option(WARPGAUGE_ONCE "Instantiate what many programs use in one library" ON)
if(WARPGAUGE_ONCE AND NOT WARPGAUGE_SANITIZE)
    set(once ${PROJECT_SOURCE_DIR}/tests/once)
    add_library(warpgauge_once STATIC EXCLUDE_FROM_ALL
        ${once}/find_device.cpp ${once}/predict.cpp ${once}/ptx.cpp ${once}/sass.cpp ${once}/simulate.cpp)
    set_target_properties(warpgauge_once PROPERTIES POSITION_INDEPENDENT_CODE ON)  # a plugin takes it too
    if(Eigen3_FOUND)
        target_sources(warpgauge_once PRIVATE ${once}/eigen.cpp)
        target_link_libraries(warpgauge_once PRIVATE Eigen3::Eigen)
    endif()
    target_link_libraries(warpgauge_once PRIVATE warpgauge_unsanitized)
    target_compile_options(warpgauge_once PRIVATE $<IF:$<CONFIG:Debug>,-O1,-O2>)
endif()
function(warpgauge_once target)  # further arguments: eigen, find_device, predict, ptx, sass, simulate
    if(NOT TARGET warpgauge_once OR NOT TARGET ${target})
        return()
    endif()
    foreach(name IN LISTS ARGN)
        target_compile_options(${target} PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/tests/once/${name}.hpp")
    endforeach()
    target_link_libraries(${target} PRIVATE warpgauge_once)
endfunction()
