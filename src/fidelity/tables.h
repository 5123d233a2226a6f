// A fidelity comparison in tables and in words, for terminals, Markdown and pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fidelity/comparison.h"

namespace dissensus::fidelity {

struct FidelityTable {
  std::string id;
  std::string title;
  std::string intro;  ///< what the rows are, for someone who sees such a table for the first time
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< plain text
  std::string note = {};
  bool is_detail = false;  ///< left out on a terminal
};
std::vector<FidelityTable> fidelity_tables(const FidelityComparison& comparison);

/// What was found and how far it can be trusted, one sentence or two each.
std::vector<std::string> fidelity_findings(const FidelityComparison& comparison);

/// How to read intervals, p-values and distances.
std::string fidelity_method(const FidelityComparison& comparison);

/// Columns aligned with blanks.
std::string to_text(const FidelityTable& table);
std::string to_markdown(const FidelityTable& table);
/// The table alone; title, intro and note are for the page.
std::string to_html(const FidelityTable& table);

}  // namespace dissensus::fidelity
