// The side on which a test looks for a difference.
#pragma once

#include <string_view>

namespace dissensus::statistics {

/// What is held against "there is no difference": the first sample is different, larger or smaller.
enum class Alternative { two_sided, greater, less };

constexpr std::string_view to_string(Alternative alternative) {
  switch (alternative) {
    case Alternative::greater:
      return "greater";
    case Alternative::less:
      return "less";
    case Alternative::two_sided:
      break;
  }
  return "two-sided";
}

}  // namespace dissensus::statistics
