// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bellwether {

/// Opens one file of a library of CUDA's after the other until start(library, its path) does not
/// throw. A library is never closed, as others of CUDA's may have registered with it.
///
/// `files`: names, which the system's loader looks for, and paths. Throws std::runtime_error if
/// none of them will do: "`name` cannot be loaded: no `expected` on ..." and what is wrong with
/// those that there are.
void load_cuda_library(const std::vector<std::string>& files, const std::string& name,
                       const std::string& expected,
                       const std::function<void(void* library, const std::string& path)>& start);

/// Throws std::runtime_error if the library has no such function.
template <class Function>
void find_function(Function& function, void* library, const char* name) {
  void* const symbol = dlsym(library, name);
  if (symbol == nullptr) throw std::runtime_error(std::string("has no function ") + name);
  function = reinterpret_cast<Function>(symbol);
}

}  // namespace bellwether
