// Assertions that stay on in Release: a broken invariant ends the program with exit code 4 rather
// than with a wrong verdict.
#pragma once

namespace dissensus {
[[noreturn]] void assertion_failed(const char* condition, const char* what, const char* file,
                                   int line);
}

/// DISSENSUS_ASSERT(condition, "Class::function : what must hold")
#define DISSENSUS_ASSERT(condition, what) \
  ((condition) ? static_cast<void>(0)     \
               : ::dissensus::assertion_failed(#condition, what, __FILE__, __LINE__))
