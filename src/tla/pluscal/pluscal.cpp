#include "tla/pluscal/pluscal.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>

#include <fmt/format.h>

#include "tla/pluscal/checksum.h"
#include "tla/pluscal/labels.h"
#include "tla/pluscal/names.h"
#include "tla/pluscal/parse.h"
#include "tla/pluscal/token.h"

namespace dissensus::tla::pluscal {

namespace {

constexpr std::string_view kAlgorithm = "--algorithm";
constexpr std::string_view kFair = "--fair";
constexpr std::size_t kLineWidthMin = 60;

Location location_of(const Source& source, Place at) {
  return {&source, at.line, at.column, at.line, at.column};
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The line, from `from` on, with one word, spaces, and another one.
std::optional<std::size_t> find_words(const std::vector<std::string>& lines, std::size_t from,
                                      std::string_view first, std::string_view second) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    const std::size_t at = lines[i].find(first);
    if (at == std::string::npos) continue;
    const std::size_t next = lines[i].find_first_not_of(' ', at + first.size());
    if (next != std::string::npos && lines[i].compare(next, second.size(), second) == 0) return i;
  }
  return std::nullopt;
}

/// Behind the comment that the place is in; nullopt: it has no end.
std::optional<Place> end_of_comment(const std::vector<std::string>& lines, Place from) {
  std::size_t depth = 1;
  for (std::size_t row = from.line - 1; row < lines.size(); ++row) {
    const std::string& line = lines[row];
    for (std::size_t i = row == from.line - 1 ? from.column - 1 : 0; i + 1 < line.size(); ++i) {
      const std::string_view pair = std::string_view(line).substr(i, 2);
      if (pair == "(*") {
        ++depth;
        ++i;
      } else if (pair == "*)") {
        ++i;
        if (--depth == 0) {
          return Place{static_cast<std::uint32_t>(row + 1), static_cast<std::uint32_t>(i + 2)};
        }
      }
    }
  }
  return std::nullopt;
}

/// The words of "PlusCal options (...)".
std::vector<std::string> options_in(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  constexpr std::string_view kOptions = "options";
  for (std::size_t at = text.find("PlusCal"); at != std::string_view::npos;
       at = text.find("PlusCal", at + 1)) {
    std::size_t next = text.find_first_not_of(kSpace, at + std::string_view("PlusCal").size());
    if (next == std::string_view::npos) break;
    if (text.substr(next, kOptions.size()) != kOptions) continue;
    next = text.find_first_not_of(kSpace, next + kOptions.size());
    if (next == std::string_view::npos || text[next] != '(') continue;
    const std::size_t end = text.find(')', next);
    if (end == std::string_view::npos) throw InputError("PlusCal options without ')'");
    std::vector<std::string> words;
    while ((next = text.find_first_not_of(" \t\r\n,", next + 1)) < end) {
      const std::size_t behind = std::min(text.find_first_of(" \t\r\n,", next), end);
      words.emplace_back(text.substr(next, behind - next));
      next = behind - 1;
    }
    return words;
  }
  return {};
}

constexpr std::size_t kChecksumLineMax = 1000;

const std::regex& checksum_pattern() {
  static const std::regex pattern(
      R"re(\\\*\s+BEGIN\s+TRANSLATION\s+\(\s*ch(?:ec)?ksum\(p(?:lus)?cal\)\s*(?:=\s*"([0-9a-f]*)"|\\in\s*STRING)\s*/\\\s*ch(?:ec)?ksum\(tla\+?\)\s*(?:=\s*"([0-9a-f]*)"|\\in\s*STRING)\s*\))re",
      std::regex::icase);
  return pattern;
}

std::string joined(const std::vector<std::string>& lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    text += lines[i];
    if (!text.empty() && text.back() == '\r') text.pop_back();
  }
  return text;
}

/// The tokens of each definition of a translation, by name: "name(self) ==" begins a line.
std::map<std::string, std::string> definitions_of(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> definitions;
  std::string name;
  for (const std::string& line : lines) {
    if (!line.empty() && line.front() != ' ') {
      const std::size_t end =
          line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      name = end != std::string::npos && line.find("==", end) != std::string::npos
                 ? line.substr(0, end)
                 : std::string{};
    }
    if (name.empty()) continue;
    for (const Token& token : tokens_from({line + " "}, {1, 1})) {
      if (token.type != TokenType::end) definitions[name] += token.printed() + ' ';
    }
  }
  return definitions;
}

