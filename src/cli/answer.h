// What verbs print with --json: described records (core/describe.h). A verb names the record of its
// answer beside it, and `dissensus list answers` prints the schemas of all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/verb.h"
#include "core/describe_members.h"
#include "core/described_json.h"

namespace dissensus::cli {

/// The answer of a verb, or of a part of one ("store copy").
struct AnswerKind {
  std::string verb;
  OrderedJson (*schema)();
};
/// By the names of the verbs.
std::vector<AnswerKind> answer_kinds();

/// Made once per answer, by the file of its verb.
struct AnswerRegistration {
  AnswerRegistration(std::string_view verb, OrderedJson (*schema)());
};
template <class Answer>
AnswerRegistration answers_with(std::string_view verb) {
  return {verb, &dissensus::schema_of<Answer>};
}

/// As JSON or as text, as was asked for.
template <class Answer>
void print_answer(const OutputOptions& output, const Answer& answer, std::string_view text) {
  if (output.quiet) return;
  if (output.json) {
    fmt::print("{}\n", dissensus::json_of(answer).dump(2));
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace dissensus::cli
