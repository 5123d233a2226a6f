#include "faults/engine.h"

#include <algorithm>
#include <utility>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

void record_duplicate(sim::World& world, const sim::Transmission& transmission) {
  world.record(EventType::duplicate, transmission.from, transmission.to, 0, {}, transmission.send,
               &transmission.message);
}

}  // namespace

Engine::Engine(const std::vector<Fault>& faults, std::size_t nodes, std::size_t bystanders)
    : acted_(faults.size()) {
  Site site(acted_, nodes, bystanders, effects_);
  for (; site.number < faults.size(); ++site.number) {
    const Fault& fault = faults[site.number];
    if (auto effect = fault.kind().effect(fault.value(), site)) {
      effects_.push_back(std::move(effect));
    }
  }
  for (std::size_t id = 0; id < effects_.size(); ++id) {
    Effect& effect = *effects_[id];
    effect.id_ = static_cast<std::uint32_t>(id);
    if (effect.turn() != Turn::nobody) told_.push_back(&effect);
    if (effect.divides()) divider_ = &effect;
  }
  std::stable_sort(told_.begin(), told_.end(),
                   [](const Effect* a, const Effect* b) { return a->turn() < b->turn(); });
  make_road();
}

void Engine::make_road() {
  const auto add_all = [this](Station station, std::vector<Step>& steps) {
    for (const auto& effect : effects_) {
      const std::span<const Station> stations = effect->stations();
      if (std::find(stations.begin(), stations.end(), station) == stations.end()) continue;
      steps.push_back({effect.get(), station, false});
    }
  };
  for (std::size_t i = 0; i < kRoad.size(); ++i) {
    add_all(kRoad[i].station, road_);
    const bool next_sees_lost = i + 1 < kRoad.size() && kRoad[i + 1].lost_too;
    if (!road_.empty() && !next_sees_lost) road_.back().drops = true;
  }
  for (const Station station : kRoadOfCopies) add_all(station, road_of_copies_);
  if (!road_of_copies_.empty()) road_of_copies_.back().drops = true;
  sees_messages_ = !road_.empty() || !road_of_copies_.empty() || divider_ != nullptr;
}

// ---- messages

bool Engine::go_along(const std::vector<Step>& steps, Passage& passage) {
  for (const Step& step : steps) {
    if (step.effect->awake_) step.effect->meet(passage, step.station);
    if (!step.drops || !passage.lost) continue;
    passage.world.drop(passage.sent, passage.reason);
    return false;
  }
  return true;
}

void Engine::cross(sim::World& world, sim::Transmission&& transmission) {
  Passage passage(world, transmission, copies_);
  if (!go_along(road_, passage)) return;
  if (divider_ == nullptr) {
    go_on(world, std::move(transmission));
  } else {
    go_to_copies(world, std::move(transmission));
  }
  if (!passage.replay) return;
  record_duplicate(world, *passage.replay);
  go_on(world, std::move(*passage.replay));
}

void Engine::go_to_copies(sim::World& world, sim::Transmission&& transmission) {
  const Copies copies = divider_->divide(transmission);
  if (copies.second == kNoNode) {
    go_on(world, std::move(transmission));
    return;
  }
  sim::Transmission to_twin = transmission;
  to_twin.to_twin = copies.second;
  if (copies.first) {
    go_on(world, std::move(transmission));
    record_duplicate(world, to_twin);
  }
  go_on(world, std::move(to_twin));
}

void Engine::go_on(sim::World& world, sim::Transmission&& transmission) {
  if (road_of_copies_.empty()) {
    pass_on(world, {std::move(transmission), Duration{}});
    return;
  }
  copies_.clear();
  Passage passage(world, transmission, copies_);
  if (!go_along(road_of_copies_, passage)) return;
  const Duration late = passage.late;
  if (passage.doubled) {
    record_duplicate(world, transmission);
    pass_on(world, {transmission, late + passage.double_late});
  }
  if (copies_.empty()) {
    pass_on(world, {std::move(transmission), late + passage.link_late});
    return;
  }
  // The original first: a copy without gap arrives right behind it.
  pass_on(world, {transmission, late});
  for (const Duration gap : copies_) {
    record_duplicate(world, transmission);
    pass_on(world, {transmission, late + gap});
  }
}

// ---- what the world tells

void Engine::attach_effects(sim::World& world) {
  for (Effect* const effect : told_) effect->attach(world);
}

void Engine::on_alarm(sim::World& world, std::uint64_t tag) {
  if (ended_) return;
  effects_[tag / Effect::kAlarms]->on_alarm(world, static_cast<unsigned>(tag % Effect::kAlarms));
}

void Engine::on_round(sim::World& world, NodeId node, std::uint64_t round) {
  if (ended_) return;
  for (Effect* const effect : told_) effect->on_round(world, node, round);
}

void Engine::on_phase(sim::World& world, NodeId node, std::uint32_t phase) {
  if (ended_) return;
  for (Effect* const effect : told_) effect->on_phase(world, node, phase);
}

void Engine::end_effects(sim::World& world) {
  if (ended_) return;
  ended_ = true;
  std::stable_sort(told_.begin(), told_.end(), [](const Effect* a, const Effect* b) {
    return std::pair(a->turn(), a->order_of_end()) < std::pair(b->turn(), b->order_of_end());
  });
  for (Effect* const effect : told_) effect->end(world);
  forget_messages();
}

void Engine::forget_messages() {
  for (const auto& effect : effects_) effect->forget();
}

std::vector<std::size_t> Engine::idle_faults(sim::World& world) {
  for (const auto& effect : effects_) effect->conclude(world);
  return acted_.idle();
}

}  // namespace dissensus::faults
