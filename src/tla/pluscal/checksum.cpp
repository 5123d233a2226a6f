#include "tla/pluscal/checksum.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace dissensus::tla::pluscal {

namespace {

/// An algorithm as a record. What is open to the right decides how far further lines are indented.
class Record {
 public:
  std::string take() { return std::move(text_); }

  void algorithm(const Algorithm& one) {
    const std::string_view gap = one.has_processes ? "" : " ";
    open("");
    text_ += fmt::format("[type    {}|-> \"{}\", ", gap,
                         one.has_processes ? "multiprocess" : "uniprocess");
    end_row();
    text_ += fmt::format(" name  |-> \"{}\", ", one.name);
    end_row();
    field(
        fmt::format(" decls {}|-> ", gap), [&] { declarations(one.variables); }, ",");
    field(
        fmt::format(" defs  {}|-> ", gap), [&] { formula(one.definitions); }, ",");
    field(
        fmt::format(" prcds {}|-> ", gap),
        [&] {
          // Without processes, what the body calls is counted as calls of the last procedure.
          std::vector<Procedure> procedures = one.procedures;
          if (!procedures.empty()) add_names(procedures.back().calls, one.main.calls);
          list(procedures, [&](const Procedure& inner) { procedure(inner); });
        },
        ",");
    if (one.has_processes) {
      open(" procs |-> ");
      list(one.processes, [&](const Process& inner) { process(inner); });
    } else {
      open(" body  |-> ");
      steps(one.main.steps);
    }
    text_ += "]";
    close();
    close();
  }

 private:
  static void add_names(std::vector<std::string>& to, const std::vector<std::string>& more) {
    for (const std::string& name : more) {
      if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
    }
  }
  void open(std::string_view text) {
    indents_.push_back(indents_.back() + characters(text));
    text_ += text;
  }
  void close() { indents_.pop_back(); }
  void end_row() { text_ += '\n' + std::string(indents_.back(), ' '); }
  static std::size_t characters(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return count;
  }

  template <class Write>
  void field(std::string_view name, const Write& write, std::string_view end) {
    open(name);
    write();
    text_ += end;
    close();
    end_row();
  }

  template <class List, class Write>
  void list(const List& elements, const Write& write) {
    open("<<");
    bool is_first = true;
    for (const auto& element : elements) {
      if (!is_first) {
        text_ += ", ";
        end_row();
      }
      is_first = false;
      write(element);
    }
    text_ += ">>";
    close();
  }

  void words(const std::vector<std::string>& words) {
    open("<<");
    for (std::size_t i = 0; i < words.size(); ++i) {
      text_ += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", words[i]);
    }
    text_ += ">>";
    close();
  }

  void formula(const Formula& formula) {
    text_ += "<< ";
    std::uint32_t line = 0;
    bool is_first = true;
    for (const Token& token : formula.tokens()) {
      for (; line < token.line; ++line) text_ += '\n';
      if (!is_first) text_ += ", ";
      is_first = false;
      if (token.type == TokenType::text) {
        text_ += "\"\\\"\", \"" + token.text + "\", \"\\\"\"";
      } else if (token.text == "\\/") {
        text_ += fmt::format("\"(col{}) \\\\/\"", token.column);
      } else if (token.text == "/\\") {
        text_ += fmt::format("\"(col{}) /\\\\\"", token.column);
      } else {
        text_ += (token.text.front() == '\\' ? "\"\\" : "\"") + token.text + "\"";
      }
    }
    text_ += " >>";
  }

  static std::string_view equal_or_in(bool is_equal) { return is_equal ? "\"=\"" : "\"\\\\in\""; }

  void declarations(const std::vector<Declaration>& list_of) {
    list(list_of, [&](const Declaration& one) {
      open("");
      text_ += fmt::format("[var |-> \"{}\", eqOrIn |-> {}, val |-> ", one.name,
                           equal_or_in(one.is_equal));
      formula(one.value);
      text_ += "]";
      close();
    });
  }