bool is_frame(const std::string& name) {
  for (const std::string_view one :
       {"vars", "ProcSet", "Next", "Spec", "Terminating", "Termination"}) {
    if (name == one) return true;
  }
  return false;
}

}  // namespace

Options parse_options(const std::vector<std::string>& words, Options options) {
  bool has_fairness = false;
  const auto fairness = [&](SpecFairness value) {
    if (has_fairness) {
      throw InputError("PlusCal options: more than one of wf, sf, wfNext and nof");
    }
    has_fairness = true;
    options.fairness = value;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    while (!word.empty() && word.front() == '-') word.remove_prefix(1);
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) {
        throw InputError(fmt::format("PlusCal options: a value is missing after {}", word));
      }
      return words[++i];
    };
    if (word == "wf") {
      fairness(SpecFairness::weak);
    } else if (word == "sf") {
      fairness(SpecFairness::strong);
    } else if (word == "wfNext") {
      fairness(SpecFairness::weak_next);
    } else if (word == "nof") {
      fairness(SpecFairness::none);
    } else if (word == "termination") {
      options.termination = true;
    } else if (word == "label" || word == "reportLabels") {
      options.adds_labels = true;
    } else if (word == "noDoneDisjunct") {
      options.stutters_when_done = false;
    } else if (word == "version") {
      const std::string& number = value();
      if (number < "1.6" || number > "1.9" || number.size() != 3) {
        throw InputError(fmt::format(
            "PlusCal options: version {}: only 1.6 to 1.9, whose translations are as today's",
            number));
      }
    } else if (word == "labelRoot") {
      options.label_root = value();
    } else if (word == "lineWidth") {
      const std::string& number = value();
      const auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), options.line_width);
      if (error != std::errc{} || end != number.data() + number.size() ||
          options.line_width < kLineWidthMin) {
        throw InputError(fmt::format("PlusCal options: lineWidth {}: expected a number from {} on",
                                     number, kLineWidthMin));
      }
    } else if (word != "nocfg" && word != "noold" && word != "unixEOL") {
      throw InputError(fmt::format(
          "PlusCal options: {}: expected wf, sf, wfNext, nof, termination, label, labelRoot, "
          "noDoneDisjunct or lineWidth",
          word));
    }
  }
  return options;
}

std::optional<AlgorithmText> AlgorithmText::find(const SourcePtr& source) {
  if (source->text.find(kAlgorithm) == std::string::npos &&
      source->text.find(kFair) == std::string::npos) {
    return std::nullopt;
  }
  AlgorithmText result;
  result.source_ = source;
  result.raw_lines_ = split_lines(source->text);
  result.lines_ = lines_of(source->text);
  result.lines_.resize(result.raw_lines_.size());
  bool is_found = false;
  for (std::size_t i = 0; i < result.lines_.size() && !is_found; ++i) {
    for (const std::string_view word : {kAlgorithm, kFair}) {
      const std::size_t at = result.lines_[i].find(word);
      if (at == std::string::npos) continue;
      result.begin_ = {static_cast<std::uint32_t>(i + 1),
                       static_cast<std::uint32_t>(at + word.size() + 1)};
      result.is_fair_ = word == kFair;
      is_found = true;
      break;
    }
  }
  if (!is_found) return std::nullopt;
  if (const auto begin = find_words(result.lines_, 0, "BEGIN", "TRANSLATION")) {
    result.translation_begin_ = *begin;
    result.translation_end_ = find_words(result.lines_, *begin + 1, "END", "TRANSLATION");
    if (!result.translation_end_) {
      throw SpecError(location_of(*source, {static_cast<std::uint32_t>(*begin + 1), 1}),
                      "expected a line with END TRANSLATION below");
    }
    return result;
  }
  const auto end = end_of_comment(result.lines_, result.begin_);
  if (!end) {
    throw SpecError(result.at(), "the comment around the algorithm has no end");
  }
  result.translation_begin_ = end->line;
  return result;
}

Location AlgorithmText::at() const {
  return location_of(*source_, begin_);
}

