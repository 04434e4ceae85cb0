// SPDX-License-Identifier: MIT
#include "kernels/dense/host_blas.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <stdexcept>

#include "kernels/launch/device.hpp"

namespace bellwether {
namespace {

constexpr const char* width_names[] = {"SSE", "AVX", "AVX2", "AVX-512"};

/// Of OpenBLAS' kernels for x86, by the name of their processor. Those of all others use SSE.
VectorWidth width_of(const std::string& core) {
  static const std::map<std::string, VectorWidth> wider = {{"Sandybridge", VectorWidth::avx},
                                                           {"Bulldozer", VectorWidth::avx},
                                                           {"Piledriver", VectorWidth::avx},
                                                           {"Steamroller", VectorWidth::avx},
                                                           {"Haswell", VectorWidth::avx2},
                                                           {"Excavator", VectorWidth::avx2},
                                                           {"Zen", VectorWidth::avx2},
                                                           {"SkylakeX", VectorWidth::avx512},
                                                           {"Cooperlake", VectorWidth::avx512},
                                                           {"SapphireRapids", VectorWidth::avx512},
                                                           {"Sapphirerapids", VectorWidth::avx512}};
  const auto found = wider.find(core);
  return found == wider.end() ? VectorWidth::sse : found->second;
}

/// What a function of OpenBLAS' tells, where the program has it.
std::string told_by(const char* function) {
  void* const found = dlsym(RTLD_DEFAULT, function);
  return found != nullptr ? reinterpret_cast<const char* (*)()>(found)() : "";
}

/// CBLAS takes int.
int narrow(long value) { return static_cast<int>(value); }

CBLAS_DIAG of(Diagonal diagonal) { return diagonal == Diagonal::ones ? CblasUnit : CblasNonUnit; }
void solve_at_once(double* b, long ldb, const double* l, long ldl, long rows, long width,
                   Diagonal diagonal) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, of(diagonal), narrow(rows),
              narrow(width), 1, l, narrow(ldl), b, narrow(ldb));
}
void solve_at_once(float* b, long ldb, const float* l, long ldl, long rows, long width,
                   Diagonal diagonal) {
  cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, of(diagonal), narrow(rows),
              narrow(width), 1, l, narrow(ldl), b, narrow(ldb));
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

std::optional<VectorWidth> processor_width() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return VectorWidth::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VectorWidth::avx2;
  return __builtin_cpu_supports("avx") ? VectorWidth::avx : VectorWidth::sse;
#else
  return {};
#endif
}

std::string blas_remark(const std::string& core, std::optional<VectorWidth> processor) {
  constexpr const char* remedies[] = {"", "Sandybridge", "Haswell", "SkylakeX"};
  if (core.empty() || !processor || width_of(core) >= *processor) return {};
  const auto name = [](VectorWidth width) { return width_names[static_cast<int>(width)]; };
  return "SLOW BLAS: OpenBLAS runs its kernels for " + core + " (" + name(width_of(core)) +
         ") on a processor with " + name(*processor) +
         ": set OPENBLAS_CORETYPE=" + remedies[static_cast<int>(*processor)] +
         ", or use an OpenBLAS that knows the processor";
}

std::string blas_remark() {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return {};
  return blas_remark(host_blas().core, processor_width());
}

std::string usable_blas(bool on_host) {
  if (!on_host) throw std::runtime_error("CBLAS: no matrices in device memory; use --backend cuda");
  const HostBlas blas = host_blas();
  if (blas.has_long_integers())
    throw std::runtime_error("the BLAS has integers of 64 bits (" + blas.config +
                             "), expected one of 32");
  return blas.name();
}

void use_blas_threads(int threads) {
  if (void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(found)(threads);
}

int blas_threads() {
  void* const found = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  return found != nullptr ? reinterpret_cast<int (*)()>(found)() : 0;
}

void subtract_product(double* c, long ldc, const double* l, long ldl, const double* w, long ldw,
                      long rows, long columns, long inner) {
  if (rows == 0 || columns == 0 || inner == 0) return;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(columns), narrow(inner),
              -1, l, narrow(ldl), w, narrow(ldw), 1, c, narrow(ldc));
}
void subtract_product(float* c, long ldc, const float* l, long ldl, const float* w, long ldw,
                      long rows, long columns, long inner) {
  if (rows == 0 || columns == 0 || inner == 0) return;
  cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(columns), narrow(inner),
              -1, l, narrow(ldl), w, narrow(ldw), 1, c, narrow(ldc));
}

template <class T>
void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width,
                    Diagonal diagonal) {
  constexpr long fewest = cache_line_bytes / sizeof(T);
  if (rows == 0 || width == 0) return;
  if (width <= fewest) return solve_at_once(b, ldb, l, ldl, rows, width, diagonal);
  const long half = (width / 2 + fewest - 1) / fewest * fewest, rest = width - half;
  T* const second = b + half * ldb;
  solve_triangle(b, ldb, l, ldl, rows, half, diagonal);
  subtract_product(second, ldb, b, ldb, l + half, ldl, rows, rest, half);
  solve_triangle(second, ldb, l + half + half * ldl, ldl, rows, rest, diagonal);
}
template void solve_triangle(double* b, long ldb, const double* l, long ldl, long rows, long width,
                             Diagonal diagonal);
template void solve_triangle(float* b, long ldb, const float* l, long ldl, long rows, long width,
                             Diagonal diagonal);

}  // namespace bellwether
