#include "tla/exploration/check.h"

#include <unistd.h>

#include "tla/exploration/search.h"

namespace dissensus::tla {

std::string_view to_string(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::ok:
      return "ok";
    case CheckOutcome::violation:
      return "violation";
    case CheckOutcome::deadlock:
      return "deadlock";
    case CheckOutcome::assumption:
      return "assumption";
    case CheckOutcome::error:
      return "error";
    case CheckOutcome::incomplete:
      break;
  }
  return "incomplete";
}

double CheckResult::states_per_second() const {
  return seconds > 0 ? static_cast<double>(generated) / seconds : 0;
}

double CheckResult::collision_estimate() const {
  // Each of the generated states that was taken for a known one may have been an unknown one.
  return static_cast<double>(distinct) * static_cast<double>(generated - distinct) * 0x1.0p-64;
}

CheckResult check(const std::shared_ptr<const Spec>& spec, const CheckOptions& options) {
  return Search(spec, options).run();
}

std::vector<std::pair<std::string, std::string>> process_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos)
      variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace dissensus::tla
