#include "serve/event_query.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "trace/dependence.h"
#include "trace/labels.h"

namespace dissensus::serve {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isdigit(letter) != 0;
  });
}

/// Words, and texts in quotes, which are taken as they are.
struct Word {
  std::string text;
  bool quoted = false;
};

std::vector<Word> split(std::string_view question) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < question.size();) {
    const char letter = question[at];
    if (std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == ',') {
      ++at;
    } else if (letter == '"') {
      const std::size_t end = std::min(question.find('"', at + 1), question.size());
      words.push_back({std::string(question.substr(at + 1, end - at - 1)), true});
      at = end + 1;
    } else {
      std::size_t end = at;
      while (end < question.size() && question[end] != ',' && question[end] != '"' &&
             std::isspace(static_cast<unsigned char>(question[end])) == 0) {
        ++end;
      }
      words.push_back({std::string(question.substr(at, end - at)), false});
      at = end;
    }
  }
  return words;
}

/// A named property and what it must be: ledger 7, propose_seq=0, amount>100.
struct Condition {
  std::string name;
  std::string relation;  ///< "=", "!=", "<", ">"
  std::string value;
};

/// Which events.
struct Terms {
  std::set<EventType> types;
  std::set<MessageKind> kinds;
  std::optional<NodeId> at;
  std::optional<NodeId> from;
  std::optional<NodeId> to;
  std::optional<std::int64_t> after_us;
  std::optional<std::int64_t> before_us;
  std::vector<Condition> conditions;
  std::vector<std::string> texts;
  bool empty() const {
    return types.empty() && kinds.empty() && !at && !from && !to && !after_us && !before_us &&
           conditions.empty() && texts.empty();
  }
};

struct Relation {
  bool wanted = true;   ///< false: there must be none
  bool earlier = true;  ///< preceded by, else followed by
  Terms terms;
};

constexpr std::array<std::string_view, 17> kIdleWords{
    "of",      "for",      "the",   "a",      "an",   "by",  "in", "with", "and",
    "message", "messages", "event", "events", "that", "are", "is", "were"};

class Reader {
 public:
  Reader(const LoadedRun& run, std::vector<Word> words)
      : header_(run.trace.header), words_(std::move(words)) {}

  void read(Terms& terms, std::vector<Relation>& relations) {
    read_terms(terms);
    while (!done()) {
      Relation relation;
      if (is_word("not")) {
        relation.wanted = false;
        next();
      }
      relation.earlier = is_word("preceded");
      if (!relation.earlier && !is_word("followed")) {
        throw InputError("expected 'preceded by' or 'followed by' behind 'not'");
      }
      next();
      if (is_word("by")) next();
      read_terms(relation.terms);
      if (relation.terms.empty()) {
        throw InputError(fmt::format("expected which events behind '{} by'",
                                     relation.earlier ? "preceded" : "followed"));
      }
      relations.push_back(std::move(relation));
    }
  }

 private:
  bool done() const { return at_ == words_.size(); }
  bool is_word(std::string_view word) const {
    return !done() && !words_[at_].quoted && lower(words_[at_].text) == word;
  }
  Word next() { return words_[at_++]; }

  void read_terms(Terms& terms) {
    while (!done() && !is_word("not") && !is_word("preceded") && !is_word("followed")) {
      read_term(terms);
    }
  }

  void read_term(Terms& terms) {
    const Word word = next();
    if (word.quoted) {
      terms.texts.push_back(word.text);
      return;
    }
    const std::string plain = lower(word.text);
    if (std::find(kIdleWords.begin(), kIdleWords.end(), plain) != kIdleWords.end()) return;
    if (read_condition(word.text, terms)) return;
    if (plain == "from" || plain == "to" || plain == "at" || plain == "node") {
      const NodeId node = read_node(plain);
      (plain == "from" ? terms.from : plain == "to" ? terms.to : terms.at) = node;
      return;
    }
    if (plain == "after" || plain == "before") {
      (plain == "after" ? terms.after_us : terms.before_us) = read_time(plain);
      return;
    }
    if (plain.size() > 1 && plain[0] == 'n' && is_number(plain.substr(1))) {
      terms.at = parse_node(plain.substr(1));
      return;
    }
    // "round 7" and "value 3" are conditions; "round" alone is a type of event.
    const bool has_value =
        !done() && !words_[at_].quoted && (is_number(words_[at_].text) || plain == "phase");
    if (!has_value && (read_type(plain, terms) || read_kinds(plain, terms))) return;
    if (!done() && !words_[at_].quoted && names_something(plain)) {
      terms.conditions.push_back({plain, "=", next().text});
      return;
    }
    if (read_type(plain, terms) || read_kinds(plain, terms)) return;
    // Where no message is called so, what nodes report.
    if (singular(plain) == "proposal") {
      terms.types.insert(EventType::propose);
      return;
    }
    throw InputError(fmt::format(
        "'{}' is no type of event, kind of message, level or field of this run; a text to look for "
        "goes in quotes",
        word.text));
  }

