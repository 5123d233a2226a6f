#include "tla/unparse.h"

#include <algorithm>

#include <fmt/format.h>

#include "tla/syntax/operators.h"

namespace dissensus::tla {
namespace {

/// The operator that joins the operands of an expression; null where there is none, e.g. a call.
const Operator* operator_of(const Expression& expression) {
  switch (expression.syntax) {
    case Syntax::conjunction:
      return find_operator("/\\", Fix::infix);
    case Syntax::disjunction:
      return find_operator("\\/", Fix::infix);
    case Syntax::product:
      return find_operator("\\X", Fix::infix);
    case Syntax::apply:
      break;
    default:
      return nullptr;
  }
  if (!expression.path.empty()) return nullptr;
  if (expression.operands.size() == 2) return find_operator(expression.name, Fix::infix);
  if (expression.operands.size() != 1) return nullptr;
  const Operator* prefix = find_operator(expression.name, Fix::prefix);
  return prefix != nullptr ? prefix : find_operator(expression.name, Fix::postfix);
}

/// It reaches as far to the right as it can.
bool is_open(const Expression& expression) {
  switch (expression.syntax) {
    case Syntax::if_else:
    case Syntax::case_of:
    case Syntax::let:
    case Syntax::for_all:
    case Syntax::exists:
    case Syntax::temporal_for_all:
    case Syntax::temporal_exists:
    case Syntax::choose:
    case Syntax::lambda:
      return true;
    default:
      return false;
  }
}

bool is_one_bullet(const Expression& expression) {
  return (expression.syntax == Syntax::conjunction || expression.syntax == Syntax::disjunction) &&
         expression.operands.size() == 1;
}

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void print(const Expression& e) {
    switch (e.syntax) {
      case Syntax::number:
      case Syntax::operator_symbol:
        out_ += e.name;
        break;
      case Syntax::text:
        text(e.name);
        break;
      case Syntax::apply:
        apply(e);
        break;
      case Syntax::conjunction:
      case Syntax::disjunction:
      case Syntax::product:
        chain(e);
        break;
      case Syntax::except_at:
        out_ += '@';
        break;
      case Syntax::set_of:
        enclosed("{", e.operands, "}");
        break;
      case Syntax::tuple:
        enclosed("<<", e.operands, ">>");
        break;
      default:
        if (is_open(e)) {
          open(e);
        } else {
          bracketed(e);
        }
    }
  }

  void print(const Definition& definition) {
    if (definition.is_local) out_ += "LOCAL ";
    const auto name_of = [&](std::size_t i) { return definition.parameters[i].name; };
    const std::size_t count = definition.parameters.size();
    if (count == 2 && find_operator(definition.name, Fix::infix) != nullptr) {
      out_ += fmt::format("{} {} {} == ", name_of(0), definition.name, name_of(1));
    } else if (count == 1 && definition.name == "-.") {
      out_ += fmt::format("-. {} == ", name_of(0));
    } else if (count == 1 && find_operator(definition.name, Fix::postfix) != nullptr) {
      out_ += fmt::format("{} {} == ", name_of(0), definition.name);
    } else if (!definition.name.empty()) {
      out_ += definition.name;
      if (count > 0) parameters("(", definition.parameters, ")");
      if (definition.type == Definition::Type::function) {
        out_ += '[';
        bounds(definition.bounds);
        out_ += ']';
      }
      out_ += " == ";
    }
    if (definition.type == Definition::Type::instance) {
      instance(definition);
    } else {
      print(*definition.body);
    }
  }

 private:
  void in_parentheses(const Expression& e) {
    out_ += '(';
    print(e);
    out_ += ')';
  }
  void print_if(bool is_safe, const Expression& e) {
    if (is_safe) {
      print(e);
    } else {
      in_parentheses(e);
    }
  }

  /// As the operand of a postfix operator or as a subscript.
  bool is_atom(const Expression& e) const {
    if (is_open(e) || is_one_bullet(e)) return false;
    const Operator* operation = operator_of(e);
    return operation == nullptr || operation->fix == Fix::postfix;
  }

  /// a op b without parentheses around a, or around b.
  bool is_safe_left(const Expression& e, const Operator& parent) const {
    if (is_open(e) || is_one_bullet(e)) return false;
    const Operator* own = operator_of(e);
    if (own == nullptr || own->fix == Fix::postfix) return true;
    const bool is_chain = e.syntax != Syntax::apply;  // would join the parent's
    return grouping(*own, parent) == Grouping::left && !(own == &parent && is_chain);
  }
  bool is_safe_right(const Expression& e, const Operator& parent) const {
    if (is_open(e) || is_one_bullet(e)) return false;
    const Operator* own = operator_of(e);
    if (own == nullptr || own->fix == Fix::postfix) return true;
    return own->low > parent.high;
  }

