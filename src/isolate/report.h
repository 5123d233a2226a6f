// What was isolated, for people and for programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isolate/branches.h"
#include "isolate/causes.h"
#include "isolate/cross_validation.h"
#include "isolate/isolation.h"

namespace dissensus::isolate {

/// Where a cause is explained by one of its runs, made as small as it goes.
struct CausePage {
  std::string run;      ///< the run of the campaign that was shrunk
  std::string page;     ///< file
  std::string replay;   ///< command
  std::string picture;  ///< the smallest run in words and as a diagram (HTML)
  /// False: no shrunk run has the cause's conditions any more, so the run stands as it was found.
  bool is_shrunk = true;
};

struct Report {
  std::string source;  ///< what was analysed, as the user named it
  const RunTable& table;
  const IsolationResult& result;
  std::optional<CrossValidation> validation = std::nullopt;
  /// How many causes there are; where it was asked for.
  std::optional<Separation> separation = std::nullopt;
  std::vector<CausePage> pages = {};  ///< by cause; empty: none were asked for
  /// An SVG picture of a run, or nothing; asked for one run per finding by the HTML report.
  std::function<std::string(const RunSummary&)> picture = nullptr;
};

/// " (2 to 4)", where the number of causes is not sure.
std::string range_words(const Separation& separation);

std::string_view to_string(Mode mode);
/// A condition of a cause, as a sentence.
std::string literal_words(const PredicateSpace& space, const Literal& literal);
/// How failing runs fail, in words, and how many do so; the most frequent way first.
std::vector<std::pair<std::string, std::size_t>> ways_of_failing(
    const RunTable& table, const std::vector<std::size_t>& runs);
/// The run that shows a finding best: one of its cluster in which the fewest other findings hold.
std::size_t representative(const Report& report, std::size_t finding);

std::string text_report(const Report& report);
/// Indented JSON; docs/results/isolation.md says what is in it.
std::string json_report(const Report& report);
/// One page that needs nothing else.
std::string html_report(const Report& report);

std::string text_report(const BranchData& data, const std::vector<BranchFinding>& findings);
std::string json_report(const BranchData& data, const std::vector<BranchFinding>& findings);

}  // namespace dissensus::isolate
