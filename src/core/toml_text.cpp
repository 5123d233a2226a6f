#include "core/toml_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "core/document.h"

namespace dissensus {

using internal::is_below;
using internal::kNoTomlPlace;
using internal::TomlEntry;
using internal::TomlPath;
using internal::TomlSection;

namespace {

/// A text as TOML writes it.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string key_part(const std::string& part) {
  const bool is_bare = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
  return is_bare ? part : quoted(part);
}

/// The parts from `depth` on, as a key.
std::string key_text(const TomlPath& path, std::size_t depth = 0) {
  std::string text;
  for (std::size_t i = depth; i < path.size(); ++i) {
    text += (i == depth ? "" : ".") + key_part(path[i]);
  }
  return text;
}

TomlPath path_of(std::string_view key, const std::string& name) {
  const TomlText line(fmt::format("{} = 0", key),
                      fmt::format("{}: {}", name, internal::printable(key)));
  const internal::TomlLayout layout = internal::toml_layout(line.text());
  if (layout.entries.size() != 1 || layout.sections.size() != 1) {
    throw InputError(fmt::format("{}: {}: expected a key", name, internal::printable(key)));
  }
  return layout.entries.front().path;
}

}  // namespace

TomlText::TomlText(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {
  internal::parse_toml(text_, name_);
  const std::size_t first = text_.find('\n');
  line_break_ = first != std::string::npos && first > 0 && text_[first - 1] == '\r' ? "\r\n" : "\n";
  layout_ = internal::toml_layout(text_);
}

std::optional<std::string_view> TomlText::value(std::string_view key) const {
  const TomlEntry* entry = entry_at(path_of(key, name_));
  if (entry == nullptr) return std::nullopt;
  return std::string_view(text_).substr(entry->value.begin, entry->value.end - entry->value.begin);
}

void TomlText::set(std::string_view key, std::string_view value) {
  const std::string source = fmt::format("{}: {}", name_, internal::printable(key));
  const TomlText change(fmt::format("{} = {}", key, value), source);
  const auto& entries = change.layout_.entries;
  const bool is_one = change.layout_.sections.size() == 1 && !entries.empty() &&
                      entries.front().whole.end == change.text_.size();
  if (!is_one) {
    throw InputError(
        fmt::format("{}: expected one value, found {}", source, internal::printable(value)));
  }
  assign(entries.front().path, value);
}

void TomlText::merge(std::string_view changes, const std::string& source) {
  const TomlText change(std::string(changes), source);
  for (const TomlSection& section : change.layout_.sections) {
    if (section.is_element) {
      change.fail(section.header.begin, section.path, "expected key = [...], found a header");
    }
  }
  for (const TomlEntry& entry : change.layout_.entries) {
    if (entry.parent == kNoTomlPlace) apply(change, entry);
  }
}

void TomlText::apply(const TomlText& changes, const TomlEntry& change) {
  if (!change.is_table || !is_table(change.path)) {
    const Span value = change.value;
    assign(change.path,
           std::string_view(changes.text_).substr(value.begin, value.end - value.begin));
    return;
  }
  const auto& entries = changes.layout_.entries;
  const auto index = static_cast<std::size_t>(&change - entries.data());
  for (const TomlEntry& entry : entries) {
    if (entry.parent == index) apply(changes, entry);
  }
}

void TomlText::assign(const Path& path, std::string_view value) {
  if (const TomlEntry* entry = entry_at(path)) {
    splice({entry->value}, value);
    return;
  }
  remove(path);
  insert(path, value);
}

bool TomlText::remove(std::string_view key) {
  return remove(path_of(key, name_));
}

bool TomlText::remove(const Path& path) {
  std::vector<Span> spans;
  for (std::size_t i = 1; i < layout_.sections.size(); ++i) {
    const TomlSection& section = layout_.sections[i];
    // Keys do not say which element they mean.
    const bool is_inside = section.element != kNoTomlPlace && path.size() > section.array_depth;
    if (is_below(section.path, path) && !is_inside) spans.push_back(section.whole);
  }
  bool is_removed = !spans.empty();
  splice(std::move(spans), "");
  // One at a time: the commas between the rest depend on what has gone.
  while (const TomlEntry* entry = first_below(path)) {
    splice({without(*entry)}, "");
    is_removed = true;
  }
  return is_removed;
}

const TomlEntry* TomlText::first_below(const Path& path) const {
  for (const TomlEntry& entry : layout_.entries) {
    if (is_below(entry.path, path) && !is_in_array(entry)) return &entry;
  }
  return nullptr;
}

std::size_t TomlText::tables(std::string_view key) const {
  const Path path = path_of(key, name_);
  return static_cast<std::size_t>(
      std::count_if(layout_.sections.begin(), layout_.sections.end(), [&](const TomlSection& one) {
        return one.is_element && one.array_depth == path.size() && one.path == path;
      }));
}

void TomlText::remove_tables(std::string_view key, std::span<const std::uint32_t> which) {
  const Path path = path_of(key, name_);
  std::vector<Span> spans;
  for (const TomlSection& section : layout_.sections) {
    const bool is_chosen = std::find(which.begin(), which.end(), section.element) != which.end();
    const bool is_of_array = section.array_depth == path.size() && is_below(section.path, path);
    if (is_chosen && is_of_array) spans.push_back(section.whole);
  }
  splice(std::move(spans), "");
}

void TomlText::insert(const Path& path, std::string_view value) {
  for (std::size_t depth = path.size() - 1; depth > 0; --depth) {
    if (insert_below(path, depth, value)) return;
  }
  if (path.size() == 1) {
    insert_in_section(0, path, value);
  } else {
    append_section(path, value);
  }
}

/// Adds the key to the table that its first `depth` parts name, in the way that it is written in.
bool TomlText::insert_below(const Path& path, std::size_t depth, std::string_view value) {
  const Path table(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth));
  if (const TomlEntry* entry = entry_at(table)) {
    if (!entry->is_table) {
      fail(entry->whole.begin, path, fmt::format("{} is not a table", key_text(table)));
    }
    insert_in_table(*entry, path, value);
    return true;
  }
  bool is_implied = false;
  for (std::size_t i = 1; i < layout_.sections.size(); ++i) {
    const TomlSection& section = layout_.sections[i];
    if (section.is_element && section.path == table) {
      fail(section.header.begin, path,
           fmt::format("{} is an array of tables, expected a table", key_text(table)));
    }
    if (section.path == table) {
      insert_in_section(i, path, value);
      return true;
    }
    is_implied = is_implied || is_below(section.path, table);
  }
  const auto& entries = layout_.entries;
  const auto dotted = std::find_if(entries.rbegin(), entries.rend(), [&](const TomlEntry& entry) {
    return is_below(entry.path, table) && table_of(entry).size() < depth && !is_in_array(entry);
  });
  if (dotted != entries.rend()) {
    if (dotted->parent == kNoTomlPlace) {
      insert_in_section(dotted->section, path, value);
    } else {
      insert_in_table(entries[dotted->parent], path, value);
    }
    return true;
  }
  if (is_implied) append_section(path, value);
  return is_implied;
}

