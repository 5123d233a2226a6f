// The one engine that carries out the faults of a schedule: it makes their effects, asks them about
// each message in the order of the road (effect.h), and tells them what happens in the run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "faults/acted.h"
#include "faults/effect.h"
#include "faults/priority_inbox.h"
#include "faults/schedule_interposer.h"

namespace dissensus::faults {

class Engine : public FaultInterposer {
 public:
  /// `faults` outlives the engine.
  Engine(const std::vector<Fault>& faults, std::size_t nodes, std::size_t bystanders);

  std::vector<std::size_t> idle_faults(sim::World& world) final;

 protected:
  /// A message that survived, and is so much later, goes on to the scheduler.
  virtual void pass_on(sim::World& world, HeldTransmission&& held) = 0;

  bool sees_messages() const { return sees_messages_; }
  bool has_ended() const { return ended_; }
  void attach_effects(sim::World& world);
  void cross(sim::World& world, sim::Transmission&& transmission);
  void on_alarm(sim::World& world, std::uint64_t tag) override;
  void on_round(sim::World& world, NodeId node, std::uint64_t round) final;
  void on_phase(sim::World& world, NodeId node, std::uint32_t phase) final;
  void end_effects(sim::World& world);
  void forget_messages();

 private:
  struct Step {
    Effect* effect;
    Station station;
    bool drops;  ///< what was lost so far gets no further
  };

  void make_road();
  bool go_along(const std::vector<Step>& steps, Passage& passage);
  void go_on(sim::World& world, sim::Transmission&& transmission);
  void go_to_copies(sim::World& world, sim::Transmission&& transmission);

  Acted acted_;
  std::vector<std::unique_ptr<Effect>> effects_;
  std::vector<Step> road_;
  std::vector<Step> road_of_copies_;
  Effect* divider_ = nullptr;  ///< null: nobody exists twice
  std::vector<Effect*> told_;  ///< in the order of their turns
  std::vector<Duration> copies_;
  bool sees_messages_ = false;
  bool ended_ = false;
};

}  // namespace dissensus::faults
