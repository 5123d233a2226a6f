#include "oracle/rule.h"

#include <cctype>
#include <charconv>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "core/document.h"
#include "core/suggestion.h"

namespace dissensus::oracle {

namespace {
constexpr std::size_t kNestingMax = 64;
constexpr std::int64_t kFreshMax = 1'000'000;  // seconds

// Wraps around instead of overflowing: a rule over absurd numbers is false, not undefined.
std::int64_t wrap(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}
std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
}  // namespace

/// Recursive descent, one function per precedence level.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const SystemDescription& description,
                   const OptionValue& place, std::size_t nodes)
      : text_(text), description_(description), place_(place), nodes_(nodes) {}

  Expression parse() {
    Expression result;
    result_ = &result;
    steps_ = &result.steps_;
    parse_or();
    skip_space();
    if (position_ != text_.size()) fail("expected an operator or the end");
    result.text_ = std::string(text_);
    return result;
  }

 private:
  using Operation = Expression::Operation;

  [[noreturn]] void fail(std::string_view message) const {
    place_.fail(fmt::format("rule '{}': {} at column {}", internal::printable(text_, 80), message,
                            position_ + 1));
  }
  void skip_space() {
    while (position_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[position_])) != 0) {
      ++position_;
    }
  }
  bool take(std::string_view symbol) {
    skip_space();
    if (text_.substr(position_, symbol.size()) != symbol) return false;
    const bool is_word = std::isalpha(static_cast<unsigned char>(symbol.front())) != 0;
    if (is_word && position_ + symbol.size() < text_.size() &&
        is_name_character(text_[position_ + symbol.size()])) {
      return false;
    }
    position_ += symbol.size();
    return true;
  }
  static bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  }
  void add(Operation operation) { steps_->push_back({operation, {}, 0, Expression::kAllNodes}); }

  void parse_or() {
    if (++depth_ > kNestingMax) fail("nested too deeply");
    parse_and();
    while (take("or")) {
      parse_and();
      add(Operation::logical_or);
    }
    --depth_;
  }
  void parse_and() {
    parse_not();
    while (take("and")) {
      parse_not();
      add(Operation::logical_and);
    }
  }
  void parse_not() {
    std::size_t negations = 0;
    while (take("not")) ++negations;
    parse_comparison();
    for (; negations > 0; --negations) add(Operation::logical_not);
  }
  void parse_comparison() {
    parse_sum();
    static constexpr std::pair<std::string_view, Operation> kComparisons[] = {
        {"<=", Operation::less_equal}, {">=", Operation::greater_equal}, {"==", Operation::equal},
        {"!=", Operation::not_equal},  {"<", Operation::less},           {">", Operation::greater}};
    for (const auto& [symbol, operation] : kComparisons) {
      if (!take(symbol)) continue;
      parse_sum();
      add(operation);
      return;
    }
  }
  void parse_sum() {
    parse_product();
    for (;;) {
      if (take("+")) {
        parse_product();
        add(Operation::add);
      } else if (take("-")) {
        parse_product();
        add(Operation::subtract);
      } else {
        return;
      }
    }
  }
  void parse_product() {
    parse_value();
    while (take("*")) {
      parse_value();
      add(Operation::multiply);
    }
  }
  void parse_value() {
    skip_space();
    if (position_ == text_.size()) fail("expected a value, found the end");
    if (take("(")) {
      parse_or();
      if (!take(")")) fail("expected ')'");
      return;
    }
    if (take("-")) {
      if (++depth_ > kNestingMax) fail("nested too deeply");
      parse_value();
      --depth_;
      add(Operation::negate);
      return;
    }
    if (std::isdigit(static_cast<unsigned char>(text_[position_])) != 0) {
      parse_integer();
      return;
    }
    parse_aggregate();
  }
  void parse_integer() {
    steps_->push_back({Operation::constant, {}, read_integer(), Expression::kAllNodes});
  }
  std::int64_t read_integer() {
    skip_space();
    std::int64_t number = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error == std::errc::invalid_argument) fail("expected a number");
    if (error != std::errc()) fail("number too large");
    position_ += static_cast<std::size_t>(end - begin);
    return number;
  }
  void parse_aggregate() {
    static constexpr std::pair<std::string_view, Operation> kAggregates[] = {
        {"min", Operation::min},
        {"max", Operation::max},
        {"sum", Operation::sum},
        {"count", Operation::count}};
    for (const auto& [word, operation] : kAggregates) {
      if (!take(word)) continue;
      expect("(");
      const Quantity quantity = parse_quantity();
      std::size_t group = Expression::kAllNodes;
      if (take(",")) {
        group = result_->groups_.size();
        result_->groups_.push_back(parse_group());
      }
      expect(")");
      steps_->push_back({operation, quantity, 0, group});
      return;
    }
    if (take("split")) {
      parse_split();
      return;
    }
    if (take("support")) {
      parse_support();
      return;
    }
    fail(
        "expected an integer, min(...), max(...), sum(...), count(...), split(...), support(...) "
        "or '('");
  }
  void parse_split() {
    SplitQuery query;
    expect("(");
    query.level = parse_level();
    expect(",");
    query.first = parse_group();
    expect(",");
    query.second = parse_group();
    expect(")");
    steps_->push_back({Operation::split, {}, 0, result_->splits_.size()});
    result_->splits_.push_back(std::move(query));
  }
  /// "support(outcome, Proposal, [0, 1], [0, 1, 2], fresh = 19, left = 255)"
  void parse_support() {
    SupportQuery query;
    expect("(");
    query.level = parse_level();
    expect(",");
    query.payload = parse_payload();
    find_fields(query);
    while (take(",")) {
      if (take("fresh")) {
        expect("=");
        query.fresh = std::chrono::seconds(std::clamp<std::int64_t>(read_integer(), 0, kFreshMax));
      } else if (take("left")) {
        expect("=");
        query.left = static_cast<std::uint64_t>(read_integer());
      } else if (query.deciders.empty()) {
        query.deciders = parse_group();
        expect(",");
        query.trusted = parse_group();
      } else {
        fail("expected fresh = SECONDS or left = SEQUENCE");
      }
    }
    expect(")");
    steps_->push_back({Operation::support, {}, 0, result_->supports_.size()});
    result_->supports_.push_back(std::move(query));
  }
  std::size_t parse_payload() {
    const std::string name = parse_name();
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description_.payloads.size(); ++i) {
      known.push_back(description_.payloads[i].name);
      if (known.back() == name) return i;
    }
    position_ -= name.size();
    fail(fmt::format("unknown message '{}'{} (known: {})", name, suggestion(name, known),
                     fmt::join(known, ", ")));
  }
  void find_fields(SupportQuery& query) const {
    const LevelDescription& level = description_.levels[query.level];
    query.position = only_field(query.payload, SemanticType::value, true);
    query.order = only_field(query.payload, SemanticType::sequence, false);
    query.scope = only_field(query.payload,
                             level.scope_bits > 0 ? SemanticType::hash : SemanticType::round, true);
  }
  std::size_t only_field(std::size_t payload, SemanticType type, bool required) const {
    const PayloadDescription& description = description_.payloads[payload];
    std::size_t found = kNoField;
    for (std::size_t i = 0; i < description.fields.size(); ++i) {
      if (description.fields[i].type != type) continue;
      if (found != kNoField)
        fail(fmt::format("{} has several fields of type {}, expected one", description.name,
                         to_string(type)));
      found = i;
    }
    if (required && found == kNoField)
      fail(fmt::format("{} has no field of type {}, expected one", description.name,
                       to_string(type)));
    return found;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) fail(fmt::format("expected '{}'", symbol));
  }
  /// "[0, 1, 4]"
  std::vector<NodeId> parse_group() {
    std::vector<NodeId> group;
    expect("[");
    do {
      skip_space();
      std::size_t node = 0;
      const char* const begin = text_.data() + position_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node);
      if (error != std::errc() || node >= nodes_) {
        fail(fmt::format("expected a node, 0 to {}", nodes_ - 1));
      }
      position_ += static_cast<std::size_t>(end - begin);
      group.push_back(static_cast<NodeId>(node));
    } while (take(","));
    expect("]");
    return group;
  }
  std::string parse_name() {
    skip_space();
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_name_character(text_[position_])) ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }
  std::size_t parse_level() {
    const std::string name = parse_name();
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description_.levels.size(); ++i) {
      known.push_back(description_.levels[i].name);
      if (known.back() == name) return i;
    }
    position_ -= name.size();
    fail(fmt::format("unknown level '{}'{} (known: {})", name, suggestion(name, known),
                     fmt::join(known, ", ")));
  }
  Quantity parse_quantity() {
    const std::string name = parse_name();
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description_.observables.size(); ++i) {
      if (description_.observables[i] == name) return {Quantity::Source::observable, i};
      known.push_back(description_.observables[i]);
    }
    for (std::size_t i = 0; i < description_.levels.size(); ++i) {
      known.push_back("decided." + description_.levels[i].name);
      if (known.back() == name) return {Quantity::Source::decided, i};
    }
    position_ -= name.size();
    fail(fmt::format("unknown quantity '{}'{} (known: {})", name, suggestion(name, known),
                     fmt::join(known, ", ")));
  }

  std::string_view text_;
  const SystemDescription& description_;
  const OptionValue& place_;
  std::size_t nodes_;
  Expression* result_ = nullptr;
  std::vector<Expression::Step>* steps_ = nullptr;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
};

