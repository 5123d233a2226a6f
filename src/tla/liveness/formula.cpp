#include "tla/liveness/formula.h"

#include <algorithm>
#include <optional>
#include <set>

namespace dissensus::tla {

namespace {

using FormulaType = Formula::Type;

FormulaPtr finished(Formula formula) {
  switch (formula.type) {
    case FormulaType::truth:
      formula.is_tail = true;
      formula.key = formula.is_positive ? "T" : "F";
      return std::make_shared<const Formula>(std::move(formula));
    case FormulaType::literal:
      formula.key = (formula.is_positive ? "" : "~") + std::to_string(formula.atom);
      return std::make_shared<const Formula>(std::move(formula));
    case FormulaType::conjunction:
    case FormulaType::disjunction: {
      formula.is_tail = true;
      formula.key = formula.type == FormulaType::conjunction ? "(&" : "(|";
      for (const FormulaPtr& part : formula.parts) {
        formula.is_step = formula.is_step && part->is_step;
        formula.is_tail = formula.is_tail && part->is_tail;
        formula.key += " " + part->key;
      }
      formula.key += ")";
      return std::make_shared<const Formula>(std::move(formula));
    }
    case FormulaType::always:
    case FormulaType::eventually:
      break;
  }
  const bool is_always = formula.type == FormulaType::always;
  const Formula& part = formula.part();
  formula.is_step = false;
  formula.is_tail = part.type == (is_always ? FormulaType::eventually : FormulaType::always);
  formula.key = (is_always ? "[]" : "<>") + part.key;
  return std::make_shared<const Formula>(std::move(formula));
}

/// Parts of parts, each once, with the constants gone.
FormulaPtr junction_of(FormulaType type, const std::vector<FormulaPtr>& parts) {
  const bool is_conjunction = type == FormulaType::conjunction;
  Formula result;
  result.type = type;
  std::set<std::string> seen;
  const auto add = [&](const FormulaPtr& part) {
    if (seen.insert(part->key).second) result.parts.push_back(part);
  };
  for (const FormulaPtr& part : parts) {
    if (part->type == FormulaType::truth) {
      if (part->is_positive != is_conjunction) return truth_formula(!is_conjunction);
    } else if (part->type == type) {
      for (const FormulaPtr& inner : part->parts) add(inner);
    } else {
      add(part);
    }
  }
  if (result.parts.empty()) return truth_formula(is_conjunction);
  if (result.parts.size() == 1) return result.parts.front();
  return finished(std::move(result));
}

/// [] and <> are each other's mirror image: `type` is the one, `distributes` what it goes through.
FormulaPtr modal_formula(FormulaType type, const FormulaPtr& part) {
  const bool is_always = type == FormulaType::always;
  const FormulaType distributes = is_always ? FormulaType::conjunction : FormulaType::disjunction;
  const FormulaType opposite = is_always ? FormulaType::disjunction : FormulaType::conjunction;
  if (part->type == type || part->is_tail) return part;
  if (part->type == distributes && !part->is_step) {
    std::vector<FormulaPtr> parts;
    for (const FormulaPtr& each : part->parts) parts.push_back(modal_formula(type, each));
    return junction_of(distributes, parts);
  }
  if (part->type == opposite && !part->is_step) {
    // [](f \/ t) is []f \/ t where t speaks only of the far end.
    std::vector<FormulaPtr> tails, rest;
    for (const FormulaPtr& each : part->parts) (each->is_tail ? tails : rest).push_back(each);
    if (!tails.empty()) {
      tails.push_back(modal_formula(type, junction_of(opposite, rest)));
      return junction_of(opposite, tails);
    }
  }
  // [](<>f \/ <>g) is []<>f \/ []<>g, and <> goes through conjunctions of [] likewise.
  const FormulaType inner = is_always ? FormulaType::eventually : FormulaType::always;
  const auto is_inner = [inner](const FormulaPtr& each) { return each->type == inner; };
  if (part->type == opposite && std::all_of(part->parts.begin(), part->parts.end(), is_inner)) {
    std::vector<FormulaPtr> parts;
    for (const FormulaPtr& each : part->parts) parts.push_back(modal_formula(type, each));
    return junction_of(opposite, parts);
  }
  Formula result;
  result.type = type;
  result.parts = {part};
  return finished(std::move(result));
}

}  // namespace

FormulaPtr truth_formula(bool value) {
  Formula result;
  result.is_positive = value;
  return finished(std::move(result));
}

FormulaPtr literal_formula(std::uint32_t atom, bool is_positive) {
  Formula result;
  result.type = FormulaType::literal;
  result.atom = atom;
  result.is_positive = is_positive;
  return finished(std::move(result));
}

FormulaPtr conjunction_of(const std::vector<FormulaPtr>& parts) {
  return junction_of(FormulaType::conjunction, parts);
}

FormulaPtr disjunction_of(const std::vector<FormulaPtr>& parts) {
  return junction_of(FormulaType::disjunction, parts);
}

FormulaPtr always_formula(const FormulaPtr& part) {
  return modal_formula(FormulaType::always, part);
}

FormulaPtr eventually_formula(const FormulaPtr& part) {
  return modal_formula(FormulaType::eventually, part);
}

FormulaPtr negation_of(const FormulaPtr& formula) {
  std::vector<FormulaPtr> parts;
  for (const FormulaPtr& part : formula->parts) parts.push_back(negation_of(part));
  switch (formula->type) {
    case FormulaType::truth:
      return truth_formula(!formula->is_positive);
    case FormulaType::literal:
      return literal_formula(formula->atom, !formula->is_positive);
    case FormulaType::conjunction:
      return disjunction_of(parts);
    case FormulaType::disjunction:
      return conjunction_of(parts);
    case FormulaType::always:
      return eventually_formula(parts.front());
    case FormulaType::eventually:
      break;
  }
  return always_formula(parts.front());
}

bool holds_on_step(const Formula& formula, const std::function<bool(std::uint32_t)>& is_true) {
  const auto part_holds = [&](const FormulaPtr& part) { return holds_on_step(*part, is_true); };
  switch (formula.type) {
    case FormulaType::truth:
      return formula.is_positive;
    case FormulaType::literal:
      return is_true(formula.atom) == formula.is_positive;
    case FormulaType::disjunction:
      return std::any_of(formula.parts.begin(), formula.parts.end(), part_holds);
    default:
      return std::all_of(formula.parts.begin(), formula.parts.end(), part_holds);
  }
}

namespace {

using AtomOfStep = std::function<bool(std::size_t, std::uint32_t)>;

/// For each step, whether the formula is true from there on.
std::vector<bool> truth_by_step(const Formula& formula, std::size_t steps, std::size_t loop,
                                const AtomOfStep& is_true) {
  std::vector<bool> result(steps);
  std::vector<std::vector<bool>> parts;
  for (const FormulaPtr& part : formula.parts) {
    parts.push_back(truth_by_step(*part, steps, loop, is_true));
  }
  for (std::size_t i = 0; i < steps; ++i) {
    const auto part_holds = [i](const std::vector<bool>& part) { return part[i]; };
    // From step i on come the rest of the prefix and all of the loop.
    const auto first = static_cast<std::ptrdiff_t>(std::min(i, loop));
    switch (formula.type) {
      case FormulaType::truth:
        result[i] = formula.is_positive;
        break;
      case FormulaType::literal:
        result[i] = is_true(i, formula.atom) == formula.is_positive;
        break;
      case FormulaType::conjunction:
        result[i] = std::all_of(parts.begin(), parts.end(), part_holds);
        break;
      case FormulaType::disjunction:
        result[i] = std::any_of(parts.begin(), parts.end(), part_holds);
        break;
      case FormulaType::always:
        result[i] = std::find(parts[0].begin() + first, parts[0].end(), false) == parts[0].end();
        break;
      case FormulaType::eventually:
        result[i] = std::find(parts[0].begin() + first, parts[0].end(), true) != parts[0].end();
        break;
    }
  }
  return result;
}

bool is_repeated(const Formula& formula) {
  return formula.type == FormulaType::always && formula.part().type == FormulaType::eventually &&
         formula.part().part().is_step;
}

bool is_persistent(const Formula& formula) {
  return formula.type == FormulaType::eventually && formula.part().type == FormulaType::always &&
         formula.part().part().is_step;
}

/// <>[]f \/ []<>g, or a disjunction of []<> alone.
std::optional<Obligations::Choice> choice_of(const Formula& formula) {
  if (formula.type != FormulaType::disjunction) return std::nullopt;
  Obligations::Choice choice;
  std::vector<FormulaPtr> repeated;
  for (const FormulaPtr& part : formula.parts) {
    if (is_repeated(*part)) {
      repeated.push_back(part->part().parts.front());
    } else if (is_persistent(*part) && choice.persistent == nullptr) {
      choice.persistent = part->part().parts.front();
    } else {
      return std::nullopt;
    }
  }
  choice.repeated = disjunction_of(repeated);
  return choice;
}

bool has_tail_inside(const Formula& formula) {
  return formula.is_tail ||
         std::any_of(formula.parts.begin(), formula.parts.end(),
                     [](const FormulaPtr& part) { return has_tail_inside(*part); });
}

void add_obligations(const Obligations& more, Obligations& to) {
  const auto append = [](auto& list, const auto& other) {
    list.insert(list.end(), other.begin(), other.end());
  };
  append(to.repeated, more.repeated);
  append(to.persistent, more.persistent);
  append(to.choices, more.choices);
  append(to.others, more.others);
}

}  // namespace

bool holds_on_lasso(const Formula& formula, std::size_t steps, std::size_t loop,
                    const AtomOfStep& is_true) {
  return truth_by_step(formula, steps, loop, is_true).front();
}

bool split_into_obligations(const FormulaPtr& formula, std::size_t most,
                            std::vector<Obligations>& result) {
  result.clear();
  if (formula->type == FormulaType::truth) {
    if (formula->is_positive) result.emplace_back();
    return true;
  }
  Obligations single;
  if (is_repeated(*formula)) {
    single.repeated.push_back(formula->part().parts.front());
  } else if (is_persistent(*formula)) {
    single.persistent.push_back(formula->part().parts.front());
  } else if (const auto choice = choice_of(*formula)) {
    if (choice->persistent == nullptr) {
      single.repeated.push_back(choice->repeated);
    } else {
      single.choices.push_back(*choice);
    }
  } else if (formula->type == FormulaType::conjunction) {
    result.emplace_back();
    for (const FormulaPtr& part : formula->parts) {
      std::vector<Obligations> cases, product;
      if (!split_into_obligations(part, most, cases)) return false;
      if (cases.size() * result.size() > most) return false;
      for (const Obligations& so_far : result) {
        for (const Obligations& more : cases) {
          add_obligations(more, product.emplace_back(so_far));
        }
      }
      result = std::move(product);
    }
    return true;
  } else if (formula->type == FormulaType::disjunction && has_tail_inside(*formula)) {
    for (const FormulaPtr& part : formula->parts) {
      std::vector<Obligations> cases;
      if (!split_into_obligations(part, most, cases)) return false;
      result.insert(result.end(), cases.begin(), cases.end());
      if (result.size() > most) return false;
    }
    return true;
  } else {
    single.others.push_back(formula);
  }
  result.push_back(std::move(single));
  return true;
}

}  // namespace dissensus::tla
