// The names of the system calls of x86-64 Linux.
#pragma once

#include <string_view>

namespace dissensus::host {

/// Empty: no call has this number.
std::string_view system_call_name(long number);

}  // namespace dissensus::host
