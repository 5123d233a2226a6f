#include "shrink/scenario_edit.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "dissensus/options.h"

#include "core/assert.h"

namespace dissensus::shrink {

/// Finds places in the parsed text. Positions of toml++ are lines and columns of characters.
struct ScenarioText::Finder {
  explicit Finder(const std::string& file) : text(file), root(toml::parse(file)) {
    lines.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') lines.push_back(i + 1);
    }
    collect_headers(root, header_lines);
  }

  std::size_t offset(const toml::source_position& position) const {
    if (position.line > lines.size()) return text.size();
    std::size_t at = lines[position.line - 1];
    for (toml::source_index column = 1; column < position.column && at < text.size(); ++column) {
      ++at;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    }
    return at;
  }

  /// Adds the lines with the headers of this table and of the tables in it.
  static void collect_headers(const toml::table& table, std::set<toml::source_index>& found) {
    if (table.is_inline()) return;
    found.insert(table.source().begin.line);
    for (const auto& [key, child] : table) {
      if (const toml::table* inner = child.as_table()) {
        collect_headers(*inner, found);
      } else if (const toml::array* array = child.as_array()) {
        for (const toml::node& element : *array) {
          if (const toml::table* entry = element.as_table()) collect_headers(*entry, found);
        }
      }
    }
  }

  /// From the header of a table to the next header that is not of a table inside it. Comments
  /// above that header belong to it.
  Place block(const toml::table& table) const {
    std::set<toml::source_index> inside;
    collect_headers(table, inside);
    const toml::source_index first = table.source().begin.line;
    std::size_t end_line = lines.size() + 1;
    for (const toml::source_index line : header_lines) {
      if (line > first && !inside.contains(line)) {
        end_line = line;
        break;
      }
    }
    while (end_line <= lines.size() && end_line - 1 > first && is_comment(end_line - 1)) --end_line;
    return {lines[first - 1], end_line > lines.size() ? text.size() : lines[end_line - 1]};
  }
  bool is_comment(std::size_t line) const {
    const std::size_t begin = lines[line - 1];
    return begin < text.size() && text[begin] == '#';
  }

  /// The place of a duration in quotes; none if the node is something else.
  std::optional<Duration> duration(const toml::node* node, Place& place) const {
    if (node == nullptr || !node->is_string()) return std::nullopt;
    const Place found{offset(node->source().begin), offset(node->source().end)};
    const std::string written = text.substr(found.begin, found.end - found.begin);
    const std::string& value = node->as_string()->get();
    if (written != '"' + value + '"' && written != '\'' + value + '\'') return std::nullopt;
    place = found;
    return parse_duration(value);
  }

  const std::string& text;
  toml::table root;
  std::vector<std::size_t> lines;  ///< where each begins
  std::set<toml::source_index> header_lines;
};

ScenarioText::ScenarioText(const run::Scenario& scenario) : text_(scenario.text) {
  const Finder finder(text_);
  if (const toml::array* workload = finder.root["workload"].as_array()) {
    for (const toml::node& element : *workload) {
      const toml::table* request = element.as_table();
      if (request == nullptr || request->is_inline()) {
        requests_.clear();
        break;
      }
      requests_.push_back(finder.block(*request));
    }
  }
  const toml::node* faults = finder.root["phases"]["faults"].node();
  if (faults != nullptr && faults->is_table()) faults = faults->as_table()->get("until");
  faults_until_ = finder.duration(faults, faults_until_place_);
  virtual_time_ =
      finder.duration(finder.root["limits"]["virtual_time"].node(), virtual_time_place_);
}

std::string ScenarioText::edited(const ScenarioEdit& edit) const {
  struct Change {
    Place place;
    std::string text;
  };
  std::vector<Change> changes;
  for (const std::uint32_t request : edit.removed_requests) {
    changes.push_back({requests_.at(request), ""});
  }
  const auto replace = [&](const Place& place, const std::optional<Duration>& old, Duration value) {
    DISSENSUS_ASSERT(old.has_value(), "ScenarioText::edited : the file has this value");
    changes.push_back({place, fmt::format("\"{}\"", to_string(value))});
  };
  if (edit.faults_until) replace(faults_until_place_, faults_until_, *edit.faults_until);
  if (edit.virtual_time) replace(virtual_time_place_, virtual_time_, *edit.virtual_time);
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.place.begin > b.place.begin; });
  std::string result = text_;
  for (const Change& change : changes) {
    result.replace(change.place.begin, change.place.end - change.place.begin, change.text);
  }
  return result;
}

}  // namespace dissensus::shrink
