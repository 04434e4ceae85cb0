// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>

#include "kernels/launch/host_gpu/host_gpu.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

// Every allocation has pages of its own. A device's are without access while the host runs. What is
// left of the last page is poisoned for AddressSanitizer; without it, filled with a pattern that is
// looked at when the memory is freed.

namespace bellwether::host_gpu {
namespace {

constexpr unsigned char fresh = 0xff;  // as numbers: NaN
constexpr unsigned char beyond = 0xa5;

struct Allocation {
  std::size_t bytes, mapped;
  Kind kind;
  int device;
};
std::map<std::uintptr_t, Allocation>& allocations() {
  static auto* const all = new std::map<std::uintptr_t, Allocation>;  // outlives static objects
  return *all;
}
int opened = -1;

struct sigaction before_us {};

/// An access to a device's memory by the host, told before the fault ends the process.
void tell_fault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const Owner owner = owner_of(info->si_addr);
  if (owner.kind == Kind::device) {
    const char text[] = "host GPU: the host, or another device, reached for a device's memory\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
  }
  sigaction(SIGSEGV, &before_us, nullptr);  // the access is tried again, and ends as it would have
}

void protect(int device, int access) {
  for (const auto& [address, allocation] : allocations())
    if (allocation.kind == Kind::device && allocation.device == device &&
        mprotect(reinterpret_cast<void*>(address), allocation.mapped, access) != 0)
      stop("mprotect failed");
}

void check_end(std::uintptr_t address, const Allocation& allocation) {
#if !defined(__SANITIZE_ADDRESS__)
  const auto* const memory = reinterpret_cast<const unsigned char*>(address);
  for (std::size_t n = allocation.bytes; n < allocation.mapped; ++n)
    if (memory[n] != beyond)
      stop("memory was written " + std::to_string(n - allocation.bytes) +
           " bytes beyond the end of an allocation of " + std::to_string(allocation.bytes));
#else
  (void)address, (void)allocation;
#endif
}

}  // namespace

Owner owner_of(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto& all = allocations();
  auto found = all.upper_bound(at);
  if (found == all.begin()) return {};
  --found;
  const auto& [start, allocation] = *found;
  if (at - start >= allocation.mapped) return {};
  const std::size_t offset = at - start;
  return {allocation.kind, allocation.device,
          offset < allocation.bytes ? allocation.bytes - offset : 0};
}

void* allocate(Kind kind, int device, std::size_t bytes) {
  static bool told = false;
  if (!told && !settings().host_reaches_devices) {
    struct sigaction action {};
    action.sa_sigaction = tell_fault;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_us);
    told = true;
  }
  if (kind == Kind::device && settings().memory - allocated_on(device) < bytes) return nullptr;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (bytes + page) / page * page;  // a byte at least is beyond the end
  void* const memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  (void)madvise(memory, mapped, MADV_HUGEPAGE);  // fewer pages to protect, each time
  auto* const start = static_cast<unsigned char*>(memory);
  std::memset(start, fresh, bytes);
  std::memset(start + bytes, beyond, mapped - bytes);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(start + bytes, mapped - bytes);
#endif
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory);
  allocations()[address] = {bytes, mapped, kind, device};
  if (kind == Kind::device && opened != device && !settings().host_reaches_devices)
    mprotect(memory, mapped, PROT_NONE);
  return memory;
}

bool release(Kind kind, void* memory) {
  const auto found = allocations().find(reinterpret_cast<std::uintptr_t>(memory));
  if (found == allocations().end() || found->second.kind != kind) return false;
  const Allocation allocation = found->second;
  if (kind == Kind::device) mprotect(memory, allocation.mapped, PROT_READ | PROT_WRITE);
  check_end(found->first, allocation);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(memory, allocation.mapped);
#endif
  munmap(memory, allocation.mapped);
  allocations().erase(found);
  return true;
}

std::size_t allocated_on(int device) {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : allocations())
    if (allocation.kind == Kind::device && allocation.device == device) bytes += allocation.bytes;
  return bytes;
}

void open_device(int device) {
  if (opened == device || settings().host_reaches_devices) return;
  close_devices();
  protect(device, PROT_READ | PROT_WRITE);
  opened = device;
}

void close_devices() {
  if (opened < 0) return;
  protect(opened, PROT_NONE);
  opened = -1;
}

}  // namespace bellwether::host_gpu
