#include "history/verdict.h"

namespace dissensus::history {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
    case Outcome::unknown:
      break;
  }
  return "unknown";
}

}  // namespace dissensus::history
