// Which system calls stop a program. Those that nobody has thought about do.
#pragma once

#include <vector>

#include <linux/filter.h>

namespace dissensus::host {

/// The error that a call is refused with, by us and with a note; 0: it is not.
int refusal_of(long call);

/// Calls that need no supervision pass; calls that programs can do without fail; all others stop.
std::vector<sock_filter> make_call_filter();

}  // namespace dissensus::host