  void text(const std::string& content) {
    out_ += '"';
    for (const char c : content) {
      constexpr std::string_view kSpecial = "\"\\\n\t\r\f";
      constexpr std::string_view kLetters = "\"\\ntrf";
      const std::size_t index = kSpecial.find(c);
      if (index == std::string_view::npos) {
        out_ += c;
      } else {
        out_ += '\\';
        out_ += kLetters[index];
      }
    }
    out_ += '"';
  }

  void list(const std::vector<ExpressionPtr>& items) {
    std::string_view separator;
    for (const ExpressionPtr& each : items) {
      out_ += separator;
      print(*each);
      separator = ", ";
    }
  }
  void enclosed(std::string_view left, const std::vector<ExpressionPtr>& items,
                std::string_view right) {
    out_ += left;
    list(items);
    out_ += right;
  }
  void arguments(const std::vector<ExpressionPtr>& items) {
    // F(-) would be read as the operator (-).
    const bool is_symbol = std::ranges::any_of(
        items, [](const ExpressionPtr& each) { return each->syntax == Syntax::operator_symbol; });
    enclosed(is_symbol ? "( " : "(", items, is_symbol ? " )" : ")");
  }

  void apply(const Expression& e) {
    const Operator* operation = operator_of(e);
    if (operation == nullptr) {
      for (const PathPart& part : e.path) {
        path_part(part.name, part.operands);
        out_ += '!';
      }
      path_part(e.name, e.operands);
      return;
    }
    const Expression& first = *e.operands.front();
    switch (operation->fix) {
      case Fix::prefix:
        out_ += operation->name == "-." ? "-" : operation->name;
        if (operation->name[0] >= 'A' && operation->name[0] <= 'Z') out_ += ' ';
        print_if(is_safe_after_prefix(first, *operation), first);
        break;
      case Fix::postfix:
        print_if(is_atom(first), first);
        out_ += operation->name;
        break;
      case Fix::infix: {
        const bool is_tight = operation->name == "..";
        print_if(is_safe_left(first, *operation), first);
        out_ += fmt::format(fmt::runtime(is_tight ? "{}" : " {} "), operation->name);
        const Expression& second = *e.operands.back();
        print_if(is_safe_right(second, *operation), second);
        break;
      }
    }
  }

  bool is_safe_after_prefix(const Expression& e, const Operator& prefix) const {
    if (is_open(e) || is_one_bullet(e)) return false;
    const Operator* own = operator_of(e);
    if (own == nullptr) return true;
    if (own->fix == Fix::postfix) return grouping(prefix, *own) == Grouping::right;
    return own->fix == Fix::prefix && own->name != "-.";
  }

  void path_part(const std::string& name, const std::vector<ExpressionPtr>& operands) {
    // I! !!(a, b)
    if (name[0] == '!' && out_.ends_with('!')) out_ += ' ';
    if (name != "()") out_ += name;
    if (!operands.empty()) arguments(operands);
  }

  void chain(const Expression& e) {
    const Operator& operation = *operator_of(e);
    if (e.operands.size() == 1) {
      out_ += operation.name;
      out_ += ' ';
      in_parentheses(*e.operands.front());
      return;
    }
    bool is_first = true;
    for (const ExpressionPtr& each : e.operands) {
      if (!is_first) out_ += fmt::format(" {} ", operation.name);
      print_if(is_first ? is_safe_left(*each, operation) : is_safe_right(*each, operation), *each);
      is_first = false;
    }
  }

  void bounds(const std::vector<Bound>& all) {
    std::string_view separator;
    for (const Bound& each : all) {
      out_ += separator;
      const std::string names = fmt::format("{}", fmt::join(each.names, ", "));
      out_ += each.is_tuple ? "<<" + names + ">>" : names;
      if (each.set) {
        out_ += " \\in ";
        print_if(is_safe_right(*each.set, *find_operator("\\in", Fix::infix)), *each.set);
      }
      separator = ", ";
    }
  }

  void parameter(const Parameter& each) {
    if (find_operator(each.name, Fix::infix) != nullptr) {
      out_ += fmt::format("_ {} _", each.name);
    } else if (find_operator(each.name, Fix::postfix) != nullptr) {
      out_ += fmt::format("_ {}", each.name);
    } else if (each.name == "-.") {
      out_ += "-. _";
    } else {
      out_ += each.name;
      for (std::uint32_t i = 0; i < each.arity; ++i) out_ += i == 0 ? "(_" : ", _";
      if (each.arity > 0) out_ += ')';
    }
  }

