// SPDX-License-Identifier: MIT
#include "kernels/dense/cublas_places.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace bellwether {
namespace {

/// One that the driver is too old for does not start, and the next is tried.
using Names = std::array<const char*, 3>;
constexpr Names cublas_names = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
/// Of CUDA 13 and 12.
constexpr Names cusolver_names = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"};

bool same_file(const std::string& a, const std::string& b) {
  std::error_code unknown;  // then it is another
  return std::filesystem::equivalent(a, b, unknown);
}

/// What matches the shell's pattern, the later numbers first ("cuda-13.0" before "cuda-12.6"), less
/// what is there by another name.
void add_matches(const std::string& pattern, std::vector<std::string>& files) {
  glob_t found{};
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    std::vector<std::string> matches(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    std::sort(matches.begin(), matches.end(), [](const std::string& a, const std::string& b) {
      return strverscmp(a.c_str(), b.c_str()) > 0;
    });
    for (std::string& match : matches)
      if (std::none_of(files.begin(), files.end(),
                       [&](const std::string& file) { return same_file(file, match); }))
        files.push_back(std::move(match));
  }
  globfree(&found);
}

/// Patterns of folders.
std::vector<std::string> usual_places(const std::function<const char*(const char*)>& variable,
                                      const std::string& root) {
  std::vector<std::string> places;
  const auto add = [&places](const std::string& folder, std::initializer_list<const char*> under) {
    for (const char* const place : under) places.push_back(folder + place);
  };
  const auto add_named = [&](const char* name, std::initializer_list<const char*> under) {
    const char* const folder = variable(name);
    if (folder != nullptr && *folder != '\0') add(folder, under);
  };
  constexpr const char* of_target = "/targets/*/lib";
  constexpr const char* wheels = "/lib/python3*/site-packages/nvidia/*/lib";
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDATOOLKIT_HOME", "CUDA_ROOT"})
    add_named(name, {"/lib64", of_target, "/lib"});
  add_named("NVHPC_ROOT", {"/math_libs/lib64", "/math_libs/*/lib64"});
  add_named("CONDA_PREFIX", {"/lib", of_target, wheels});
  add_named("VIRTUAL_ENV", {wheels});
  for (const char* toolkit : {"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", "/opt/cuda-*"})
    add(root + toolkit, {"/lib64", of_target, "/lib"});
  add(root + "/opt/nvidia/hpc_sdk/Linux_*/*", {"/math_libs/lib64", "/math_libs/*/lib64"});
  add(root + "/usr/local/lib/python3*",
      {"/dist-packages/nvidia/*/lib", "/site-packages/nvidia/*/lib"});
  return places;
}

/// In the folder that this code was loaded from.
std::vector<std::string> files_beside(const Names& names) {
  static const char here = 0;
  std::vector<std::string> files;
  Dl_info info{};
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return files;
  const auto folder = std::filesystem::path(info.dli_fname).parent_path();
  for (const char* name : names) {
    std::error_code unknown;  // then it is not there
    if (std::filesystem::exists(folder / name, unknown)) files.push_back(folder / name);
  }
  return files;
}

using Variable = std::function<const char*(const char*)>;

std::vector<std::string> files_of(const Names& names, const Variable& variable,
                                  const std::string& root) {
  std::vector<std::string> files(names.begin(), names.end());
  const std::vector<std::string> places = usual_places(variable, root);
  for (const char* name : names)
    for (const std::string& place : places) add_matches(place + "/" + name, files);
  return files;
}

std::vector<std::string> files_of(const Names& names) {
  std::vector<std::string> files = files_beside(names);
  for (std::string& file : files_of(names, [](const char* name) { return std::getenv(name); }, {}))
    files.push_back(std::move(file));
  return files;
}

}  // namespace

std::vector<std::string> cublas_files() { return files_of(cublas_names); }
std::vector<std::string> cusolver_files() { return files_of(cusolver_names); }

std::vector<std::string> detail::cublas_files(const Variable& variable, const std::string& root) {
  return files_of(cublas_names, variable, root);
}

}  // namespace bellwether