  void label_lists(const Routine& one) {
    words(one.minus_labels);
    text_ += ", plusLabels |->";
    words(one.plus_labels);
    text_ += ", proceduresCalled |->";
    words(one.calls);
    text_ += ",";
    end_row();
  }

  void body(const Routine& one) {
    field(
        " decls  |-> ", [&] { declarations(one.variables); }, ",");
    open(" body   |-> ");
    steps(one.steps);
    text_ += "]";
    close();
    close();
  }

  void procedure(const Procedure& one) {
    open("");
    text_ += fmt::format("[name   |-> \"{}\", ", one.name);
    end_row();
    text_ += "minusLabels |-> ";
    label_lists(one);
    field(
        " params |-> ", [&] { declarations(one.parameters); }, ",");
    body(one);
  }

  void process(const Process& one) {
    constexpr std::string_view kFairness[] = {"unfair", "wf", "sf"};
    open("");
    text_ += fmt::format("[name   |-> \"{}\",", one.name);
    end_row();
    text_ += fmt::format(" fairness |-> \"{}\", minusLabels |-> ",
                         kFairness[static_cast<std::size_t>(one.fairness)]);
    label_lists(one);
    text_ += fmt::format(" eqOrIn |-> {},", equal_or_in(one.is_equal));
    end_row();
    text_ += " id     |-> ";
    formula(one.id);
    text_ += ",";
    end_row();
    body(one);
  }

  void steps(const std::vector<Step>& list_of) {
    list(list_of, [&](const Step& one) {
      open("");
      text_ += fmt::format("[label |-> \"{}\",", one.label);
      end_row();
      open(" stmts |-> ");
      block(*one.statements);
      text_ += "]";
      close();
      close();
    });
  }

  void block(const Block& block) {
    list(block, [&](const std::shared_ptr<Statement>& one) { statement(*one); });
  }

  void arguments(std::string_view name, const Statement& one) {
    open(name);
    list(one.arguments, [&](const Formula& argument) { formula(argument); });
    text_ += "]";
  }

  void type_row(std::string_view text) {
    open("");
    text_ += text;
    end_row();
  }

  void formula_row(std::string_view name, const Formula& value) {
    text_ += name;
    formula(value);
    text_ += ",";
    end_row();
  }

  void statement(const Statement& one) {
    switch (one.type) {
      case StatementType::assign:
        type_row("[type |-> \"assignment\",");
        open(" ass  |-> ");
        list(one.assignments, [&](const Assignment& inner) { assignment(inner); });
        text_ += "]";
        close();
        break;
      case StatementType::if_else:
        return one.is_cut ? cut_if(one) : plain_if(one);
      case StatementType::either:
        return one.is_cut ? cut_either(one) : plain_either(one);
      case StatementType::with:
        type_row("[type   |-> \"with\", ");
        text_ += fmt::format(" var    |-> \"{}\",", one.name);
        end_row();
        text_ += fmt::format(" eqOrIn |-> {},", equal_or_in(one.is_equal));
        end_row();
        formula_row(" exp    |-> ", one.formula);
        open(" do     |-> ");
        block(*one.branches.front().plain);
        text_ += "]";
        close();
        break;
      case StatementType::when:
      case StatementType::print:
      case StatementType::check:
        type_row(fmt::format("[type |-> \"{}\", ", one.type == StatementType::when    ? "when"
                                                   : one.type == StatementType::print ? "print"
                                                                                      : "assert"));
        text_ += " exp |-> ";
        formula(one.formula);
        text_ += "]";
        break;
      case StatementType::skip:
        text_ += "[type |-> \"skip\"]";
        return;
      case StatementType::loop:
        type_row("[type    |-> \"while\", ");
        formula_row(" test    |-> ", one.formula);
        field(
            " labDo   |-> ", [&] { steps(one.branches.front().steps); }, ",");
        open(" unlabDo |-> ");
        block(*one.branches.front().plain);
        text_ += "]";
        close();
        break;
      case StatementType::call:
        type_row("[type     |-> \"call\",");
        text_ += " returnTo |-> \"\",";
        end_row();
        text_ += fmt::format(" to       |-> \"{}\",", one.name);
        end_row();
        arguments(" args     |-> ", one);
        close();
        break;
      case StatementType::call_return:
      case StatementType::call_goto:
        return call_and(one);
      case StatementType::give_back:
        text_ += fmt::format("[type |-> \"return\", from |-> \"{}\"]", one.procedure);
        return;
      case StatementType::jump:
        text_ += fmt::format("[type |-> \"goto\",  to |-> \"{}\"]", one.name);
        return;
      case StatementType::macro_call:
        return;  // none is left
    }
    close();
  }