  void parameters(std::string_view left, const std::vector<Parameter>& all,
                  std::string_view right) {
    out_ += left;
    std::string_view separator;
    for (const Parameter& each : all) {
      out_ += separator;
      parameter(each);
      separator = ", ";
    }
    out_ += right;
  }

  void instance(const Definition& definition) {
    out_ += "INSTANCE " + definition.module;
    std::string_view separator = " WITH ";
    for (const Substitution& each : definition.substitutions) {
      out_ += fmt::format("{}{} <- ", separator, each.name);
      print(*each.value);
      separator = ", ";
    }
  }

  void bracketed(const Expression& e) {
    const auto operand = [&](std::size_t i) -> const Expression& { return *e.operands[i]; };
    switch (e.syntax) {
      case Syntax::set_filter:
        out_ += '{';
        bounds(e.bounds);
        out_ += " : ";
        print(operand(0));
        out_ += '}';
        break;
      case Syntax::set_map:
        out_ += '{';
        // {(x \in S) : y \in T} is not a filter.
        print_if(operand(0).name != "\\in" || operand(0).syntax != Syntax::apply, operand(0));
        out_ += " : ";
        bounds(e.bounds);
        out_ += '}';
        break;
      case Syntax::function:
        out_ += '[';
        bounds(e.bounds);
        out_ += " |-> ";
        print(operand(0));
        out_ += ']';
        break;
      case Syntax::function_set:
        out_ += '[';
        print(operand(0));
        out_ += " -> ";
        print(operand(1));
        out_ += ']';
        break;
      case Syntax::application: {
        print_if(is_atom(operand(0)), operand(0));
        out_ += '[';
        for (std::size_t i = 1; i < e.operands.size(); ++i) {
          if (i > 1) out_ += ", ";
          print(operand(i));
        }
        out_ += ']';
        break;
      }
      case Syntax::record:
      case Syntax::record_set:
        out_ += '[';
        for (std::size_t i = 0; i < e.fields.size(); ++i) {
          out_ += fmt::format("{}{} {} ", i == 0 ? "" : ", ", e.fields[i],
                              e.syntax == Syntax::record ? "|->" : ":");
          print(operand(i));
        }
        out_ += ']';
        break;
      case Syntax::field:
        // 1.x would be read as a number.
        print_if(is_atom(operand(0)) && operand(0).syntax != Syntax::number, operand(0));
        out_ += "." + e.name;
        break;
      case Syntax::except:
        except(e);
        break;
      case Syntax::action_box:
        out_ += '[';
        print(operand(0));
        out_ += "]_";
        subscript(operand(1));
        break;
      case Syntax::action_angle:
        out_ += "<<";
        print(operand(0));
        out_ += ">>_";
        subscript(operand(1));
        break;
      case Syntax::weak_fairness:
      case Syntax::strong_fairness:
        out_ += e.syntax == Syntax::weak_fairness ? "WF_" : "SF_";
        subscript(operand(0));
        in_parentheses(operand(1));
        break;
      default:
        break;
    }
  }

  void subscript(const Expression& e) {
    const bool is_name = e.syntax == Syntax::apply && operator_of(e) == nullptr &&
                         e.operands.empty() && e.path.empty();
    print_if(is_name || e.syntax == Syntax::tuple, e);
  }

  void except(const Expression& e) {
    out_ += '[';
    print(*e.operands.front());
    std::string_view separator = " EXCEPT ";
    for (const ExceptUpdate& update : e.updates) {
      out_ += separator;
      out_ += '!';
      for (const ExceptUpdate::Step& step : update.path) {
        if (step.indexes.empty()) {
          out_ += "." + step.field;
        } else {
          enclosed("[", step.indexes, "]");
        }
      }
      out_ += " = ";
      print(*update.value);
      separator = ", ";
    }
    out_ += ']';
  }

