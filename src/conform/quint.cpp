#include "conform/quint.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "dissensus/options.h"

#include "conform/quint_translator.h"
#include "core/file.h"

namespace dissensus::conform {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kQuintBytesMax = std::size_t{256} << 20;

constexpr std::string_view kKeywords[] = {
    "ACTION",  "ASSUME",     "ASSUMPTION", "AXIOM",     "BOOLEAN",  "BY",        "CASE",
    "CHOOSE",  "CONSTANT",   "CONSTANTS",  "COROLLARY", "DEF",      "DEFINE",    "DEFS",
    "DOMAIN",  "ELSE",       "ENABLED",    "EXCEPT",    "EXTENDS",  "FALSE",     "HAVE",
    "HIDE",    "IF",         "IN",         "INSTANCE",  "LAMBDA",   "LEMMA",     "LET",
    "LOCAL",   "MODULE",     "NEW",        "OBVIOUS",   "OMITTED",  "ONLY",      "OTHER",
    "PICK",    "PROOF",      "PROPERTY",   "PROVE",     "QED",      "RECURSIVE", "STATE",
    "STRING",  "SUBSET",     "SUFFICES",   "TAKE",      "TEMPORAL", "THEN",      "THEOREM",
    "TRUE",    "UNCHANGED",  "UNION",      "USE",       "VARIABLE", "VARIABLES", "WITH",
    "WITNESS", "PROPOSITION"};

// Names of the modules that the text extends, and of Init and Next.
constexpr std::string_view kTakenNames[] = {
    "Nat",    "Int",       "Seq",         "Len",         "Head", "Tail", "Append",
    "SubSeq", "SelectSeq", "IsFiniteSet", "Cardinality", "Init", "Next"};

struct Helper {
  std::string_view name;
  std::string_view text;
};

// A helper may use those before it. They come before the variables: their parameters are free.
constexpr Helper kHelpers[] = {
    {"QuintSets", "LOCAL QuintSets == INSTANCE FiniteSetsExt\n"},
    {"QuintLists", "LOCAL QuintLists == INSTANCE SequencesExt\n"},
    {"QuintTools", "LOCAL QuintTools == INSTANCE TLC\n"},
    {"QuintFail",
     "LOCAL QuintFail(message, value) == QuintTools!Assert(FALSE, <<message, value>>)\n"},
    {"QuintSize", "LOCAL QuintSize(n) == IF n < 0 THEN -n ELSE n\n"},
    {"QuintDivide",
     "LOCAL QuintDivide(a, b) ==\n"
     "  LET size == QuintSize(a) \\div QuintSize(b)\n"
     "  IN  IF (a < 0) = (b < 0) THEN size ELSE -size\n"},
    {"QuintRemainder", "LOCAL QuintRemainder(a, b) == a - b * QuintDivide(a, b)\n"},
    {"QuintChoose", "LOCAL QuintChoose(S) == CHOOSE x \\in S : TRUE\n"},
    {"QuintFold",
     "LOCAL QuintFold(S, start, Op(_, _)) ==\n"
     "  QuintSets!FoldSet(LAMBDA x, sum : Op(sum, x), start, S)\n"},
    {"QuintLeft", "LOCAL QuintLeft(l, start, Op(_, _)) == QuintLists!FoldLeft(Op, start, l)\n"},
    {"QuintRight", "LOCAL QuintRight(l, start, Op(_, _)) == QuintLists!FoldRight(Op, l, start)\n"},
    {"QuintRange", "LOCAL QuintRange(from, to) == [i \\in 1..(to - from) |-> from + i - 1]\n"},
    {"QuintReplaceAt",
     "LOCAL QuintReplaceAt(l, i, v) ==\n"
     "  IF i \\in 0..(Len(l) - 1) THEN [l EXCEPT ![i + 1] = v]\n"
     "  ELSE QuintFail(\"replaceAt: no such index\", i)\n"},
    {"QuintMap",
     "LOCAL QuintMap(pairs) ==\n"
     "  LET last(k) == QuintSets!Max({i \\in DOMAIN pairs : pairs[i][1] = k})\n"
     "  IN  [k \\in {pairs[i][1] : i \\in DOMAIN pairs} |-> pairs[last(k)][2]]\n"},
    {"QuintSetToMap",
     "LOCAL QuintSetToMap(S) ==\n"
     "  [k \\in {p[1] : p \\in S} |-> (CHOOSE p \\in S : p[1] = k)[2]]\n"},
    {"QuintPut",
     "LOCAL QuintPut(m, k, v) ==\n"
     "  [x \\in DOMAIN m \\cup {k} |-> IF x = k THEN v ELSE m[x]]\n"},
    {"QuintSetKey",
     "LOCAL QuintSetKey(m, k, v) ==\n"
     "  IF k \\in DOMAIN m THEN [m EXCEPT ![k] = v] ELSE QuintFail(\"set: no such key\", k)\n"},
    {"QuintSetBy",
     "LOCAL QuintSetBy(m, k, Op(_)) ==\n"
     "  IF k \\in DOMAIN m THEN [m EXCEPT ![k] = Op(@)]\n"
     "  ELSE QuintFail(\"setBy: no such key\", k)\n"},
};

/// Definitions that the compiler adds: q::init is the name that --init gave.
std::string_view alias_of(const Json& expression) {
  if (!expression.is_object() || expression.value("kind", "") != "name") return {};
  return quint_text(expression, "name");
}

const Json& main_module_of(const Json& file, const std::string& main_module) {
  const Json& modules = quint_part(file, "modules");
  if (!modules.is_array() || modules.empty()) throw QuintError("modules: expected a list");
  std::string wanted = main_module;
  if (wanted.empty() && file.contains("main") && file["main"].is_string()) wanted = file["main"];
  if (wanted.empty()) {
    if (modules.size() == 1) return modules.front();
    throw QuintError(fmt::format(
        "the file has {} modules and does not say which is the main one: expected the output of "
        "quint compile --target=json",
        modules.size()));
  }
  for (const Json& module : modules) {
    if (quint_text(module, "name") == wanted) return module;
  }
  throw QuintError(fmt::format("there is no module {}", wanted));
}

void refuse_errors(const Json& file) {
  if (!file.contains("errors") || !file["errors"].is_array() || file["errors"].empty()) return;
  const Json& error = file["errors"].front();
  throw QuintError(fmt::format("quint reported an error: {}",
                               error.is_object() ? error.value("explanation", "?") : "?"));
}

/// A parameter without what the compiler adds: k of k_212 in lambda 212, by of left::by_27.
std::string_view parameter_name(std::string_view name, const Json* id) {
  const bool has_path = name.find("::") != std::string_view::npos;
  const std::size_t mark = name.rfind('_');
  if (mark == std::string_view::npos || mark == 0 || mark + 1 == name.size()) return name;
  const std::string_view number = name.substr(mark + 1);
  const bool is_number = number.find_first_not_of("0123456789") == std::string_view::npos;
  const bool is_added = has_path || (id != nullptr && id->dump() == number);
  return is_number && is_added ? name.substr(0, mark) : name;
}

struct Translation {
  std::string name;
  std::string text;
  bool has_behaviour = false;
};

Translation translated(const std::string& json, const std::string& path,
                       const std::string& main_module) {
  Json file;
  try {
    file = Json::parse(json);
  } catch (const Json::parse_error& error) {
    const auto end = json.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, json.size()));
    throw InputError(fmt::format("{}:{}: expected JSON as quint writes it ({})", path,
                                 1 + std::count(json.begin(), end, '\n'), error.what()));
  }
  try {
    if (!file.is_object()) throw QuintError("expected an object with modules");
    refuse_errors(file);
    QuintTranslator translator(main_module_of(file, main_module));
    std::string text = translator.translate();
    return {translator.module_name(), std::move(text), translator.has_behaviour()};
  } catch (const QuintError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not what quint writes ({})", path, error.what()));
  }
}

}  // namespace

