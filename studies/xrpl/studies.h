// The studies, one function each.
#pragma once

#include "report.h"

namespace dissensus::studies {

/// Recorded executions of real servers against the same schedules in the simulator.
void study_fidelity(const StudyOptions& options);
/// Seeded and known bugs under random delays, beside the thesis's random column.
void study_bugs(const StudyOptions& options);
/// The message mix under random delays and priorities, beside thesis Table 4.1.
void study_mix(const StudyOptions& options);
/// How much milliseconds of processing time matter.
void study_timing(const StudyOptions& options);
/// Thesis Figure 4.4 as a space-time diagram.
void study_figure(const StudyOptions& options);

}  // namespace dissensus::studies
