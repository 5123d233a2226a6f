// The user's own TLC, asked the same question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "conform/tla/check.h"

namespace dissensus::cli {

struct TlcAnswer {
  std::string result;  ///< ok, violation, deadlock, assumption, error
  std::optional<std::uint64_t> generated, distinct, depth;
  std::string message;  ///< first line that says what is wrong
  double seconds = 0;
};

/// What TLC printed, understood.
TlcAnswer parse_tlc_output(const std::string& text);
/// Runs `java -cp jar tlc2.TLC` with one worker. Throws InputError when it cannot be started.
TlcAnswer run_tlc(const std::string& jar, const std::string& spec, const std::string& config,
                  std::optional<bool> deadlock);
/// Empty when both agree; otherwise how they differ.
std::string disagreement(const tla::CheckResult& ours, const TlcAnswer& theirs);

}  // namespace dissensus::cli
