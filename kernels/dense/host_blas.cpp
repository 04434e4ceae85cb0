// SPDX-License-Identifier: MIT
#include "kernels/dense/host_blas.hpp"

#include <dlfcn.h>

namespace bellwether {
namespace {

/// What a function of OpenBLAS' tells, where the program has it.
std::string told_by(const char* function) {
  void* const found = dlsym(RTLD_DEFAULT, function);
  return found != nullptr ? reinterpret_cast<const char* (*)()>(found)() : "";
}

}  // namespace

std::string HostBlas::name() const {
  if (config.empty()) return "CBLAS";
  const std::size_t name_end = config.find(' ');
  const std::size_t version_end =
      name_end == std::string::npos ? name_end : config.find(' ', name_end + 1);
  return config.substr(0, version_end) + (core.empty() ? "" : ", " + core + " kernels");
}

bool HostBlas::has_long_integers() const { return config.find("USE64BITINT") != std::string::npos; }

HostBlas host_blas() { return {told_by("openblas_get_corename"), told_by("openblas_get_config")}; }

void use_blas_threads(int threads) {
  if (void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(found)(threads);
}

int blas_threads() {
  void* const found = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  return found != nullptr ? reinterpret_cast<int (*)()>(found)() : 0;
}

}  // namespace bellwether
