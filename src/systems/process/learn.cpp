#include "systems/process/learn.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/event.h"
#include "sim/world.h"
#include "systems/process/message.h"

namespace dissensus::process {

namespace {

// A program may put anything into its types; what is learned stays small.
constexpr std::size_t kKindsMax = 32;
constexpr std::size_t kFieldsMax = 16;
constexpr std::size_t kNameMax = 40;
constexpr std::uint64_t kLearnEventsMax = 20'000;
constexpr Duration kLearnTimeMax = std::chrono::seconds(10);

/// Which sorts of JSON values a field was seen with, as bits.
constexpr unsigned kFlag = 1;
constexpr unsigned kWhole = 2;
constexpr unsigned kFraction = 4;
constexpr unsigned kNode = 8;
constexpr unsigned kNodes = 16;
constexpr unsigned kElse = 32;

unsigned sort_of(const nlohmann::json& value, const Settings& settings) {
  const auto is_node = [&settings](const nlohmann::json& item) {
    return item.is_string() && node_named(settings, item.get_ref<const std::string&>()) != kNoNode;
  };
  if (value.is_null()) return 0;
  if (value.is_boolean()) return kFlag;
  if (value.is_number_integer()) return kWhole;
  if (value.is_number()) return kFraction;
  if (is_node(value)) return kNode;
  if (value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), is_node)) {
    return kNodes;
  }
  // An empty list says nothing about what is listed.
  return value.is_array() && value.empty() ? 0 : kElse;
}

/// What a whole number means is in its name, if anywhere.
SemanticType meaning_of(std::string_view name) {
  struct Hint {
    std::string_view part;
    SemanticType type;
  };
  static constexpr std::array<Hint, 20> kHints{{
      {"term", SemanticType::round},      {"round", SemanticType::round},
      {"view", SemanticType::round},      {"epoch", SemanticType::round},
      {"ballot", SemanticType::round},    {"index", SemanticType::sequence},
      {"idx", SemanticType::sequence},    {"seq", SemanticType::sequence},
      {"offset", SemanticType::sequence}, {"commit", SemanticType::sequence},
      {"match", SemanticType::sequence},  {"prev", SemanticType::sequence},
      {"next", SemanticType::sequence},   {"version", SemanticType::sequence},
      {"slot", SemanticType::sequence},   {"time", SemanticType::time},
      {"deadline", SemanticType::time},   {"amount", SemanticType::amount},
      {"delta", SemanticType::amount},    {"value", SemanticType::value},
  }};
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  // The last word counts: "last_log_term" is a term.
  const Hint* found = nullptr;
  std::size_t place = 0;
  for (const Hint& hint : kHints) {
    const std::size_t at = small.rfind(hint.part);
    if (at == std::string::npos || (found != nullptr && at < place)) continue;
    found = &hint;
    place = at;
  }
  return found == nullptr ? SemanticType::number : found->type;
}

SemanticType type_of(std::string_view name, unsigned sorts) {
  switch (sorts) {
    case kFlag:
      return SemanticType::boolean;
    case kWhole:
      return meaning_of(name);
    case kFraction:
    case kFraction | kWhole:
      return SemanticType::number;
    case kNode:
      return SemanticType::node;
    case kNodes:
      return SemanticType::node_set;
    default:
      return SemanticType::value;
  }
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameMax &&
         std::all_of(text.begin(), text.end(), [](unsigned char letter) {
           return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == '.';
         });
}

class Listener final : public EventSink {
 public:
  Listener(const SystemDescription& description, const Settings& settings)
      : description_(description), settings_(settings) {}

  EventMask wants() const override {
    return EventMask().with(EventType::send).with(EventType::broken);
  }
  void on_event(const Event& event) override {
    if (event.type == EventType::broken && event.detail < kProgramInvariants) is_broken_ = true;
    if (event.type != EventType::send || event.message->kind() != kOther) return;
    // Broadcasts are one text to many.
    const std::string& text = *event.message->get<ProcessMessage>()->body;
    if (text == last_) return;
    last_ = text;
    hear(nlohmann::json::parse(text));
  }

  bool is_broken() const { return is_broken_; }

  std::vector<DeclaredMessage> messages() const {
    std::vector<DeclaredMessage> result;
    for (const auto& [type, fields] : seen_) {
      DeclaredMessage& message = result.emplace_back(DeclaredMessage{type, {}});
      for (const auto& [name, sorts] : fields) {
        message.fields.push_back({name, type_of(name, sorts), true});
      }
    }
    return result;
  }

 private:
  void hear(const nlohmann::json& body) {
    const auto type = body.find("type");
    if (type == body.end() || !type->is_string()) return;
    const auto& name = type->get_ref<const std::string&>();
    if (!is_name(name) || description_.find_kind(name) != kNoKind) return;
    if (seen_.size() >= kKindsMax && !seen_.contains(name)) return;
    std::map<std::string, unsigned>& fields = seen_[name];
    for (const auto& [key, value] : body.items()) {
      // Who answers whom is the protocol's business; a liar who changes it is merely not heard.
      if (key == "type" || key == "msg_id" || key == "in_reply_to" || key == "body") continue;
      if (!is_name(key) || (fields.size() >= kFieldsMax && !fields.contains(key))) continue;
      fields[key] |= sort_of(value, settings_);
    }
  }

  const SystemDescription& description_;
  const Settings& settings_;
  std::map<std::string, std::map<std::string, unsigned>> seen_;  ///< sorts, by type and field
  std::string last_;
  bool is_broken_ = false;
};

sim::WorldPlan plan_of(const System& system, const Settings& settings) {
  sim::WorldPlan plan;
  plan.nodes = system.node_count();
  for (std::size_t node = 0; node < plan.nodes; ++node) {
    plan.peers.push_back(system.links_of(static_cast<NodeId>(node)));
  }
  sim::LinkModel& link = plan.models.emplace_back();
  link.latency = {sim::Latency::Kind::uniform, std::chrono::milliseconds(1),
                  std::chrono::milliseconds(10)};
  plan.link_model.assign(plan.nodes * plan.nodes, 0);
  plan.limits.events = kLearnEventsMax;
  plan.limits.virtual_time = kLearnTimeMax;
  if (settings.workload) {
    plan.limits.virtual_time = std::min(kLearnTimeMax, settings.workload->until);
  }
  return plan;
}

}  // namespace

std::vector<DeclaredMessage> learn_messages(const System& system, const Settings& settings) {
  const sim::WorldPlan plan = plan_of(system, settings);
  Listener listener(system.description(), settings);
  sim::WorldMemory memory;
  try {
    for (std::uint64_t seed = 1; seed <= settings.learn && !listener.is_broken(); ++seed) {
      sim::World world(plan, system, seed, listener, nullptr, nullptr, memory);
      while (!listener.is_broken() &&
             world.run(world.last_event() + 1) == sim::StopReason::event_reached) {
      }
    }
  } catch (const InputError&) {
    return {};
  } catch (const OutsideError&) {
    return {};
  }
  return listener.messages();
}

}  // namespace dissensus::process
