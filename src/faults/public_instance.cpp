#include "faults/public_instance.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>

#include <fmt/format.h>

namespace dissensus::faults {

namespace {

constexpr std::string_view kProcessLine = "process faults ";
constexpr std::string_view kNetworkLine = "network faults ";

/// Parses the Python literals of the public tools; errors say the column.
class LiteralParser {
 public:
  using Fail = std::function<void(const std::string&)>;
  LiteralParser(std::string_view text, std::size_t nodes, Fail fail)
      : text_(text), nodes_(nodes), fail_(std::move(fail)) {}

  template <class ReadEntry>
  void parse_dictionary(const ReadEntry& read_entry) {
    expect('{');
    if (!take('}')) {
      do {
        const std::uint64_t round = parse_number(static_cast<std::uint64_t>(kRoundMax));
        expect(':');
        read_entry(round);
      } while (take(','));
      expect('}');
    }
    skip_space();
    if (position_ != text_.size()) fail("expected the end");
  }

  NodeSet parse_set() {
    NodeSet result;
    expect('{');
    do {
      result.push_back(static_cast<NodeId>(parse_number(nodes_ - 1)));
    } while (take(','));
    expect('}');
    std::sort(result.begin(), result.end());
    if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
      fail("expected each node once");
    }
    return result;
  }

  std::uint64_t parse_number(std::uint64_t max) {
    skip_space();
    std::uint64_t number = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc() || number > max) {
      fail(fmt::format("expected a number of at most {}", max));
    }
    position_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  void expect(char symbol) {
    if (!take(symbol)) fail(fmt::format("expected '{}'", symbol));
  }
  bool take(char symbol) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != symbol) return false;
    ++position_;
    return true;
  }

  [[noreturn]] void fail(const std::string& message) const {
    fail_(fmt::format("{} at column {}", message, position_ + 1));
    throw InputError(message);  // not reached: fail_ throws
  }

 private:
  void skip_space() {
    while (position_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[position_])) != 0) {
      ++position_;
    }
  }

  std::string_view text_;
  std::size_t nodes_;
  Fail fail_;
  std::size_t position_ = 0;
};

void add_process_faults(LiteralParser parser, NodeId node, MutationScope scope,
                        std::vector<Fault>& faults) {
  parser.parse_dictionary([&](std::uint64_t round) {
    MutateFault fault;
    fault.node = node;
    fault.round = round;
    fault.scope = scope;
    parser.expect('(');
    fault.receivers = parser.parse_set();
    parser.expect(',');
    fault.seed = parser.parse_number(static_cast<std::uint64_t>(kSeedMax));
    parser.expect(')');
    std::erase(fault.receivers, node);
    if (!fault.receivers.empty()) faults.emplace_back(std::move(fault));
  });
}

void add_network_faults(LiteralParser parser, std::size_t nodes, std::vector<Fault>& faults) {
  parser.parse_dictionary([&](std::uint64_t round) {
    RoundPartitionFault fault{round, {}};
    std::vector<bool> named(nodes);
    parser.expect('[');
    do {
      fault.groups.push_back(parser.parse_set());
      for (const NodeId node : fault.groups.back()) {
        if (named[node]) parser.fail(fmt::format("node {} is in two groups", node));
        named[node] = true;
      }
    } while (parser.take(','));
    parser.expect(']');
    const bool all_named = std::find(named.begin(), named.end(), false) == named.end();
    if (fault.groups.size() > 1 || !all_named) faults.emplace_back(std::move(fault));
  });
}

}  // namespace

bool is_public_instance(const Options& document) {
  return !document.has("format") && document.has("process_faults");
}

Schedule read_public_instance(const Options& document, std::size_t nodes) {
  static constexpr std::array<std::string_view, 2> kScopes{"small", "any"};
  const auto node = static_cast<NodeId>(document.integer("byzantine_node", kPublicByzantineNode, 0,
                                                         static_cast<std::int64_t>(nodes) - 1));
  if (node >= nodes) {
    document.fail("byzantine_node",
                  fmt::format("expected 0 to {}, found none and the default {}", nodes - 1, node));
  }
  const auto scope = static_cast<MutationScope>(document.choice("scope", kScopes, 0));
  const auto parser = [nodes](const OptionValue& value, const std::string& text) {
    return LiteralParser(text, nodes, [&value](const std::string& what) { value.fail(what); });
  };
  Schedule schedule;
  const OptionValue process = document.at("process_faults");
  const std::string process_text = process.text();
  add_process_faults(parser(process, process_text), node, scope, schedule.faults);
  if (const auto network = document.find("network_faults")) {
    const std::string network_text = network->text();
    add_network_faults(parser(*network, network_text), nodes, schedule.faults);
  }
  return schedule;
}

bool is_public_result(std::string_view text) {
  return text.substr(0, kProcessLine.size()) == kProcessLine;
}

Schedule read_public_result(std::string_view text, const std::string& name, std::size_t nodes) {
  if (nodes <= kPublicByzantineNode) {
    throw InputError(
        fmt::format("{}:1: process faults: node {} lies in the public tools, "
                    "expected a system with more than {} nodes, found {}",
                    name, kPublicByzantineNode, kPublicByzantineNode, nodes));
  }
  const std::size_t first_end = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(first_end + 1, text.size()));
  const std::string_view second = rest.substr(0, rest.find('\n'));
  const auto fail_at = [&name](int line, std::string_view key) {
    return [&name, line, key](const std::string& what) {
      throw InputError(fmt::format("{}:{}: {}: {}", name, line, key, what));
    };
  };
  Schedule schedule;
  add_process_faults(
      LiteralParser(text.substr(kProcessLine.size(), first_end - kProcessLine.size()), nodes,
                    fail_at(1, "process faults")),
      kPublicByzantineNode, MutationScope::small, schedule.faults);
  if (second.substr(0, kNetworkLine.size()) != kNetworkLine) {
    fail_at(2, "network faults")("expected a line 'network faults {...}'");
  }
  add_network_faults(
      LiteralParser(second.substr(kNetworkLine.size()), nodes, fail_at(2, "network faults")), nodes,
      schedule.faults);
  return schedule;
}

}  // namespace dissensus::faults