void TomlText::insert_in_section(std::size_t index, const Path& path, std::string_view value) {
  const TomlSection& section = layout_.sections[index];
  const TomlEntry* last = nullptr;
  for (const TomlEntry& entry : layout_.entries) {
    if (entry.section == index && entry.parent == kNoTomlPlace) last = &entry;
  }
  // The root without keys ends where the comments of the first header begin.
  const Span before = last != nullptr ? line_of(last->whole)
                      : index == 0    ? Span{section.whole.end, section.whole.end}
                                      : line_of(section.header);
  const std::size_t content = text_.find_first_not_of(" \t", before.begin);
  const std::size_t indent = last != nullptr ? content - before.begin : 0;
  std::string line = before.end > 0 && text_[before.end - 1] != '\n' ? line_break_ : std::string();
  line += text_.substr(before.begin, indent);
  line += fmt::format("{} = {}{}", key_text(path, section.path.size()), value, line_break_);
  splice({{before.end, before.end}}, line);
}

void TomlText::insert_in_table(const TomlEntry& table, const Path& path, std::string_view value) {
  const auto index = static_cast<std::size_t>(&table - layout_.entries.data());
  const TomlEntry* last = nullptr;
  for (const TomlEntry& entry : layout_.entries) {
    if (entry.parent == index) last = &entry;
  }
  const std::string member = fmt::format("{} = {}", key_text(path, table.path.size()), value);
  if (last != nullptr) {
    splice({{last->whole.end, last->whole.end}}, ", " + member);
  } else {
    splice({table.value}, fmt::format("{{ {} }}", member));
  }
}

