#include "cli/answer.h"

#include <algorithm>

namespace dissensus::cli {

namespace {

std::vector<AnswerKind>& registered() {
  static std::vector<AnswerKind> kinds;
  return kinds;
}

}  // namespace

AnswerRegistration::AnswerRegistration(std::string_view verb, OrderedJson (*schema)()) {
  registered().push_back({std::string(verb), schema});
}

std::vector<AnswerKind> answer_kinds() {
  std::vector<AnswerKind> kinds = registered();
  std::sort(kinds.begin(), kinds.end(),
            [](const AnswerKind& a, const AnswerKind& b) { return a.verb < b.verb; });
  return kinds;
}

}  // namespace dissensus::cli