const Json& quint_part(const Json& node, const char* key) {
  if (!node.is_object() || !node.contains(key)) {
    throw QuintError(fmt::format("expected an object with {}, found {}", key, node.type_name()));
  }
  return node[key];
}

const std::string& quint_text(const Json& node, const char* key) {
  const Json& part = quint_part(node, key);
  if (!part.is_string()) throw QuintError(fmt::format("{}: expected text", key));
  return part.get_ref<const std::string&>();
}

const Json& quint_argument(const Json& arguments, std::size_t index, std::string_view opcode) {
  if (!arguments.is_array() || index >= arguments.size()) {
    throw QuintError(fmt::format("{}: expected at least {} arguments", opcode, index + 1));
  }
  return arguments[index];
}

bool is_tla_keyword(std::string_view name) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords);
}

std::string quint_identifier(std::string_view name) {
  if (name.starts_with("quintTupledLambdaParam")) return "tuple";
  std::string made;
  bool has_letter = false;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    has_letter = has_letter || is_letter;
    if (is_letter || is_digit) {
      made += c;
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  if (!has_letter) return "unused";
  if (made.front() >= '0' && made.front() <= '9') made.insert(0, "q_");
  if (made.starts_with("WF_") || made.starts_with("SF_")) made.insert(0, "q_");
  return made;
}

QuintTranslator::QuintTranslator(const Json& module) {
  module_name_ = quint_identifier(quint_text(module, "name"));
  for (const std::string_view name : kTakenNames) taken_.emplace(name);
  for (const Json& declaration : quint_part(module, "declarations")) declare(declaration);
  name_definitions();
}

void QuintTranslator::declare(const Json& declaration) {
  const std::string& kind = quint_text(declaration, "kind");
  if (kind == "typedef") return;
  if (kind == "assume") {
    assumptions_.push_back(&quint_part(declaration, "assumption"));
    return;
  }
  if (kind == "import" || kind == "instance" || kind == "export") {
    throw QuintError(
        fmt::format("{} of {}: expected one module without imports, as the standard output of "
                    "quint compile --target=json has it (--out does not)",
                    kind, declaration.value("protoName", "?")));
  }
  const std::string& name = quint_text(declaration, "name");
  Definition definition;
  if (kind == "const" || kind == "var") {
    (kind == "const" ? constants_ : variables_).push_back(name);
  } else if (kind == "def") {
    definition.expression = &quint_part(declaration, "expr");
    definition.qualifier = quint_text(declaration, "qualifier");
  } else {
    throw QuintError(fmt::format("{}: unknown kind of declaration {}", name, kind));
  }
  if (!definitions_.emplace(name, std::move(definition)).second) {
    throw QuintError(fmt::format("{} is declared twice", name));
  }
  order_.push_back(name);
}

/// The definition behind init or step, or the one that --init or --step named.
const QuintTranslator::Definition* QuintTranslator::root(std::string_view name) const {
  auto found = definitions_.find(fmt::format("q::{}", name));
  if (found != definitions_.end() && found->second.expression != nullptr) {
    const auto target = definitions_.find(alias_of(*found->second.expression));
    if (target != definitions_.end()) found = target;
  } else {
    found = definitions_.find(name);
  }
  const bool is_found = found != definitions_.end() && found->second.expression != nullptr;
  return is_found ? &found->second : nullptr;
}

void QuintTranslator::name_definitions() {
  const Definition* const init = root("init");
  const Definition* const step = root("step");
  const std::string prefix = module_name_ + "::";
  for (const std::string& name : order_) {
    Definition& definition = definitions_.find(name)->second;
    const bool has_prefix = name.starts_with(prefix) && name.size() > prefix.size();
    const std::string made = fresh(has_prefix ? name.substr(prefix.size()) : name);
    definition.names[0] = &definition == step ? "Next" : made;
    taken_.insert(definition.names[0]);
    if (definition.expression == nullptr) continue;
    definition.is_action = definition.qualifier == "action" || assigns(*definition.expression);
    if (!definition.is_action) continue;
    definition.names[1] = &definition == init ? "Init" : fresh(definition.names[0] + "_initially");
    taken_.insert(definition.names[1]);
  }
}

bool QuintTranslator::assigns(const Json& expression, std::size_t depth) const {
  if (depth > kQuintDepthMax * 4) throw QuintError("the expression is nested too deeply");
  if (expression.is_object() && expression.value("opcode", "") == "assign") return true;
  if (!expression.is_structured()) return false;
  return std::any_of(expression.begin(), expression.end(),
                     [&](const Json& part) { return assigns(part, depth + 1); });
}

std::string QuintTranslator::fresh(std::string_view name) const {
  const std::string base = quint_identifier(name);
  const auto is_free = [&](const std::string& candidate) {
    return !taken_.contains(candidate) && !is_tla_keyword(candidate) &&
           std::none_of(locals_.begin(), locals_.end(),
                        [&](const Local& local) { return local.tla_name == candidate; });
  };
  if (is_free(base)) return base;
  for (std::size_t i = 2;; ++i) {
    std::string candidate = fmt::format("{}_{}", base, i);
    if (is_free(candidate)) return candidate;
  }
}

const QuintTranslator::Local* QuintTranslator::find_local(std::string_view name) const {
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                  [&](const Local& local) { return local.name == name; });
  return found == locals_.rend() ? nullptr : &*found;
}

