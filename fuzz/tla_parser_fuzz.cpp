// TLA+ modules, expressions and configurations of TLC: what parses as an expression is printed and
// reads back as the same tree.
#include <memory>

#include "fuzz.h"
#include "tla/syntax/config.h"
#include "tla/unparse.h"

namespace {
using namespace dissensus;

tla::SourcePtr source_of(std::string_view text) {
  auto source = std::make_shared<tla::Source>();
  source->path = "fuzz";
  source->text = text;
  return source;
}

void read_back(const tla::Expression& expression) {
  const tla::SourcePtr printed = source_of(tla::to_tla(expression));
  DISSENSUS_ASSERT(tla::is_same(expression, *tla::parse_expression(printed)),
                   "tla_parser : printed and read again is the same");
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tla::SourcePtr source = source_of(fuzz::text_of(data, size));
  tla::ExpressionPtr expression;
  if (fuzz::accepts([&] { expression = tla::parse_expression(source); })) {
    // Parentheses that printing adds may nest deeper than the parser goes.
    constexpr std::uint32_t kHeight = 200;
    if (expression->height < kHeight) read_back(*expression);
  }
  fuzz::accepts([&] { tla::parse_module(source); });
  fuzz::accepts([&] { tla::parse_config(source); });
  return 0;
}