  void call_and(const Statement& one) {
    const bool returns = one.type == StatementType::call_return;
    type_row(fmt::format("[type     |-> \"{}\",", returns ? "callReturn" : "callGoto"));
    text_ += returns ? fmt::format(" from     |-> \"{}\",", one.procedure)
                     : fmt::format(" after    |-> \"{}\",", one.target);
    end_row();
    text_ += fmt::format(" to       |-> \"{}\",", one.name);
    end_row();
    arguments("args     |-> ", one);
    end_row();
    close();
    close();
  }

  void assignment(const Assignment& one) {
    open("");
    text_ += fmt::format("[lhs |-> [var |-> \"{}\", sub |-> ", one.variable);
    formula(one.subscript);
    text_ += "],";
    end_row();
    text_ += " rhs |-> ";
    formula(one.value);
    text_ += "]";
    close();
  }

  void plain_if(const Statement& one) {
    type_row("[type    |-> \"if\", ");
    formula_row(" test    |-> ", one.formula);
    field(
        " then |-> ", [&] { block(*one.branches[0].plain); }, ",");
    open(" else |-> ");
    block(*one.branches[1].plain);
    text_ += "]";
    close();
    close();
  }

  void cut_if(const Statement& one) {
    type_row("[type      |-> \"labelIf\",");
    formula_row(" test      |-> ", one.formula);
    field(
        " unlabThen |-> ", [&] { block(*one.branches[0].plain); }, ",");
    field(
        " labThen   |-> ", [&] { steps(one.branches[0].steps); }, ",");
    field(
        " unlabElse |-> ", [&] { block(*one.branches[1].plain); }, ",");
    field(
        " labElse   |-> ", [&] { steps(one.branches[1].steps); }, "]");
    close();
  }

  void plain_either(const Statement& one) {
    type_row("[type |-> \"either\", ");
    open(" ors  |-> ");
    open("<< ");
    bool is_first = true;
    for (const Branch& branch : one.branches) {
      if (!is_first) {
        text_ += ", ";
        end_row();
      }
      is_first = false;
      block(*branch.plain);
    }
    text_ += " >>";
    close();
    text_ += "]";
    close();
    close();
  }

  void cut_either(const Statement& one) {
    type_row("[type    |-> \"labelEither\",");
    field(
        " clauses |-> ",
        [&] {
          list(one.branches, [&](const Branch& branch) {
            open("");
            field(
                "[unlabOr |-> ", [&] { block(*branch.plain); }, ",");
            field(
                " labOr   |-> ", [&] { steps(branch.steps); }, "]");
            close();
          });
        },
        "]");
    close();
  }

  std::string text_;
  std::vector<std::size_t> indents_{0};
};

}  // namespace

std::string checksum(std::string_view text) {
  constexpr std::uint32_t kPolynomial = 0xEDB88320;
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
  }
  return fmt::format("{:x}", ~sum);
}

std::string checksum(const Algorithm& algorithm) {
  if (algorithm.is_fair) return checksum("fair");
  Record record;
  record.algorithm(algorithm);
  return checksum(record.take());
}

}  // namespace dissensus::tla::pluscal
