// SPDX-License-Identifier: MIT
#include "kernels/dense/cuda_library.hpp"

#include <link.h>

#include <climits>
#include <cstdlib>

namespace bellwether {
namespace {

/// The path that a library was loaded from, without links.
std::string path_of(void* library) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) throw std::runtime_error(dlerror());
  char path[PATH_MAX];
  return realpath(map->l_name, path) != nullptr ? path : map->l_name;
}

}  // namespace

void load_cuda_library(const std::vector<std::string>& files, const std::string& name,
                       const std::string& expected,
                       const std::function<void(void* library, const std::string& path)>& start) {
  std::string problems;
  for (const std::string& file : files) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const std::string problem = dlerror();
      // That there is no file of a name goes without saying; that it lacks another does not.
      if (problem.rfind(file + ": cannot open shared object file", 0) != 0)
        problems += "; " + problem;
      continue;
    }
    try {
      return start(library, path_of(library));
    } catch (const std::runtime_error& error) {
      problems += "; " + file + ": " + error.what();
    }
  }
  throw std::runtime_error(name + " cannot be loaded: no " + expected +
                           " on LD_LIBRARY_PATH, where CUDA_HOME names a toolkit, or in the usual "
                           "places" +
                           problems);
}

}  // namespace bellwether
