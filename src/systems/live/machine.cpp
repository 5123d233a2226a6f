#include "systems/live/machine.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace dissensus::live {

namespace {

/// Memory that programs can have without others losing theirs; 0 where the system does not say.
std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    std::uint64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib << 10;
  }
  return 0;
}

}  // namespace

std::size_t networks_borne(std::size_t cores, std::uint64_t free_bytes, std::size_t nodes) {
  constexpr std::size_t kServersPerCore = 20;
  constexpr std::uint64_t kBytesPerServer = 500'000'000;
  constexpr std::size_t kMost = 16;  // beyond it the interceptor is what is late
  if (nodes == 0) return 1;
  const std::size_t by_cores = std::max<std::size_t>(1, cores) * kServersPerCore / nodes;
  // A quarter of the memory is for everybody else.
  const auto by_memory = static_cast<std::size_t>(free_bytes / 4 * 3 / (kBytesPerServer * nodes));
  return std::clamp<std::size_t>(std::min(by_cores, by_memory), 1, kMost);
}

std::size_t networks_borne_here(std::size_t nodes) {
  return networks_borne(std::thread::hardware_concurrency(), available_bytes(), nodes);
}

}  // namespace dissensus::live