std::string QuintTranslator::fresh_local(std::string_view name) const {
  const std::size_t path = name.rfind("::");
  return fresh(path == std::string_view::npos ? name : name.substr(path + 2));
}

std::string QuintTranslator::bind(std::string_view name) {
  locals_.push_back({std::string(name), fresh_local(name), nullptr});
  return locals_.back().tla_name;
}

std::vector<std::string> QuintTranslator::bind_parameters(const Json& lambda) {
  std::vector<std::string> names;
  const Json* const id = lambda.contains("id") ? &lambda["id"] : nullptr;
  for (const Json& parameter : quint_part(lambda, "params")) {
    const std::string& name = quint_text(parameter, "name");
    locals_.push_back({name, fresh_local(parameter_name(name, id)), nullptr});
    names.push_back(locals_.back().tla_name);
  }
  return names;
}

void QuintTranslator::require(const std::string& name, Mode mode) {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) throw QuintError(fmt::format("{} is not defined", name));
  Definition& definition = found->second;
  if (definition.expression == nullptr) return;
  using Progress = Definition::Progress;
  Progress& progress = definition.progress[static_cast<std::size_t>(mode)];
  if (progress == Progress::written) return;
  if (progress == Progress::begun) throw QuintError(fmt::format("{} uses itself", name));
  if (progress == Progress::none) {
    progress = Progress::begun;
    const std::vector<Local> locals = std::exchange(locals_, {});
    const Mode mode_before = std::exchange(mode_, mode);
    const std::size_t depth = depth_;
    try {
      write(name, definition, mode);
      progress = Progress::written;
    } catch (const QuintError& error) {
      progress = Progress::left_out;
      definition.why = error.what();
    }
    locals_ = locals;
    mode_ = mode_before;
    depth_ = depth;
  }
  if (progress == Progress::left_out) {
    throw QuintError(fmt::format("{}: {}", name, definition.why));
  }
}