Translation AlgorithmText::translate(const Options& given) const {
  Options options;
  try {
    options = parse_options(options_in(source_->text), given);
  } catch (const InputError& error) {
    throw SpecError(at(), error.what());
  }
  if (options.termination && options.fairness == SpecFairness::unsaid) {
    options.fairness = SpecFairness::weak;
  }
  try {
    std::vector<Token> tokens = tokens_from(lines_, begin_);
    if (is_fair_) {
      if (!tokens.front().is("algorithm")) {
        throw AlgorithmError(begin_, "expected 'algorithm' after '--fair'");
      }
      tokens.erase(tokens.begin());
    }
    const Fairness of_processes = options.fairness == SpecFairness::weak     ? Fairness::weak
                                  : options.fairness == SpecFairness::strong ? Fairness::strong
                                                                             : Fairness::unfair;
    Algorithm algorithm = parse_algorithm(std::move(tokens), of_processes);
    algorithm.is_fair = is_fair_;
    for (Process& one : algorithm.processes) expand_macros(one.body, algorithm.macros);
    for (Procedure& one : algorithm.procedures) expand_macros(one.body, algorithm.macros);
    expand_macros(algorithm.main.body, algorithm.macros);

    Translation result;
    const std::vector<AddedLabel> added = cut_into_steps(algorithm, options.label_root);
    // An algorithm without processes and without any label gets them unasked.
    if (!added.empty() && !options.adds_labels &&
        (algorithm.has_processes || algorithm.has_labels)) {
      std::string places;
      for (const AddedLabel& label : added) {
        places += fmt::format("{}line {}, column {}", places.empty() ? "" : "; ", label.at.line,
                              label.at.column);
      }
      throw AlgorithmError(
          added.front().at,
          fmt::format("a label is missing{}", added.size() == 1 ? " here" : " at " + places));
    }
    for (const AddedLabel& label : added) {
      result.remarks.push_back(fmt::format("label {} added at line {}", label.name, label.at.line));
    }
    const std::vector<std::string> renamed = make_names_unique(algorithm);
    for (const std::string& comment : renamed) result.remarks.push_back(comment.substr(3));
    GenerateOptions generating;
    generating.fairness =
        is_fair_ && !algorithm.has_processes ? SpecFairness::weak : options.fairness;
    generating.stutters_when_done = options.stutters_when_done;
    generating.line_width = options.line_width;
    result.lines = generate(algorithm, shape_of(algorithm), renamed, generating);
    std::string text;
    for (const GeneratedLine& line : result.lines) text += line.text;
    result.text_checksum = checksum(text);
    result.algorithm_checksum = checksum(algorithm);
    return result;
  } catch (const AlgorithmError& error) {
    throw SpecError(location_of(*source_, error.at), error.what());
  }
}

Freshness AlgorithmText::freshness(const Translation& translation) const {
  if (!translation_end_) return Freshness::untranslated;
  std::smatch sums;
  const std::string& begin = raw_lines_[translation_begin_];
  const bool has_sums =
      begin.size() < kChecksumLineMax && std::regex_search(begin, sums, checksum_pattern());
  if (has_sums && sums[2].matched &&
      sums[2] != checksum(joined(raw_lines_, translation_begin_ + 1, *translation_end_))) {
    return Freshness::text_changed;
  }
  // The checksum of a fair algorithm says nothing.
  if (has_sums && sums[1].matched && !is_fair_) {
    return sums[1] == translation.algorithm_checksum ? Freshness::fresh
                                                     : Freshness::algorithm_changed;
  }
  std::vector<std::string> ours;
  for (const GeneratedLine& line : translation.lines) ours.push_back(line.text);
  const auto in_file =
      definitions_of({lines_.begin() + static_cast<std::ptrdiff_t>(translation_begin_) + 1,
                      lines_.begin() + static_cast<std::ptrdiff_t>(*translation_end_)});
  for (const auto& [name, tokens] : definitions_of(ours)) {
    if (is_frame(name)) continue;
    const auto other = in_file.find(name);
    if (other == in_file.end() || other->second != tokens) return Freshness::algorithm_changed;
  }
  return Freshness::fresh;
}

