# cmake -D SOURCE=<source tree> -D HEADER=<file> -P commit_header.cmake
# Writes the commit of the source tree, and a hash of its kernels, into a header, which is touched
# only when one changes. Runs with every build, for HEAD moves between configurations. The commit is
# "unknown" outside a checkout of our own: an unpacked archive may lie inside somebody else's.

cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} rev-parse --show-prefix HEAD WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE answer RESULT_VARIABLE failed ERROR_QUIET)
  # An empty prefix (first line): SOURCE is the top of its checkout.
  if(NOT failed AND answer MATCHES "^\n([0-9a-f]+)\n$")
    set(commit ${CMAKE_MATCH_1})
    execute_process(COMMAND ${git} --no-optional-locks status --porcelain --untracked-files=no
                    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()

# Comments, spaces and tests make no other kernel.
file(GLOB_RECURSE sources RELATIVE ${SOURCE} ${SOURCE}/kernels/*.hpp ${SOURCE}/kernels/*.cuh
     ${SOURCE}/kernels/*.cpp ${SOURCE}/kernels/*.cu)
list(FILTER sources EXCLUDE REGEX "_test[.]|/host_gpu/")
list(SORT sources)
set(code "")
foreach(source IN LISTS sources)
  file(READ ${SOURCE}/${source} source_text)
  string(REGEX REPLACE "//[^\n]*" "" source_text "${source_text}")
  string(REGEX REPLACE "[ \n]+" " " source_text "${source_text}")
  string(APPEND code "${source} ${source_text}")
endforeach()
string(SHA256 kernels "${code}")
string(SUBSTRING ${kernels} 0 12 kernels)

set(text "// SPDX-License-Identifier: MIT\n#pragma once\n
namespace bellwether::build_facts {
inline constexpr const char* commit = \"${commit}\";
inline constexpr const char* kernels = \"${kernels}\";
}  // namespace bellwether::build_facts\n")
set(present "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} present)
endif()
if(NOT text STREQUAL present)
  file(WRITE ${HEADER} "${text}")
endif()