void TomlText::append_section(const Path& path, std::string_view value) {
  std::string added = text_.empty() || text_.back() == '\n' ? std::string() : line_break_;
  if (!text_.empty()) added += line_break_;
  const Path table(path.begin(), path.end() - 1);
  added += fmt::format("[{}]{}{} = {}{}", key_text(table), line_break_, key_part(path.back()),
                       value, line_break_);
  splice({{text_.size(), text_.size()}}, added);
}

const TomlEntry* TomlText::entry_at(const Path& path) const {
  for (const TomlEntry& entry : layout_.entries) {
    if (entry.path == path && !is_in_array(entry)) return &entry;
  }
  return nullptr;
}

bool TomlText::is_table(const Path& path) const {
  if (const TomlEntry* entry = entry_at(path)) return entry->is_table;
  const auto has_path = [&](const auto& one) { return is_below(one.path, path); };
  const auto& sections = layout_.sections;
  const bool is_array = std::any_of(sections.begin(), sections.end(), [&](const auto& section) {
    return section.is_element && section.path == path;
  });
  return !is_array && (std::any_of(sections.begin(), sections.end(), has_path) ||
                       std::any_of(layout_.entries.begin(), layout_.entries.end(), has_path));
}

bool TomlText::is_in_array(const TomlEntry& entry) const {
  return layout_.sections[entry.section].element != kNoTomlPlace;
}

const TomlPath& TomlText::table_of(const TomlEntry& entry) const {
  return entry.parent == kNoTomlPlace ? layout_.sections[entry.section].path
                                      : layout_.entries[entry.parent].path;
}

/// What goes with an entry: its line, or the comma beside it.
TomlText::Span TomlText::without(const TomlEntry& entry) const {
  if (entry.parent == kNoTomlPlace) return line_of(entry.whole);
  const TomlEntry* before = nullptr;
  for (const TomlEntry& other : layout_.entries) {
    if (other.parent != entry.parent || &other == &entry) continue;
    if (other.whole.begin > entry.whole.begin) return {entry.whole.begin, other.whole.begin};
    before = &other;
  }
  return before != nullptr ? Span{before->whole.end, entry.whole.end} : entry.whole;
}

/// The lines of a span, with the last line break.
TomlText::Span TomlText::line_of(Span span) const {
  const std::size_t before =
      span.begin == 0 ? std::string::npos : text_.rfind('\n', span.begin - 1);
  const std::size_t after = text_.find('\n', span.end);
  return {before == std::string::npos ? 0 : before + 1,
          after == std::string::npos ? text_.size() : after + 1};
}

void TomlText::splice(std::vector<Span> spans, std::string_view replacement) {
  if (spans.empty()) return;
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.begin > b.begin; });
  std::string edited = text_;
  for (const Span& span : spans) edited.replace(span.begin, span.end - span.begin, replacement);
  *this = TomlText(std::move(edited), name_);
}

void TomlText::fail(std::size_t at, const Path& path, std::string_view message) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(at);
  internal::fail_at(name_, 1 + static_cast<int>(std::count(text_.begin(), end, '\n')),
                    key_text(path), message);
}

std::pair<std::string, std::string> parse_assignment(const std::string& assignment,
                                                     std::string_view option) {
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, equals);
  const bool is_key = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  if (equals == std::string::npos || !is_key || equals + 1 == assignment.size()) {
    throw InputError(
        fmt::format("{}: expected key=value, found '{}'", option, internal::printable(assignment)));
  }
  const std::string value = assignment.substr(equals + 1);
  try {
    TomlText("", "").set("value", value);
    return {key, value};
  } catch (const InputError&) {
    return {key, quoted(value)};
  }
}

}  // namespace dissensus
