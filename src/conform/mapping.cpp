#include "conform/mapping.h"

#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "core/file.h"
#include "tla/syntax/ast.h"

namespace dissensus::conform {
namespace {

constexpr std::size_t kMappingBytesMax = std::size_t{1} << 20;

MappedText mapped(const OptionValue& value) {
  return {value.text(), value};
}

std::optional<MappedText> find_mapped(const Options& options, std::string_view key) {
  const auto value = options.find(key);
  if (!value) return std::nullopt;
  return mapped(*value);
}

std::vector<MappedText> text_or_list(const OptionValue& value) {
  if (value.is_text()) return {mapped(value)};
  std::vector<MappedText> texts;
  for (const OptionValue& one : value.list()) texts.push_back(mapped(one));
  return texts;
}

MappingInput read_input(const std::string& name, const OptionValue& value) {
  const Options options = value.table();
  MappingInput input{name, options.text("sets", ""), 0,  0,
                     true, options.text("unit", ""), {}, value};
  const OptionValue from = options.at("from");
  const OptionValue to = options.at("to");
  input.is_whole = from.is_integer() && to.is_integer();
  input.from = from.number();
  input.to = to.number(input.from);
  if (const auto usual = options.find("usual")) input.usual = usual->number(input.from, input.to);
  options.finish();
  return input;
}

MappingEvent read_event(const Options& options, bool is_stable) {
  MappingEvent event{options.at("name").text(),
                     {},
                     find_mapped(options, "when"),
                     find_mapped(options, "until"),
                     options.boolean("stable", is_stable),
                     options.at("name")};
  const bool is_stutter = options.boolean("stutter", false);
  if (const auto is = options.find("is")) {
    event.actions = text_or_list(*is);
    if (is_stutter || event.actions.empty()) is->fail("either actions or stutter = true");
  } else if (!is_stutter) {
    options.fail("is", "expected the action that this event is, or stutter = true");
  }
  options.finish();
  return event;
}

MappingStep read_step(const Options& options) {
  MappingStep step{options.at("name").text(), {}};
  if (const auto arguments = options.find("arguments")) {
    for (const OptionValue& argument : arguments->list()) step.arguments.push_back(argument.text());
  }
  options.finish();
  return step;
}

MappingView read_view(const Options& options) {
  static constexpr std::array<std::string_view, 4> kCompare{"equal", "subset", "superset",
                                                            "prefix"};
  MappingView view{options.at("name").text(), mapped(options.at("model")),
                   mapped(options.at("implementation")),
                   static_cast<MappingView::Compare>(options.choice("compare", kCompare, 0)),
                   find_mapped(options, "when")};
  options.finish();
  return view;
}

/// "Receive(p, q, r)": the action's name and names for its arguments.
void read_pattern(const OptionValue& value, MappingReplay& replay) {
  const auto source = std::make_shared<const tla::Source>(tla::Source{"replay", value.text()});
  tla::ExpressionPtr pattern;
  try {
    pattern = tla::parse_expression(source);
  } catch (const tla::SpecError& error) {
    value.fail(error.message());
  }
  if (pattern->syntax != tla::Syntax::apply) value.fail("expected an action such as Receive(p, q)");
  for (const tla::PathPart& part : pattern->path) replay.action += part.name + "!";
  replay.action += pattern->name;
  for (const tla::ExpressionPtr& operand : pattern->operands) {
    if (operand->syntax != tla::Syntax::apply || !operand->operands.empty()) {
      value.fail("expected plain names for the arguments, as in Receive(p, q)");
    }
    replay.parameters.push_back(operand->name);
  }
}

MappingReplay read_replay(const Options& options) {
  MappingReplay replay{"", {}, {}, "", {}, {}, {}, {}, {}, options.at("action")};
  read_pattern(replay.at, replay);
  using Command = MappingReplay::Command;
  int commands = 0;
  const auto choose = [&](Command command) {
    replay.command = command;
    ++commands;
  };
  if (const auto kind = options.find("deliver")) {
    choose(Command::deliver);
    replay.kind = kind->text();
    replay.node = mapped(options.at("to"));
    replay.from = find_mapped(options, "from");
    if (const auto where = options.find("where")) {
      const Options fields = where->table();
      for (const std::string& field : fields.keys()) {
        replay.where.emplace_back(field, mapped(fields.at(field)));
      }
    }
  }
  if (const auto tag = options.find("timer")) {
    choose(Command::timer);
    replay.tag = mapped(*tag);
    replay.node = mapped(options.at("node"));
  }
  if (const auto request = options.find("submit")) {
    choose(Command::submit);
    replay.request = *request;
    replay.node = mapped(options.at("node"));
  }
  for (const auto& [key, command] :
       {std::pair{"crash", Command::crash}, std::pair{"restart", Command::restart}}) {
    if (const auto node = options.find(key)) {
      choose(command);
      replay.node = mapped(*node);
    }
  }
  if (options.boolean("nothing", false)) choose(Command::nothing);
  if (commands != 1) {
    options.fail("action", "expected one of deliver, timer, submit, crash, restart and nothing");
  }
  options.finish();
  return replay;
}

std::string beside(const std::string& mapping, const std::string& file) {
  const std::filesystem::path path(file);
  if (path.is_absolute()) return file;
  return (std::filesystem::path(mapping).parent_path() / path).lexically_normal().string();
}

void read_tables(const Options& options, Mapping& mapping) {
  const Options constants = options.table("constants");
  for (const std::string& name : constants.keys()) {
    mapping.constants.emplace_back(name, constants.at(name).text());
  }
  const Options inputs = options.table("inputs");
  for (const std::string& name : inputs.keys()) {
    mapping.inputs.push_back(read_input(name, inputs.at(name)));
  }
  const Options abstraction = options.table("abstraction");
  for (const std::string& variable : abstraction.keys()) {
    mapping.abstraction.emplace_back(variable, mapped(abstraction.at(variable)));
  }
  const Options weights = options.table("weights");
  for (const std::string& action : weights.keys()) {
    const OptionValue weight = weights.at(action);
    mapping.weights.push_back({action, weight.number(0), weight});
  }
  if (const auto coverage = options.find("coverage")) {
    const Options table = coverage->table();
    for (const OptionValue& guard : table.at("implied").list()) {
      mapping.implied_guards.push_back(guard.text());
    }
    table.finish();
  }
  if (const auto mutation = options.find("mutation")) {
    const Options table = mutation->table();
    mapping.mutation.delete_key = table.at("delete").text();
    mapping.mutation.negate_key = table.at("negate").text();
    for (const OptionValue& guard : table.at("guards").list()) {
      mapping.mutation.guards.push_back(guard.text());
    }
    const auto pairs = [](const Options& pairs_of) {
      std::vector<std::pair<std::string, std::string>> read;
      for (const std::string& key : pairs_of.keys())
        read.emplace_back(key, pairs_of.at(key).text());
      return read;
    };
    for (const Options& setup : table.tables("setup")) {
      mapping.mutation.setups.push_back({setup.at("name").text(), pairs(setup.table("settings")),
                                         pairs(setup.table("constants"))});
      setup.finish();
    }
    table.finish();
  }
}

}  // namespace

Mapping parse_mapping(std::string_view text, const std::string& path) {
  const Options options = Options::from_toml(text, path);
  Mapping mapping;
  mapping.path = path;
  const OptionValue format = options.at("format");
  if (format.text() != kMappingFormat) {
    format.fail(fmt::format("expected \"{}\"", kMappingFormat));
  }
  mapping.name = options.text("name", std::filesystem::path(path).stem().string());
  for (const Options& step : options.tables("step")) mapping.steps.push_back(read_step(step));
  if (mapping.steps.empty() || options.find("scenario")) {
    mapping.scenario = beside(path, options.at("scenario").text());
  }
  mapping.spec = beside(path, options.at("spec").text());
  if (const auto config = options.find("config")) mapping.config = beside(path, config->text());
  read_tables(options, mapping);
  const bool is_stable = options.boolean("stable", false);
  for (const Options& event : options.tables("event")) {
    mapping.events.push_back(read_event(event, is_stable));
  }
  for (const Options& hidden : options.tables("hidden")) {
    mapping.hidden.push_back({hidden.at("action").text(),
                              static_cast<std::uint32_t>(hidden.integer("most", 1, 1, 16)),
                              hidden.at("action")});
    hidden.finish();
  }
  for (const Options& view : options.tables("view")) mapping.views.push_back(read_view(view));
  for (const Options& history : options.tables("history")) {
    mapping.histories.push_back(
        {history.at("name").text(), mapped(history.at("starts")), mapped(history.at("becomes"))});
    history.finish();
  }
  if (const auto properties = options.find("properties")) {
    mapping.properties = text_or_list(*properties);
  }
  for (const Options& replay : options.tables("replay")) {
    mapping.replays.push_back(read_replay(replay));
  }
  if (const auto automatic = options.find("automatic")) {
    for (const OptionValue& kind : automatic->list()) {
      mapping.automatic.emplace_back(kind.text(), kind);
    }
  }
  mapping.swarm = options.boolean("swarm", true);
  options.finish();
  if (mapping.events.empty()) options.fail("event", "expected at least one [[event]]");
  return mapping;
}

std::size_t varied_inputs(const Mapping& mapping) {
  std::size_t count = 0;
  for (const MappingInput& input : mapping.inputs) count += input.usual ? 0 : 1;
  return count;
}

Mapping load_mapping(const std::string& path) {
  return parse_mapping(read_file(path, kMappingBytesMax), path);
}

}  // namespace dissensus::conform
