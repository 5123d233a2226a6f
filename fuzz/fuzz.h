// What all targets demand of a reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dissensus/options.h"

#include "core/assert.h"

// A failed assertion leaves through _Exit(4), which libFuzzer does not notice; the linker sends it
// here (--wrap=_Exit), so that the input that caused it is kept.
extern "C" [[noreturn]] void __real__Exit(int code);
extern "C" [[noreturn]] inline __attribute__((used)) void __wrap__Exit(int code) {
  constexpr int kInternalFault = 4;
  if (code == kInternalFault) std::abort();
  __real__Exit(code);
}

namespace dissensus::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs a reader. It may throw InputError with one printable line; any other exception leaves this
/// function and is a finding. True when the input was accepted.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const InputError& error) {
    const std::string_view message = error.what();
    DISSENSUS_ASSERT(!message.empty(), "fuzz::accepts : an error says what is wrong");
    for (const char c : message) {
      DISSENSUS_ASSERT(static_cast<unsigned char>(c) >= 0x20, "fuzz::accepts : one line");
    }
    return false;
  }
}

}  // namespace dissensus::fuzz
