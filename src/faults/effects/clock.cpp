// Clocks that are wrong.
#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

class Skew final : public Lasting {
 public:
  Skew(const SkewFault& fault, const Site& site)
      : Lasting(fault.when, site, fault.when.after ? Shown::fault : Shown::nothing), fault_(fault) {
    begins_at_once_ = knows_its_end_ = !waits();
  }
  Turn turn() const override { return waits() ? Turn::environment : Turn::clock; }

 protected:
  Rounds rounds() const override { return Rounds::of_one; }
  NodeId follows() const override { return fault_.node; }
  void begin(sim::World& world) override {
    world.adjust_clock(actual(fault_.node), fault_.offset, fault_.drift_ppm);
    if (fault_.offset != Duration{} || fault_.drift_ppm != 0) mark_();
  }
  /// What the drift has added goes with it.
  void stop(sim::World& world) override {
    __extension__ using Wide = __int128;
    const Wide drifted =
        static_cast<Wide>((world.now() - since_).count()) * fault_.drift_ppm / 1'000'000;
    world.adjust_clock(actual(fault_.node),
                       -fault_.offset - Duration{static_cast<std::int64_t>(drifted)},
                       -fault_.drift_ppm);
  }
  std::string text() const override {
    return fmt::format("clock of {} wrong", actual(fault_.node));
  }

 private:
  SkewFault fault_;
};

Fault draw_skew(Drawer& drawer, const Window& when) {
  SkewFault result;
  result.node = drawer.node(when);
  const std::int64_t sign = drawer.random.chance(0.5) ? 1 : -1;
  if (drawer.random.chance(0.5)) {
    result.offset = sign * drawer.length();
  } else {
    const auto thousands = static_cast<std::int64_t>(1 + drawer.random.below(400));
    result.drift_ppm = static_cast<std::int32_t>(sign * 1000 * thousands);
  }
  result.when = when;
  return result;
}

std::string words_of_skew(const SkewFault& fault, const Speaker& say) {
  std::vector<std::string> parts;
  if (fault.offset > Duration{}) parts.push_back("is " + in_words(fault.offset) + " ahead");
  if (fault.offset < Duration{}) parts.push_back("is " + in_words(-fault.offset) + " behind");
  if (fault.drift_ppm != 0) parts.push_back(fmt::format("drifts by {} ppm", fault.drift_ppm));
  if (parts.empty()) parts.emplace_back("is right");
  return fmt::format("the clock of node {} {}{}", node_words(fault.node, fault.when), listed(parts),
                     say.when(fault.when));
}

}  // namespace

const FaultKind& SkewFault::kind() {
  static const FaultKind kKind =
      Declaration<SkewFault>("skew")
          .part(make_node("node", member<&SkewFault::node>))
          .part(make_duration("offset", member<&SkewFault::offset>,
                              {.weight = Weight::one_of, .may_be_negative = true}))
          .part(make_integer("drift_ppm", member<&SkewFault::drift_ppm>, -500'000, 500'000))
          .part(make_window(member<&SkewFault::when>, {.may_wait = true}))
          .needs({.name = "skew", .key = "type", .needs = {Offer::clock}, .instead = "pause"})
          .drawn_as("clocks", draw_skew)
          .said(words_of_skew)
          .done<Skew>();
  return kKind;
}

void declare_clock(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&SkewFault::kind()});
}

}  // namespace dissensus::faults