  bool read_condition(const std::string& word, Terms& terms) {
    const std::size_t sign = word.find_first_of("=<>!");
    if (sign == std::string::npos || sign == 0) return false;
    Condition condition;
    condition.name = lower(word.substr(0, sign));
    std::size_t end = sign + 1;
    if (word[sign] == '!' && end < word.size() && word[end] == '=') ++end;
    condition.relation = word.substr(sign, end - sign);
    condition.value = word.substr(end);
    if (condition.relation == "!" || condition.value.empty()) {
      throw InputError(
          fmt::format("'{}': expected NAME=VALUE, NAME!=VALUE, NAME<VALUE or "
                      "NAME>VALUE",
                      word));
    }
    if (condition.name == "node" && condition.relation == "=") {
      terms.at = parse_node(condition.value);
    } else {
      terms.conditions.push_back(std::move(condition));
    }
    return true;
  }

  NodeId read_node(const std::string& behind) {
    if (is_word("node")) next();
    if (done()) throw InputError(fmt::format("expected a node behind '{}'", behind));
    std::string text = lower(next().text);
    if (text.size() > 1 && text[0] == 'n') text.erase(0, 1);
    return parse_node(text);
  }
  NodeId parse_node(std::string_view text) const {
    std::uint64_t node = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node);
    if (error != std::errc() || end != text.data() + text.size() || node >= header_.nodes) {
      throw InputError(fmt::format("'{}' is no node, expected 0 to {}", text, header_.nodes - 1));
    }
    return static_cast<NodeId>(node);
  }

  std::int64_t read_time(const std::string& behind) {
    const std::string text = done() ? "" : next().text;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const double scale = unit == "us"                  ? 1
                         : unit == "ms"                ? 1e3
                         : unit == "s" || unit.empty() ? 1e6
                         : unit == "min"               ? 60e6
                                                       : 0;
    if (error != std::errc() || scale == 0 || !(value >= 0 && value < 1e9)) {
      throw InputError(fmt::format("expected a time behind '{}', e.g. 2.5s", behind));
    }
    return static_cast<std::int64_t>(value * scale);
  }

  static std::string singular(const std::string& word) {
    return word.size() > 3 && word.back() == 's' ? word.substr(0, word.size() - 1) : word;
  }

  static bool read_type(const std::string& word, Terms& terms) {
    EventType type{};
    static constexpr std::array<std::pair<std::string_view, EventType>, 12> kOtherWords{{
        {"decision", EventType::decide},
        {"decides", EventType::decide},
        {"decided", EventType::decide},
        {"delivery", EventType::deliver},
        {"deliveries", EventType::deliver},
        {"received", EventType::deliver},
        {"sent", EventType::send},
        {"lost", EventType::drop},
        {"crashes", EventType::crash},
        {"request", EventType::submit},
        {"lie", EventType::mutate},
        {"lies", EventType::mutate},
    }};
    const auto* const found =
        std::find_if(kOtherWords.begin(), kOtherWords.end(), [&word](const auto& entry) {
          return entry.first == word || entry.first == singular(word);
        });
    if (found != kOtherWords.end()) {
      terms.types.insert(found->second);
      return true;
    }
    if (!parse_event_type(word, type) && !parse_event_type(singular(word), type)) return false;
    terms.types.insert(type);
    return true;
  }

  /// A kind by its name, several by what their names begin with: "proposals" are ProposeSeq0, ...
  bool read_kinds(const std::string& word, Terms& terms) {
    const std::string one = singular(word);
    std::set<MessageKind> exact;
    std::set<MessageKind> alike;
    for (std::size_t kind = 0; kind < header_.kinds.size(); ++kind) {
      const std::string name = lower(header_.kinds[kind]);
      if (name == word || name == one) exact.insert(static_cast<MessageKind>(kind));
      std::size_t common = 0;
      while (common < name.size() && common < one.size() && name[common] == one[common]) ++common;
      constexpr std::size_t kStem = 5;
      if (common >= kStem && common + 2 >= one.size()) alike.insert(static_cast<MessageKind>(kind));
    }
    const std::set<MessageKind>& kinds = exact.empty() ? alike : exact;
    terms.kinds.insert(kinds.begin(), kinds.end());
    return !kinds.empty();
  }

  bool names_something(const std::string& word) const {
    if (word == "round" || word == "phase" || word == "instance" || word == "value") return true;
    for (const std::string& level : header_.levels) {
      if (contains(lower(level), word)) return true;
    }
    for (const auto& fields : header_.kind_fields) {
      for (const FieldDescription& field : fields) {
        if (contains(lower(field.name), word)) return true;
      }
    }
    return false;
  }

  const trace::Header& header_;
  std::vector<Word> words_;
  std::size_t at_ = 0;
};

