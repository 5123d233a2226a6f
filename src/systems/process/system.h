// The system "process": a node is a program that reads and writes lines of JSON.
#pragma once

#include "dissensus/system.h"

namespace dissensus::process {

SystemEntry process_entry();

}  // namespace dissensus::process