  void open(const Expression& e) {
    const auto operand = [&](std::size_t i) -> const Expression& { return *e.operands[i]; };
    const auto bound_expression = [&](std::string_view symbol) {
      out_ += symbol;
      out_ += ' ';
      bounds(e.bounds);
      out_ += " : ";
      print(operand(0));
    };
    switch (e.syntax) {
      case Syntax::if_else:
        out_ += "IF ";
        print(operand(0));
        out_ += " THEN ";
        print(operand(1));
        out_ += " ELSE ";
        print(operand(2));
        break;
      case Syntax::case_of:
        for (std::size_t i = 0; i < e.operands.size(); i += 2) {
          out_ += i == 0 ? "CASE " : " [] ";
          const bool is_other = i + 1 == e.operands.size();
          if (is_other) {
            out_ += "OTHER";
          } else {
            print(operand(i));
          }
          out_ += " -> ";
          // An inner CASE would take the next arm.
          const Expression& value = operand(is_other ? i : i + 1);
          print_if(!is_open(value), value);
        }
        break;
      case Syntax::let:
        let(e);
        break;
      case Syntax::for_all:
        bound_expression("\\A");
        break;
      case Syntax::exists:
        bound_expression("\\E");
        break;
      case Syntax::temporal_for_all:
        bound_expression("\\AA");
        break;
      case Syntax::temporal_exists:
        bound_expression("\\EE");
        break;
      case Syntax::choose:
        bound_expression("CHOOSE");
        break;
      default:
        parameters("LAMBDA ", e.parameters, " : ");
        print(operand(0));
        break;
    }
  }

  void let(const Expression& e) {
    out_ += "LET ";
    for (const DefinitionPtr& each : e.definitions) {
      if (!each->is_recursive) continue;
      out_ += "RECURSIVE ";
      parameter({each->name, static_cast<std::uint32_t>(each->parameters.size()), {}});
      out_ += ' ';
    }
    for (const DefinitionPtr& each : e.definitions) {
      print(*each);
      out_ += ' ';
    }
    out_ += "IN ";
    print(*e.operands.front());
  }

  std::string out_;
};

// Comparison.

bool is_same(const std::vector<ExpressionPtr>& a, const std::vector<ExpressionPtr>& b) {
  return std::ranges::equal(
      a, b, [](const ExpressionPtr& x, const ExpressionPtr& y) { return is_same(*x, *y); });
}
bool is_same(const ExpressionPtr& a, const ExpressionPtr& b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || is_same(*a, *b));
}
bool is_same(const std::vector<Bound>& a, const std::vector<Bound>& b) {
  return std::ranges::equal(a, b, [](const Bound& x, const Bound& y) {
    return x.names == y.names && x.is_tuple == y.is_tuple && is_same(x.set, y.set);
  });
}
bool is_same(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::ranges::equal(a, b, [](const Parameter& x, const Parameter& y) {
    return x.name == y.name && x.arity == y.arity;
  });
}
bool is_same(const std::vector<ExceptUpdate>& a, const std::vector<ExceptUpdate>& b) {
  return std::ranges::equal(a, b, [](const ExceptUpdate& x, const ExceptUpdate& y) {
    const auto is_same_step = [](const ExceptUpdate::Step& s, const ExceptUpdate::Step& t) {
      return s.field == t.field && is_same(s.indexes, t.indexes);
    };
    return std::ranges::equal(x.path, y.path, is_same_step) && is_same(x.value, y.value);
  });
}
bool is_same(const std::vector<PathPart>& a, const std::vector<PathPart>& b) {
  return std::ranges::equal(a, b, [](const PathPart& x, const PathPart& y) {
    return x.name == y.name && is_same(x.operands, y.operands);
  });
}

}  // namespace

bool is_same(const Definition& a, const Definition& b) {
  return a.type == b.type && a.name == b.name && a.module == b.module && a.is_local == b.is_local &&
         a.is_recursive == b.is_recursive && is_same(a.parameters, b.parameters) &&
         is_same(a.body, b.body) && is_same(a.bounds, b.bounds) &&
         std::ranges::equal(a.substitutions, b.substitutions,
                            [](const Substitution& x, const Substitution& y) {
                              return x.name == y.name && is_same(x.value, y.value);
                            });
}

bool is_same(const Expression& a, const Expression& b) {
  return a.syntax == b.syntax && a.name == b.name && a.fields == b.fields &&
         is_same(a.operands, b.operands) && is_same(a.bounds, b.bounds) &&
         is_same(a.updates, b.updates) && is_same(a.path, b.path) &&
         is_same(a.parameters, b.parameters) &&
         std::ranges::equal(
             a.definitions, b.definitions,
             [](const DefinitionPtr& x, const DefinitionPtr& y) { return is_same(*x, *y); });
}

std::string to_tla(const Expression& expression) {
  Printer printer;
  printer.print(expression);
  return printer.take();
}

std::string to_tla(const Definition& definition) {
  Printer printer;
  printer.print(definition);
  return printer.take();
}

}  // namespace dissensus::tla