Expression Expression::parse(std::string_view text, const SystemDescription& description,
                             const OptionValue& place, std::size_t nodes) {
  return ExpressionParser(text, description, place, nodes).parse();
}

void Expression::apply(const Step& step, std::vector<std::int64_t>& stack) {
  if (step.operation == Operation::constant) {
    stack.push_back(step.constant);
    return;
  }
  const std::int64_t right = stack.back();
  if (step.operation == Operation::logical_not) {
    stack.back() = right == 0 ? 1 : 0;
    return;
  }
  if (step.operation == Operation::negate) {
    stack.back() = wrap(0 - bits(right));
    return;
  }
  stack.pop_back();
  std::int64_t& left = stack.back();
  switch (step.operation) {
    case Operation::logical_or:
      left = (left != 0 || right != 0) ? 1 : 0;
      break;
    case Operation::logical_and:
      left = (left != 0 && right != 0) ? 1 : 0;
      break;
    case Operation::less:
      left = left < right ? 1 : 0;
      break;
    case Operation::less_equal:
      left = left <= right ? 1 : 0;
      break;
    case Operation::greater:
      left = left > right ? 1 : 0;
      break;
    case Operation::greater_equal:
      left = left >= right ? 1 : 0;
      break;
    case Operation::equal:
      left = left == right ? 1 : 0;
      break;
    case Operation::not_equal:
      left = left != right ? 1 : 0;
      break;
    case Operation::add:
      left = wrap(bits(left) + bits(right));
      break;
    case Operation::subtract:
      left = wrap(bits(left) - bits(right));
      break;
    default:
      left = wrap(bits(left) * bits(right));
      break;
  }
}

}  // namespace dissensus::oracle
