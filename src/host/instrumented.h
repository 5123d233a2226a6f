// Programs that were built with a sanitizer.
#pragma once

#include <string>

namespace dissensus::host {

/// True when the program at this path needs the addresses of AddressSanitizer, ThreadSanitizer,
/// MemorySanitizer or HWASan. Scripts and programs that are not there do not.
bool is_instrumented(const std::string& path);

}  // namespace dissensus::host
