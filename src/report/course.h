// The course of a run as a list: what a reader needs to follow it and nothing else.
#pragma once

#include <string>

#include "report/report.h"

namespace dissensus::report {

/// A section of the page: faults as they begin and end, nodes that enter the phases that matter
/// (SystemDescription::anchors), and what was put forward and decided for the instance of the
/// violation. Empty for systems that name no such phases.
std::string course_section(const RecordedRun& run);

}  // namespace dissensus::report