std::string AlgorithmText::file_with(const Translation& translation) const {
  const std::string sums = fmt::format("(chksum(pcal) = \"{}\" /\\ chksum(tla) = \"{}\")",
                                       translation.algorithm_checksum, translation.text_checksum);
  std::string text;
  const auto put = [&](std::string_view line) {
    text += line;
    text += '\n';
  };
  for (std::size_t i = 0; i < translation_begin_; ++i) put(raw_lines_[i]);
  std::size_t rest = translation_begin_;
  if (translation_end_) {
    const std::string& line = raw_lines_[translation_begin_];
    std::string begin = line;
    std::smatch found;
    if (line.size() < kChecksumLineMax && std::regex_search(line, found, checksum_pattern())) {
      // The one behind first, so that the place of the other stays true.
      for (const std::size_t group : {std::size_t{2}, std::size_t{1}}) {
        if (!found[group].matched) continue;
        begin.replace(static_cast<std::size_t>(found.position(group)),
                      static_cast<std::size_t>(found.length(group)),
                      group == 1 ? translation.algorithm_checksum : translation.text_checksum);
      }
    }
    put(begin);
    rest = *translation_end_;
  } else {
    put("\\* BEGIN TRANSLATION " + sums);
  }
  for (const GeneratedLine& line : translation.lines) put(line.text);
  if (!translation_end_) put("\\* END TRANSLATION ");
  for (std::size_t i = rest; i < raw_lines_.size(); ++i) put(raw_lines_[i]);
  if (!source_->text.empty() && source_->text.back() != '\n') text.pop_back();
  return text;
}

SourcePtr AlgorithmText::source_with(const Translation& translation) const {
  auto result = std::make_shared<Source>();
  result->path = source_->path;
  result->text = file_with(translation);
  const std::size_t begin = translation_begin_ + 1;
  const std::size_t end = begin + translation.lines.size();
  const auto all =
      static_cast<std::size_t>(std::count(result->text.begin(), result->text.end(), '\n') + 1);
  // Without a translation in the file, the lines BEGIN and END are ours, too.
  const std::size_t behind = translation_end_ ? *translation_end_ : translation_begin_ - 1;
  for (std::size_t i = 0; i < all; ++i) {
    Source::Shown shown;
    if (i >= begin && i < end) {
      const Place from = translation.lines[i - begin].from;
      shown = from.line == 0 ? Source::Shown{begin_.line, begin_.column}
                             : Source::Shown{from.line, from.column};
    } else {
      shown.line = static_cast<std::uint32_t>(i < end ? i + 1 : i - end + behind + 1);
    }
    result->shown.push_back(shown);
  }
  return result;
}

SourcePtr AlgorithmText::source_if_equal(const Translation& translation) const {
  const std::size_t begin = translation_begin_ + 1;
  if (!translation_end_ || *translation_end_ - begin != translation.lines.size()) return source_;
  for (std::size_t i = 0; i < translation.lines.size(); ++i) {
    std::string_view line = raw_lines_[begin + i];
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line != translation.lines[i].text) return source_;
  }
  return source_with(translation);
}

SourcePtr with_translation(const SourcePtr& source, std::vector<Notice>& notices) {
  const std::optional<AlgorithmText> algorithm = AlgorithmText::find(source);
  if (!algorithm) return source;
  Translation translation;
  Freshness freshness = Freshness::fresh;
  std::string message;
  SourcePtr result = source;
  try {
    translation = algorithm->translate();
    freshness = algorithm->freshness(translation);
  } catch (const SpecError& error) {
    // What is checked is the translation in the file, if there is one.
    if (!algorithm->has_translation()) {
      throw InputError(error.what());  // a place in a source that nobody keeps is no place
    }
    message = fmt::format("the algorithm cannot be translated, its old translation is taken: {}",
                          error.what());
    freshness = Freshness::algorithm_changed;
  }
  switch (freshness) {
    case Freshness::untranslated:
      message =
          "the algorithm has no translation; it was translated in memory (`dissensus tla "
          "translate` writes it into the file)";
      result = algorithm->source_with(translation);
      break;
    case Freshness::algorithm_changed:
      if (!message.empty()) break;
      message =
          "the algorithm was changed since it was translated: what is checked is the old "
          "translation (`dissensus tla translate` makes a new one)";
      break;
    case Freshness::text_changed:
      message =
          "the translation was changed by hand: what is checked is not what the algorithm says";
      break;
    case Freshness::fresh:
      result = algorithm->source_if_equal(translation);
      break;
  }
  if (!message.empty()) {
    const Location at = algorithm->at();
    notices.push_back({{result.get(), at.line, at.column, at.line, at.column}, message});
  }
  return result;
}

}  // namespace dissensus::tla::pluscal
