#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace dissensus {

void assertion_failed(const char* condition, const char* what, const char* file, int line) {
  std::fprintf(stderr, "dissensus: internal fault: %s (%s) at %s:%d\n", what, condition, file,
               line);
  std::fflush(nullptr);
  // 4 is the exit code for internal faults; no destructor runs on state that is known to be broken.
  std::_Exit(4);
}

}  // namespace dissensus
