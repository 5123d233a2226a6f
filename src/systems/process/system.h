// The system "process": a node is a program that reads and writes lines of JSON.
#pragma once

#include <functional>

#include "dissensus/system.h"

namespace dissensus::process {

/// `is_interrupted` is asked while programs run in real time; empty: nobody interrupts.
SystemEntry process_entry(std::function<bool()> is_interrupted = {});

}  // namespace dissensus::process
