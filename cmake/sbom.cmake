# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes warpgauge.spdx.json, the bill of materials (SPDX 2.3): this library and what is used with it, if anything.
# As a script: cmake -D output=FILE -P cmake/sbom.cmake
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/version.cmake)
if(NOT output)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/warpgauge.spdx.json)
endif()

# Name, oldest version, licence, relation to the library.
set(used_with
    "Boost|1.74|BSL-1.0|OPTIONAL_DEPENDENCY_OF"       # boost_math/
    "Eigen3|3.4|MPL-2.0|OPTIONAL_DEPENDENCY_OF"       # eigen/
    "CLI11||BSD-3-Clause|DEV_DEPENDENCY_OF"           # examples
    "MPI||NOASSERTION|DEV_DEPENDENCY_OF"
    "simgrid||LGPL-2.1-only|DEV_DEPENDENCY_OF"
    "benchmark||Apache-2.0|DEV_DEPENDENCY_OF"         # benchmarks
    "doctest||MIT|TEST_DEPENDENCY_OF"                 # tests
    "rapidcheck||BSD-2-Clause|TEST_DEPENDENCY_OF"
    "nlohmann_json||MIT|TEST_DEPENDENCY_OF"
    "nvrtc||NOASSERTION|TEST_DEPENDENCY_OF")

function(sbom_package name package_version licence out)
    set(known)
    if(package_version)
        set(known "\n      \"versionInfo\": \"${package_version}\",")
    endif()
    set(${out} "    {
      \"SPDXID\": \"SPDXRef-${name}\",
      \"name\": \"${name}\",${known}
      \"downloadLocation\": \"NOASSERTION\",
      \"filesAnalyzed\": false,
      \"licenseConcluded\": \"${licence}\",
      \"licenseDeclared\": \"${licence}\",
      \"copyrightText\": \"NOASSERTION\"
    }" PARENT_SCOPE)
endfunction()

function(sbom_relation from relation to out)
    set(${out} "    {\"spdxElementId\": \"SPDXRef-${from}\", \"relationshipType\": \"${relation}\", "
        "\"relatedSpdxElement\": \"SPDXRef-${to}\"}")
    string(CONCAT ${out} ${${out}})
    set(${out} "${${out}}" PARENT_SCOPE)
endfunction()

function(write_sbom)
    # Each text of the headers is a document of its own, and has a name of its own.
    file(GLOB_RECURSE headers ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include/*.hpp)
    set(hashes)
    foreach(header IN LISTS headers)
        file(SHA256 ${header} hash)
        list(APPEND hashes ${hash})
    endforeach()
    list(SORT hashes)
    string(SHA256 hash "${hashes}")

    sbom_package(warpgauge ${version} "Apache-2.0 WITH LLVM-exception" packages)
    sbom_relation(DOCUMENT DESCRIBES warpgauge relations)
    foreach(row IN LISTS used_with)
        string(REPLACE "|" ";" columns "${row}")
        list(GET columns 0 name)
        list(GET columns 1 oldest)
        list(GET columns 2 licence)
        list(GET columns 3 relation)
        sbom_package(${name} "${oldest}" ${licence} package)
        sbom_relation(${name} ${relation} warpgauge line)
        string(APPEND packages ",\n${package}")
        string(APPEND relations ",\n${line}")
    endforeach()
    string(TIMESTAMP now "%Y-%m-%dT%H:%M:%SZ" UTC)  # or the environment's SOURCE_DATE_EPOCH
    file(WRITE ${output} "{
  \"spdxVersion\": \"SPDX-2.3\",
  \"dataLicense\": \"CC0-1.0\",
  \"SPDXID\": \"SPDXRef-DOCUMENT\",
  \"name\": \"warpgauge-${version}\",
  \"documentNamespace\": \"https://spdx.org/spdxdocs/warpgauge-${version}-${hash}\",
  \"creationInfo\": {\"created\": \"${now}\", \"creators\": [\"Tool: warpgauge/cmake/sbom.cmake\"]},
  \"packages\": [
${packages}
  ],
  \"relationships\": [
${relations}
  ]
}
")
endfunction()
write_sbom()