bool holds(const std::string& relation, std::string_view actual, std::string_view wanted) {
  if (relation == "=") {
    // Hashes are long: their beginning is enough.
    return lower(actual) == lower(wanted) ||
           (wanted.size() >= 4 && !is_number(wanted) && lower(actual).starts_with(lower(wanted)));
  }
  if (relation == "!=") return lower(actual) != lower(wanted);
  double a = 0;
  double b = 0;
  std::from_chars(actual.data(), actual.data() + actual.size(), a);
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), b);
  return relation == "<" ? a < b : a > b;
}

class Matcher {
 public:
  Matcher(const LoadedRun& run, const Terms& terms) : run_(run), terms_(terms) {}

  bool matches(std::size_t index) const {
    const trace::Record& record = run_.records()[index];
    // A kind alone means messages: each once, where it is sent.
    const bool only_messages = !terms_.kinds.empty() || terms_.from || terms_.to;
    if (terms_.types.empty() ? only_messages && record.type != EventType::send
                             : terms_.types.count(record.type) == 0) {
      return false;
    }
    if (!terms_.kinds.empty() && terms_.kinds.count(record.kind) == 0) return false;
    const bool arrives = record.type == EventType::deliver;
    if (terms_.at && record.node != *terms_.at) return false;
    if (terms_.from && (arrives ? record.peer : record.node) != *terms_.from) return false;
    if (terms_.to && (arrives ? record.node : record.peer) != *terms_.to) return false;
    const std::int64_t time = microseconds_of(record.time);
    if (terms_.after_us && time < *terms_.after_us) return false;
    if (terms_.before_us && time >= *terms_.before_us) return false;
    for (const Condition& condition : terms_.conditions) {
      if (!holds_for(condition, index)) return false;
    }
    for (const std::string& text : terms_.texts) {
      if (!contains(lower(record.text), lower(text)) &&
          !contains(lower(trace::event_text(run_.trace.header, record)), lower(text))) {
        return false;
      }
    }
    return true;
  }

 private:
  bool holds_for(const Condition& condition, std::size_t index) const {
    const trace::Header& header = run_.trace.header;
    const trace::Record& record = run_.records()[index];
    const std::string& relation = condition.relation;
    if (record.type == EventType::decide || record.type == EventType::propose) {
      const std::string level = lower(trace::name_or_number(header.levels, record.detail, "level"));
      if (contains(level, condition.name) || condition.name == "instance") {
        const std::string name = trace::instance_text(header, record.detail, record.number);
        if (holds(relation, name, condition.value) ||
            holds(relation, name.substr(0, name.find('@')), condition.value)) {
          return true;
        }
      }
      if (condition.name == "value") {
        return holds(relation, to_string(record.value), condition.value) ||
               holds(relation, trace::value_text(header, record.detail, record.value),
                     condition.value);
      }
    }
    if (record.type == EventType::phase && condition.name == "phase") {
      return holds(relation, trace::name_or_number(header.phases, record.number, "phase"),
                   condition.value);
    }
    bool is_named = false;
    if (field_holds(condition, index, is_named)) return true;
    // What is said in a round is about that round.
    const bool is_about_rounds = is_number(condition.value) && !is_named;
    return is_about_rounds && holds(relation, std::to_string(run_.round[index]), condition.value);
  }

