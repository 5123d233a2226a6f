// What the verbs about models (tla, conform) share: which specification, and how results are shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "tla/exploration/check.h"
#include "tla/exploration/simulate.h"
#include "tla/linking/spec.h"
#include "tla/logs/trace.h"

namespace dissensus::cli {

/// SPEC, --config, --constant, --folder.
struct SpecOptions {
  std::string spec;
  std::string config;
  std::vector<std::string> constants;
  std::vector<std::string> folders;

  void add_to(CLI::App& app, bool is_required = true);
  /// Finds the configuration (SPEC with .cfg, or MCSPEC.tla with its own) and links everything.
  std::shared_ptr<const tla::Spec> load();
  std::string config_path;  ///< that was used; empty: none
};

/// "NAME=VALUE", neither of them empty; InputError otherwise.
std::pair<std::string, std::string> split_assignment(const std::string& text,
                                                     std::string_view option);
/// "NAME=3"
std::pair<std::string, double> split_number(const std::string& text, std::string_view option);

/// 12345678 as 12,345,678.
std::string grouped(std::uint64_t number);
void print_notices(const tla::Spec& spec);
void print_header(const tla::Spec& spec, const SpecOptions& options, std::string_view more);
/// "  /\ r <= round[p]" with the values of its operands.
void print_explanation(const tla::Explanation& explanation, std::size_t count);
nlohmann::ordered_json json_of(const tla::Explanation& explanation);
nlohmann::ordered_json json_of_notices(const tla::Spec& spec);
/// Actions with how often they were taken, and which never were.
void print_actions(const tla::Spec& spec, const std::vector<std::uint64_t>& steps);
nlohmann::ordered_json json_of_actions(const tla::Spec& spec,
                                       const std::vector<std::uint64_t>& steps);
ExitCode exit_code_of(tla::CheckOutcome outcome);

/// A sub-verb adds itself and says what to do when it was chosen.
Verb add_tla_check_verb(CLI::App& tla);
Verb add_tla_eval_verb(CLI::App& tla);
Verb add_tla_simulate_verb(CLI::App& tla);
Verb add_tla_trace_verb(CLI::App& tla);
Verb add_tla_translate_verb(CLI::App& tla);

}  // namespace dissensus::cli
