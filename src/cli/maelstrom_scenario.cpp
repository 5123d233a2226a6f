#include "cli/maelstrom_scenario.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dissensus/options.h"

namespace dissensus::cli {

namespace {

namespace fs = std::filesystem;

/// In which final reads come after the last question, as Maelstrom waits for recovery.
constexpr double kRecoverySeconds = 10;
/// For the answers to final reads.
constexpr double kAnswerSeconds = 5;

/// JSON strings are TOML strings.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string list_of(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump();
}

std::string duration(double seconds) {
  return fmt::format("\"{}us\"", std::llround(seconds * 1e6));
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::size_t clients_of(const MaelstromTest& test) {
  std::string_view text = test.concurrency;
  const bool is_per_node = text.ends_with('n');
  if (is_per_node) text.remove_suffix(1);
  const auto number = number_in<std::size_t>(text);
  constexpr std::size_t kClientsMax = 1000;
  if (!number || *number == 0 || *number > kClientsMax) {
    throw InputError(fmt::format(
        "--concurrency {}: expected a number of clients, such as 10, or of clients per node, such "
        "as 4n",
        test.concurrency));
  }
  return is_per_node ? *number * test.nodes : *number;
}

std::string latency_of(const MaelstromTest& test) {
  const auto ms = [](double value) { return duration(value / 1e3); };
  if (test.latency_distribution == "uniform") {
    return fmt::format("{{ uniform = [{}, {}] }}", ms(0), ms(2 * test.latency_ms));
  }
  if (test.latency_distribution == "exponential") {
    return fmt::format("{{ exponential = [{}, {}] }}", ms(0), ms(test.latency_ms));
  }
  return ms(test.latency_ms);
}

double availability_of(const MaelstromTest& test) {
  if (test.availability == "total") return 1;
  const auto share = number_in<double>(test.availability);
  if (!share || *share < 0 || *share > 1) {
    throw InputError(fmt::format("--availability {}: expected total, or a number from 0 to 1",
                                 test.availability));
  }
  return *share;
}

/// The program alone, its folder (where scripts have what they load), and what was asked for.
std::vector<std::string> visible_to(const std::string& bin, const MaelstromTest& test) {
  std::vector<std::string> visible = test.visible;
  const fs::path folder = fs::path(bin).parent_path();
  if (!folder.string().starts_with("/usr/")) visible.push_back(folder.string());
  return visible;
}

bool is_transactional(const std::string& workload) {
  return workload.starts_with("txn-");
}

std::string workload_of(const MaelstromTest& test) {
  const std::size_t clients = clients_of(test);
  std::string text = fmt::format(
      "[system.workload]\nkind = {}\nclients = {}\ninterval = {}\ntimeout = \"5s\"\nuntil = {}\n",
      quoted(test.workload), clients, duration(static_cast<double>(clients) / test.rate),
      duration(test.seconds));
  text += fmt::format("final_at = {}\n", duration(test.seconds + kRecoverySeconds));
  if (test.workload == "broadcast") text += fmt::format("topology = {}\n", quoted(test.topology));
  if (test.keys) text += fmt::format("keys = {}\n", *test.keys);
  if (is_transactional(test.workload)) text += fmt::format("operations = {}\n", test.operations);
  return text;
}

std::string schedule_of(const MaelstromTest& test) {
  std::string text =
      fmt::format("[schedule]\ntype = \"delay\"\nmax_delay = {}\n", quoted(test.delay));
  if (!test.nemesis.empty()) {
    // One step begins a partition, the next one ends it.
    const double partitions = std::max(1.0, std::round(test.seconds / test.nemesis_seconds / 2));
    text += fmt::format("\n[schedule.faults]\npartitions = {}\nscale = {}\nuntil = {}\n",
                        static_cast<long>(partitions), duration(test.nemesis_seconds / 4),
                        duration(test.seconds));
  }
  return text;
}

}  // namespace

const std::vector<std::string>& maelstrom_workloads() {
  static const std::vector<std::string> names{
      "broadcast", "echo",       "g-counter",       "g-set",           "kafka",
      "lin-kv",    "pn-counter", "txn-list-append", "txn-rw-register", "unique-ids"};
  return names;
}

std::string scenario_of(const MaelstromTest& test) {
  if (!(test.rate > 0)) throw InputError("--rate: expected more than 0");
  if (!(test.seconds > 0)) throw InputError("--time-limit: expected more than 0 seconds");
  const std::string bin = fs::absolute(test.bin).lexically_normal().string();
  std::vector<std::string> command{bin};
  command.insert(command.end(), test.arguments.begin(), test.arguments.end());
  std::string text = fmt::format(
      "format = \"dissensus-scenario/1\"\nname = {}\n\n[system]\nkind = \"process\"\nclock = "
      "\"virtual\"\ncommand = {}\nvisible = {}\nnodes = {}\n",
      quoted("maelstrom-" + test.workload), list_of(command), list_of(visible_to(bin, test)),
      test.nodes);
  text += "services = [\"lin-kv\", \"seq-kv\", \"lww-kv\", \"lin-tso\"]\n\n";
  text += workload_of(test);
  text += fmt::format("\n[network]\nlatency = {}\n\n", latency_of(test));
  text += schedule_of(test);
  text += fmt::format("\n[phases]\nfaults = {}\n\n[oracle.history]\nmodel = {}\n",
                      duration(test.seconds), quoted(test.workload));
  if (is_transactional(test.workload))
    text += fmt::format("level = {}\n", quoted(test.consistency));
  if (!test.availability.empty()) {
    text += fmt::format("availability = {}\n", availability_of(test));
  }
  text += fmt::format("\n[limits]\nvirtual_time = {}\n",
                      duration(test.seconds + kRecoverySeconds + kAnswerSeconds));
  return text;
}

}  // namespace dissensus::cli
