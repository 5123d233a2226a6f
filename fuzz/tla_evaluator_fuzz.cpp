// A module from the input is linked and evaluated under small limits: its assumptions, initial
// states, some steps, its invariant Inv. Whatever it says, it ends soon, with a message at worst.
#include <memory>
#include <string>
#include <vector>

#include "fuzz.h"
#include "tla/evaluation/machine.h"

namespace {
using namespace dissensus;

constexpr std::size_t kStatesMax = 20;
constexpr std::size_t kTextMax = 4'096;

tla::MachineOptions limits() {
  tla::MachineOptions options;
  options.steps = 20'000;
  options.call_depth = 500;
  options.stack_bytes = std::size_t{16} << 20;
  options.store.bytes = std::size_t{64} << 20;
  options.store.set_elements = 10'000;
  return options;
}

std::vector<tla::State> initial_states(tla::Machine& machine) {
  std::vector<tla::State> states;
  const auto keep = [&](const tla::State& state) {
    states.push_back(state);
    return states.size() < kStatesMax;
  };
  fuzz::accepts([&] { machine.initial_states(keep); });
  return states;
}

void explore(tla::Machine& machine) {
  std::vector<tla::State> states = initial_states(machine);
  for (std::size_t at = 0; at < states.size(); ++at) {
    const tla::State state = states[at];
    std::size_t seen = 0;
    const auto keep = [&](const tla::Label&, const tla::State& next) {
      if (states.size() < kStatesMax) states.push_back(next);
      return ++seen < kStatesMax;
    };
    if (!machine.spec().config().invariants.empty()) {
      fuzz::accepts([&] { machine.invariant_holds(0, state); });
    }
    fuzz::accepts([&] { machine.fingerprint(state); });
    fuzz::accepts([&] { machine.successors(state, keep); });
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kTextMax) return 0;
  tla::SpecOptions options;
  const std::string body(fuzz::text_of(data, size));
  options.modules = {{"F", "---- MODULE F ----\nEXTENDS Integers, Sequences, FiniteSets, TLC\n" +
                               body + "\n====\n"}};
  tla::Config config;
  if (body.find("Inv ==") != std::string::npos) config.invariants.push_back({"Inv", {}});
  std::shared_ptr<const tla::Spec> spec;
  if (!fuzz::accepts([&] { spec = tla::Spec::load("F.tla", config, options); })) return 0;
  fuzz::accepts([&] {
    tla::Machine machine(spec, limits());
    fuzz::accepts([&] { machine.check_assumptions(); });
    if (spec->has_behaviour()) explore(machine);
  });
  return 0;
}
