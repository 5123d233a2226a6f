// The explanation of a finding by the nearest run that passes.
#pragma once

#include <string>

#include "report/report.h"

namespace dissensus::report {

/// A section of the page; empty where no passing run is known.
std::string why_section(const Finding& finding);
/// Which messages were changed on their way, and how; empty where none was.
std::string lies_text(const trace::Trace& trace);
/// What the code under test left behind when it ended the run; empty where it did not.
std::string crash_section(const RecordedRun& run);

}  // namespace dissensus::report
