// Trees back to text.
#pragma once

#include <string>

#include "tla/syntax/ast.h"

namespace dissensus::tla {

/// TLA+ text on one line that parses to the same tree (see is_same). Parentheses only where needed.
std::string to_tla(const Expression& expression);
/// One line, e.g. "Op(x, F(_)) == x + F(1)".
std::string to_tla(const Definition& definition);

/// Equal but for locations.
bool is_same(const Expression& a, const Expression& b);
bool is_same(const Definition& a, const Definition& b);

}  // namespace dissensus::tla
