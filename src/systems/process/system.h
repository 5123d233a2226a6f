// The system "process": a node is a program that reads and writes lines of JSON.
#pragma once

#include "dissensus/system.h"

namespace dissensus::process {

struct ProcessUse {
  /// False: no program is started when a scenario is read, and kinds of messages that it does not
  /// declare stay unknown. For those who only look at scenarios.
  bool learns = true;
};
SystemEntry process_entry(ProcessUse use = {});

}  // namespace dissensus::process