  /// `is_named` says that the message has such a field with a number.
  bool field_holds(const Condition& condition, std::size_t index, bool& is_named) const {
    const trace::Record* record = &run_.records()[index];
    if (record->kind == kNoKind) return false;
    if (record->fields.empty() && run_.cause[index] != trace::kNoIndex) {
      record = &run_.records()[run_.cause[index]];
    }
    const auto& kinds = run_.trace.header.kind_fields;
    if (record->kind >= kinds.size()) return false;
    const auto& names = kinds[record->kind];
    for (std::size_t i = 0; i < names.size() && i < record->fields.size(); ++i) {
      if (!contains(lower(names[i].name), condition.name)) continue;
      const std::string text = trace::field_text(record->fields[i]);
      is_named = is_named || (is_number(text) && names[i].type != SemanticType::hash &&
                              names[i].type != SemanticType::value);
      if (holds(condition.relation, text, condition.value)) return true;
    }
    return false;
  }

  const LoadedRun& run_;
  const Terms& terms_;
};

/// By record: whether some event that matches happened before it (or after it), as far as messages
/// and the order at each node tell.
std::vector<bool> near_matches(const LoadedRun& run, const Terms& terms, bool earlier) {
  const Matcher matcher(run, terms);
  const std::size_t count = run.records().size();
  std::vector<bool> matched(count);
  for (std::size_t i = 0; i < count; ++i) matched[i] = matcher.matches(i);
  std::vector<bool> result(count);
  const auto pass_on = [&](std::size_t from, std::size_t to) {
    if (matched[from] || result[from]) result[to] = true;
  };
  if (earlier) {
    for (std::size_t i = 0; i < count; ++i) {
      if (run.cause[i] != trace::kNoIndex) pass_on(run.cause[i], i);
      if (run.previous[i] != trace::kNoIndex) pass_on(run.previous[i], i);
    }
  } else {
    for (std::size_t i = count; i-- > 0;) {
      if (run.cause[i] != trace::kNoIndex) pass_on(i, run.cause[i]);
      if (run.previous[i] != trace::kNoIndex) pass_on(i, run.previous[i]);
    }
  }
  return result;
}

std::string words_of(const LoadedRun& run, const Terms& terms) {
  std::vector<std::string> parts;
  for (const EventType type : terms.types) parts.emplace_back(to_string(type));
  for (const MessageKind kind : terms.kinds) {
    parts.push_back(trace::kind_name(run.trace.header, kind));
  }
  if (terms.at) parts.push_back(fmt::format("at node {}", *terms.at));
  if (terms.from) parts.push_back(fmt::format("from node {}", *terms.from));
  if (terms.to) parts.push_back(fmt::format("to node {}", *terms.to));
  if (terms.after_us) parts.push_back(fmt::format("from {} us on", *terms.after_us));
  if (terms.before_us) parts.push_back(fmt::format("before {} us", *terms.before_us));
  for (const Condition& condition : terms.conditions) {
    parts.push_back(fmt::format("{} {} {}", condition.name, condition.relation, condition.value));
  }
  for (const std::string& text : terms.texts) parts.push_back(fmt::format("\"{}\"", text));
  return parts.empty() ? "every event" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

QueryAnswer ask(const LoadedRun& run, std::string_view question) {
  constexpr std::size_t kLengthMax = 2000;
  if (question.size() > kLengthMax) {
    throw InputError(fmt::format("expected a question of at most {} bytes", kLengthMax));
  }
  Terms terms;
  std::vector<Relation> relations;
  Reader(run, split(question)).read(terms, relations);
  QueryAnswer answer;
  answer.understood = words_of(run, terms);
  const Matcher matcher(run, terms);
  for (std::size_t i = 0; i < run.records().size(); ++i) {
    if (matcher.matches(i)) answer.records.push_back(i);
  }
  for (const Relation& relation : relations) {
    answer.understood +=
        fmt::format("; {}{} by: {}", relation.wanted ? "" : "not ",
                    relation.earlier ? "preceded" : "followed", words_of(run, relation.terms));
    const std::vector<bool> near = near_matches(run, relation.terms, relation.earlier);
    std::erase_if(answer.records,
                  [&](std::size_t record) { return near[record] != relation.wanted; });
  }
  return answer;
}

}  // namespace dissensus::serve
