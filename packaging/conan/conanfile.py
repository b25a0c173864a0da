# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Conan 2 recipe that packages the sources around it: conan create packaging/conan -s compiler.cppstd=20"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class WarpgaugeConan(ConanFile):
    name = "warpgauge"
    description = "How long a GPU kernel takes, without running it"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("gpu", "performance-model", "autotuning", "header-only")
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"

    @property
    def _sources(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def set_version(self):
        text = load(self, os.path.join(self._sources, "include", "warpgauge", "core", "version.hpp"))
        self.version = ".".join(re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))

    def export_sources(self):
        for pattern in "CMakeLists.txt", "LICENSE", "CITATION.cff", "cmake/*", "include/*":
            copy(self, pattern, src=self._sources, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in "BENCHMARKS", "EXAMPLES", "PROGRAM", "TESTS":
            toolchain.cache_variables["WARPGAUGE_BUILD_" + part] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # find_package takes the library's own files, which have its components and ask for C++20.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "warpgauge")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "warpgauge")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
