#include "core/toml_layout.h"

#include <algorithm>
#include <map>

#include "core/document.h"

namespace dissensus::internal {

bool is_below(const TomlPath& path, const TomlPath& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSpace = " \t\r\n";

/// Walks over a text that is known to be TOML, so that it need not ask what else could be there.
class LayoutScanner {
 public:
  explicit LayoutScanner(std::string_view text) : text_(text) { layout_.sections.emplace_back(); }

  TomlLayout scan() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (skip_to_content(); at_ < text_.size(); skip_to_content()) {
      if (text_[at_] == '[') {
        scan_header();
      } else {
        scan_entry({}, kNoTomlPlace);
      }
    }
    for (std::size_t i = 0; i < layout_.sections.size(); ++i) {
      TomlSpan& whole = layout_.sections[i].whole;
      whole.begin = i == 0 ? 0 : with_comments_above(layout_.sections[i].header.begin);
      whole.end = text_.size();
      if (i > 0) layout_.sections[i - 1].whole.end = whole.begin;
    }
    return std::move(layout_);
  }

 private:
  void skip(std::string_view characters) {
    at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
  }
  /// Past white space, line breaks and comments.
  void skip_to_content() {
    for (skip(kSpace); at_ < text_.size() && text_[at_] == '#'; skip(kSpace)) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }
  bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  std::size_t line_begin(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
  }
  std::size_t with_comments_above(std::size_t at) const {
    std::size_t begin = line_begin(at);
    while (begin > 0) {
      const std::size_t above = line_begin(begin - 1);
      const std::size_t content = text_.find_first_not_of(kBlanks, above);
      if (content >= begin || text_[content] != '#') break;
      begin = above;
    }
    return begin;
  }

  TomlPath scan_key() {
    TomlPath path;
    while (true) {
      skip(kBlanks);
      path.push_back(scan_key_part());
      skip(kBlanks);
      if (at_ >= text_.size() || text_[at_] != '.') return path;
      ++at_;
    }
  }
  std::string scan_key_part() {
    const std::size_t begin = at_;
    if (is_at("\"") || is_at("'")) {
      skip_string();
      const std::string quoted(text_.substr(begin, at_ - begin));
      return parse_toml("key = " + quoted, "").members.front().value.text;
    }
    at_ = std::min(text_.find_first_of(" \t.=]", at_), text_.size());
    return std::string(text_.substr(begin, at_ - begin));
  }

  void scan_header() {
    TomlSection section;
    section.header.begin = at_;
    section.is_element = is_at("[[");
    at_ += section.is_element ? 2 : 1;
    section.path = scan_key();
    at_ += section.is_element ? 2 : 1;
    section.header.end = at_;
    // Tables below an array of tables belong to its last element so far.
    for (const auto& [array, count] : arrays_) {
      if (section.path == array || !is_below(section.path, array)) continue;
      section.element = count - 1;
      section.array_depth = array.size();
    }
    if (section.is_element && section.element == kNoTomlPlace) {
      section.element = arrays_[section.path]++;
      section.array_depth = section.path.size();
    }
    layout_.sections.push_back(std::move(section));
  }

  void scan_entry(const TomlPath& table, std::size_t parent) {
    TomlEntry entry;
    entry.whole.begin = at_;
    entry.section = layout_.sections.size() - 1;
    entry.parent = parent;
    entry.path = parent == kNoTomlPlace ? layout_.sections.back().path : table;
    for (std::string& part : scan_key()) entry.path.push_back(std::move(part));
    ++at_;  // the equals sign
    skip(kBlanks);
    entry.value.begin = at_;
    entry.is_table = is_at("{");
    const std::size_t index = layout_.entries.size();
    const TomlPath path = entry.path;
    layout_.entries.push_back(std::move(entry));
    if (is_at("{")) {
      scan_inline_table(path, index);
    } else {
      skip_value();
    }
    layout_.entries[index].value.end = at_;
    layout_.entries[index].whole.end = at_;
  }

  void scan_inline_table(const TomlPath& path, std::size_t index) {
    ++at_;
    for (skip_to_content(); !is_at("}"); skip_to_content()) {
      if (is_at(",")) {
        ++at_;
      } else {
        scan_entry(path, index);
      }
    }
    ++at_;
  }

  void skip_value() {
    if (is_at("\"") || is_at("'")) {
      skip_string();
    } else if (is_at("[") || is_at("{")) {
      skip_brackets();
    } else {
      const std::size_t end = std::min(text_.find_first_of(",]}#\r\n", at_), text_.size());
      at_ = text_.find_last_not_of(kBlanks, end - 1) + 1;
    }
  }
  /// An array, or an inline table in one.
  void skip_brackets() {
    std::size_t depth = 0;
    do {
      skip_to_content();
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string();
        continue;
      }
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
      ++at_;
    } while (depth > 0);
  }
  void skip_string() {
    const char quote = text_[at_];
    const bool is_long = is_at(quote == '"' ? "\"\"\"" : "'''");
    const std::string end(is_long ? 3 : 1, quote);
    at_ += end.size();
    while (!is_at(end)) at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    at_ += end.size();
    // Up to two quotes may stand before the closing three.
    while (is_long && at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  TomlLayout layout_;
  std::map<TomlPath, std::size_t> arrays_;  ///< outermost arrays of tables, elements so far
};

}  // namespace

TomlLayout toml_layout(std::string_view text) {
  return LayoutScanner(text).scan();
}

}  // namespace dissensus::internal
