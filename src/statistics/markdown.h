// Tables of a report, in Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus::statistics {

class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> header) : header_(std::move(header)) {}
  /// As many cells as the header has.
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// Replaces what lies between the lines <!-- begin NAME --> and <!-- end NAME --> of a document, so
/// that a program can renew its tables in a page that people write. Throws InputError, naming
/// `path`, where the two lines are missing.
std::string replace_section(std::string_view document, std::string_view name,
                            std::string_view content, const std::string& path);

/// "<0.001", else three decimals.
std::string p_value_text(double p);

}  // namespace dissensus::statistics
