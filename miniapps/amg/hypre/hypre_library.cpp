// SPDX-License-Identifier: MIT
#include "miniapps/amg/hypre/hypre_library.hpp"

#include <_hypre_utilities.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/launch/cpu/process_limits.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "models/errors.hpp"

#if defined(HYPRE_USING_CUDA)
/// As _hypre_utilities.hpp declares it, which only a GPU's compiler takes.
struct CUstream_st* hypre_DeviceDataComputeStream(hypre_DeviceData* data);
#elif defined(HYPRE_USING_HIP)
struct ihipStream_t* hypre_DeviceDataComputeStream(hypre_DeviceData* data);
#endif

namespace bellwether {
namespace {

int libraries = 0;             // that live: hypre is one for a process
Device* gpu_device = nullptr;  // null: on the host, as hypre's own memory location

/// A hypre built for GPUs. It waits for none before it is told to compute on one since 2.31.
namespace gpu {
#if defined(HYPRE_USING_CUDA)
constexpr const char* name = "CUDA";
constexpr std::array<std::string_view, 2> devices{"cuda/", "kokkos/Cuda"};
#elif defined(HYPRE_USING_HIP)
constexpr const char* name = "HIP";
constexpr std::array<std::string_view, 1> devices{"kokkos/HIP"};
#else
constexpr const char* name = "";
constexpr std::array<std::string_view, 0> devices{};
#endif

constexpr int oldest = 23100;

#if (defined(HYPRE_USING_CUDA) || defined(HYPRE_USING_HIP)) && HYPRE_RELEASE_NUMBER >= 23100
void begin(const Device& device) {
  hypre_int count = 0;
  hypre_GetDeviceCount(&count);  // which prints why there is none
  if (count == 0)
    throw BadEnvironment(fmt::format(
        "--backend: hypre's {} finds no GPU where this program's does, on {}: expected a "
        "driver that is recent enough for what hypre was built with",
        name, device.description()));
  check_hypre("HYPRE_DeviceInitialize", HYPRE_DeviceInitialize());
  void* memory = hypre_TAlloc(char, 1, HYPRE_MEMORY_DEVICE);
  const GpuIdentity found = device.gpu_of(memory);
  hypre_TFree(memory, HYPRE_MEMORY_DEVICE);
  require_same_gpu(found, device.gpu());
  HYPRE_SetSpMVUseVendor(0);
  HYPRE_SetSpGemmUseVendor(0);
  HYPRE_SetUseGpuRand(0);
  if (!mpi_takes_memory_of(device.description()).value_or(false)) HYPRE_SetGpuAwareMPI(0);
  check_hypre("hypre on a GPU", HYPRE_GetError());
}
void* queue() { return hypre_DeviceDataComputeStream(hypre_HandleDeviceData(hypre_handle())); }
bool sends_from_memory() { return hypre_GetGpuAwareMPI() != 0; }
#else
void begin(const Device& /*device*/) {}
void* queue() { return nullptr; }
bool sends_from_memory() { return false; }
#endif
}  // namespace gpu

/// Of what hypre runs out of.
std::string memory_text() {
  if (gpu_device != nullptr) return "none is left on the GPU";
  return available_text(least_available(host_memory_pools()));
}

void place(Device* gpu) {
  gpu_device = gpu;
  check_hypre("HYPRE_SetMemoryLocation", HYPRE_SetMemoryLocation(hypre_memory()));
  check_hypre("HYPRE_SetExecutionPolicy",
              HYPRE_SetExecutionPolicy(gpu != nullptr ? HYPRE_EXEC_DEVICE : HYPRE_EXEC_HOST));
}

/// Whether a hypre of its kind computes on such a GPU.
bool is_known(const std::string& description) {
  return std::any_of(gpu::devices.begin(), gpu::devices.end(),
                     [&](std::string_view one) { return description.starts_with(one); });
}

/// Once more where it has begun, on another device perhaps.
void begin(Device* gpu) {
  if (gpu != nullptr) HypreLibrary::check_gpu(gpu->description());
  check_hypre("HYPRE_Init", HYPRE_Init());  // nothing where it has begun
  if (gpu != nullptr && gpu != gpu_device) gpu::begin(*gpu);
  place(gpu);
}

std::string text_of(const GpuIdentity& gpu) {
  std::string text = gpu.name.empty() ? "no GPU" : gpu.name;
  for (const std::string& name : {gpu.uuid, gpu.pci_bus_id})
    if (!name.empty()) text += " " + name;
  return text;
}

}  // namespace

void check_hypre(const char* function, HYPRE_Int flag) {
  if (flag == 0) return;
  char text[1024] = "";
  HYPRE_DescribeError(flag, text);
  HYPRE_ClearAllErrors();
  const std::string message = fmt::format("{}: hypre's error {}: {}", function, flag, text);
  if ((flag & HYPRE_ERROR_MEMORY) != 0)
    throw BadEnvironment(fmt::format("not enough memory: {}; {}", message, memory_text()));
  throw std::runtime_error(message);
}

void HypreLibrary::check_threads([[maybe_unused]] int threads) {
#ifndef HYPRE_USING_OPENMP
  if (threads > 1)
    throw BadInput(
        fmt::format("--threads: found {}, expected 1 (this hypre, {}, was built without OpenMP)",
                    threads, version()));
#endif
}

bool HypreLibrary::computes_on(const std::string& description) {
  return is_known(description) && HYPRE_RELEASE_NUMBER >= gpu::oldest;
}

void HypreLibrary::check_gpu(const std::string& description) {
  if (!is_known(description))
    throw BadEnvironment(fmt::format(
        "--backend: this hypre, {}, was not built to compute on {}; expected a backend of "
        "the host, or a hypre built for this GPU",
        version(), description));
  if (HYPRE_RELEASE_NUMBER < gpu::oldest)
    throw BadEnvironment(fmt::format("--backend: on {} hypre {} is too old, expected 2.31 or later",
                                     description, HYPRE_RELEASE_VERSION));
}

void require_same_gpu(const GpuIdentity& hypres, const GpuIdentity& ranks) {
  if (hypres.uuid == ranks.uuid && hypres.pci_bus_id == ranks.pci_bus_id) return;
  throw BadEnvironment(
      fmt::format("--backend: found hypre on {}, expected it where this rank is, on {}: make one "
                  "GPU visible to each rank (srun --gpus-per-task=1, or CUDA_VISIBLE_DEVICES)",
                  text_of(hypres), text_of(ranks)));
}

HypreLibrary::HypreLibrary(int threads, Device* gpu) {
  check_threads(threads);
  begin(gpu);
  ++libraries;
#ifdef HYPRE_USING_OPENMP
  if (threads > 0) hypre_SetNumThreads(threads);
#endif
  threads_ = hypre_NumThreads();
}

HypreLibrary::~HypreLibrary() {
  if (--libraries > 0) return;
  gpu_device = nullptr;
  HYPRE_Finalize();
}

std::string HypreLibrary::version() {
  std::string text = HYPRE_RELEASE_VERSION;
#ifdef HYPRE_USING_OPENMP
  text += ", OpenMP";
#endif
  const std::string name = gpu::name;
  return name.empty() ? text : text + ", " + name;
}

std::string missing_on_gpu(const AmgOptions& options, bool overlap) {
  std::string all;
  const auto expect = [&all](const char* option, const std::string& found,
                             std::initializer_list<const char*> known, const char* why) {
    std::string names;
    for (const char* const one : known) {
      if (found == one) return;
      names += (names.empty() ? "" : ", ") + std::string(one);
    }
    all += fmt::format("{}{}: found {}, expected {}{}", all.empty() ? "" : "; ", option, found,
                       names, why);
  };
  expect("--coarsening", options.coarsening, {"pmis"}, "");
  expect("--interpolation", options.interpolation, {"ext+i", "direct"}, "");
  expect(
      "--relax", options.relax, {"l1-jacobi", "chebyshev"},
      options.relax == "hybrid-gauss-seidel" ? " (Gauss-Seidel solves with triangles there)" : "");
  expect("--overlap", overlap ? "on" : "off", {"on"},
         " (products have begun before messages are sent)");
  return all;
}

HYPRE_MemoryLocation hypre_memory() {
  return gpu_device != nullptr ? HYPRE_MEMORY_DEVICE : HYPRE_MEMORY_HOST;
}

Device* hypre_gpu() { return gpu_device; }
void* hypre_queue() { return gpu::queue(); }

std::string hypre_halo() {
  if (gpu_device == nullptr) return "";
  return gpu::sends_from_memory() ? "direct" : "staged";
}

void begin_hypre(Device* gpu) { begin(gpu); }

}  // namespace bellwether

/// hypre ends the program by this call where it runs out of memory, with status -1, and says
/// nothing that tells it from another fault but its error flag.
extern "C" int MPI_Abort(MPI_Comm comm, int status) {
  using namespace bellwether;
  if ((HYPRE_GetError() & HYPRE_ERROR_MEMORY) == 0) return PMPI_Abort(comm, status);
  fmt::print(stderr, "bellwether: not enough memory: hypre needs more than there is, and {}\n",
             memory_text());
  std::fflush(nullptr);
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int own = static_cast<int>(ExitStatus::bad_environment);
  if (ranks == 1) std::_Exit(own);
  return PMPI_Abort(comm, own);
}
