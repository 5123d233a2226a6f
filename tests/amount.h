// How much a test tries. Release compares all that is worth it in every `make test`; sanitizers
// look for what no comparison shows, which a part of the same inputs reaches; `make soak` has the
// time for more.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace dissensus::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

inline bool is_soak() {
  return std::getenv("DISSENSUS_SOAK") != nullptr;
}

/// `usual` tries, a tenth of them under sanitizers, or `soak` with DISSENSUS_SOAK.
inline std::uint64_t tries(std::uint64_t usual, std::uint64_t soak) {
  if (is_soak()) return soak;
  return kSanitized ? (usual + 9) / 10 : usual;
}

inline std::uint64_t tries(std::uint64_t usual) {
  return tries(usual, usual);
}

}  // namespace dissensus::test