void QuintTranslator::write(const std::string& name, Definition& definition, Mode mode) {
  if (definition.qualifier == "run") throw QuintError("a run is not part of the model");
  const Json* body = nullptr;
  const std::string& tla_name = definition.names[static_cast<std::size_t>(mode)];
  const std::string head = definition_head(tla_name, *definition.expression, &body);
  const std::string text = block(*body, 2);
  const bool fits = text.find('\n') == std::string::npos && head.size() + text.size() < 96;
  if (name.find("::") != std::string::npos) written_ += fmt::format("\\* {}\n", name);
  written_ += fmt::format("{} =={}{}\n", head, fits ? " " : "\n  ", text);
}

std::string QuintTranslator::with_helpers(const std::string& body) const {
  std::string text = body;
  for (auto helper = std::rbegin(kHelpers); helper != std::rend(kHelpers); ++helper) {
    if (text.find(helper->name) != std::string::npos) text.insert(0, helper->text);
  }
  return text;
}

std::string QuintTranslator::translate() {
  for (const Helper& helper : kHelpers) taken_.emplace(helper.name);
  const auto declare_all = [&](std::string_view word, const std::vector<std::string>& names) {
    if (names.empty()) return std::string();
    std::vector<std::string> made;
    for (const std::string& name : names) made.push_back(definitions_.find(name)->second.names[0]);
    return fmt::format("{} {}\n", word, fmt::join(made, ", "));
  };
  std::string comments;
  for (const std::string& name : order_) {
    const Definition& definition = definitions_.find(name)->second;
    const bool is_root = &definition == root("init") || &definition == root("step");
    const bool is_alias = name.starts_with("q::") && definition.expression != nullptr &&
                          !alias_of(*definition.expression).empty() && name != "q::inv";
    if (is_alias && !is_root) continue;
    try {
      if (&definition == root("init")) {
        if (!definition.is_action) throw QuintError(name + ": expected an action");
        require(name, Mode::initial);
      } else {
        require(name, Mode::step);
      }
    } catch (const QuintError& error) {
      if (is_root) throw;
      comments += fmt::format("\\* left out: {}\n", error.what());
    }
  }
  std::string assumptions;
  for (const Json* assumption : assumptions_) {
    assumptions += fmt::format("ASSUME {}\n", closed(*assumption));
  }
  std::replace(comments.begin(), comments.end(), '\t', ' ');
  const std::string declarations =
      declare_all("CONSTANT", constants_) + declare_all("VARIABLE", variables_);
  const std::string body =
      fmt::format("\n{}\n{}{}{}", declarations, written_, assumptions, comments);
  return fmt::format(
      "---- MODULE {} ----\n\\* Made from the Quint module of this name.\n"
      "EXTENDS Integers, Sequences, FiniteSets\n{}====\n",
      module_name_, with_helpers(body));
}

std::string quint_to_tla(const std::string& json, const std::string& path,
                         const std::string& main_module) {
  return translated(json, path, main_module).text;
}

bool is_quint(const std::string& path) {
  return path.ends_with(".json");
}

std::shared_ptr<const tla::Spec> load_specification(const std::string& path,
                                                    const tla::Config& config,
                                                    tla::SpecOptions options) {
  if (path.ends_with(".qnt")) {
    throw InputError(fmt::format(
        "{0}: expected Quint's JSON: quint compile --target=json {0} > {0}.json makes it", path));
  }
  if (!is_quint(path)) return tla::Spec::load(path, config, options);
  Translation made = translated(read_file(path, kQuintBytesMax), path, "");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string beside = (folder / (made.name + ".tla")).string();
  options.modules.emplace_back(made.name, std::move(made.text));
  // Quint's configuration need not name them: they are init and step.
  tla::Config with_behaviour = config;
  if (made.has_behaviour && !config.specification && !config.init && !config.next) {
    with_behaviour.init = tla::ConfigName{"Init", {}};
    with_behaviour.next = tla::ConfigName{"Next", {}};
  }
  return tla::Spec::load(beside, with_behaviour, options);
}

}  // namespace dissensus::conform
