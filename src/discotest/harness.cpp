#include "discotest/harness.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dissensus/random.h"

#include "discotest/case_scheduler.h"
#include "discotest/properties.h"
#include "faults/schedulers.h"
#include "search/genotype.h"
#include "search/measurement.h"
#include "sim/world.h"
#include "systems/xrpl/node.h"

namespace dissensus::discotest {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kTick = 1;
constexpr Duration kTickEvery = milliseconds(100);
/// The program looks at the number of deliveries once a second.
constexpr Duration kCapEvery = seconds(1);
/// Above the budget: one case without end must not go on for ever.
constexpr Duration kOverrunMax = std::chrono::hours(1);
constexpr xrpl::Drops kFeesPaidIn = 40;

/// The requests of one case, as the scenario's workload has them.
struct Pattern {
  const sim::Submission* pay_in = nullptr;
  std::vector<const sim::Submission*> payments;
};

const xrpl::PaymentRequest& payment_of(const sim::Submission& submission) {
  const auto* request = dynamic_cast<const xrpl::PaymentRequest*>(submission.request.get());
  if (request == nullptr) {
    throw InputError("the harness of DiscoTest needs payments: a scenario of the system xrpl");
  }
  return *request;
}

Pattern pattern_of(const run::Scenario& scenario) {
  Pattern pattern;
  for (const sim::Submission& submission : scenario.plan.submissions) {
    payment_of(submission);
    if (submission.at == Time{} && pattern.pay_in == nullptr) {
      pattern.pay_in = &submission;
    } else {
      pattern.payments.push_back(&submission);
    }
  }
  if (pattern.pay_in == nullptr || pattern.payments.empty()) {
    throw InputError(fmt::format(
        "{}: workload: the harness of DiscoTest needs one payment at 0s, which pays in, and others "
        "after it",
        scenario.path));
  }
  return pattern;
}

/// A network and the cases that it goes through.
class Harness final : public EventSink, public sim::Interposer {
 public:
  Harness(const run::Scenario& scenario, hunt::HuntParts& parts, const HarnessOptions& options,
          Duration budget, const std::function<bool(const std::string&)>& counts)
      : scenario_(scenario),
        parts_(parts),
        options_(options),
        budget_(budget),
        counts_(counts),
        pattern_(pattern_of(scenario)),
        plan_(scenario.plan),
        scheduler_(scenario.genes(), scenario.space.rate),
        measurement_(scenario, parts.wanted),
        keeps_sequence_(std::find(parts.objective_names.begin(), parts.objective_names.end(),
                                  "discotest-proposal") == parts.objective_names.end()) {
    plan_.submissions.clear();
    plan_.fault_phase_end.reset();
    plan_.limits.virtual_time = budget + kOverrunMax;
    plan_.limits.events = kEventsMax;
    plan_.limits.queue = 100'000'000;
    spent_ = options.start_up;
  }

  HarnessResult run(std::uint64_t seed) {
    for (std::uint64_t network = 0; !over_; ++network) {
      begin_network();
      sim::World world(plan_, *scenario_.system, derive_seed(seed, "network", network) >> 11, *this,
                       this, nullptr, memory_);
      world.run();
      spent_ += world.now() - Time{};
      now_ = Time{};
      if (options_.shared_network) break;
      spent_ += options_.restart;
    }
    const double spent = to_seconds(std::min(spent_, budget_));
    if (!result_.found) result_.seconds = spent;
    for (double& share : result_.shares) share /= static_cast<double>(result_.cases);
    return std::move(result_);
  }

  // ---- EventSink

  void on_event(const Event& event) override {
    now_ = event.time;
    properties_->on_event(event);
    if (stage_ == Stage::running && measured_.has(event.type)) measurement_.on_event(event);
  }

  // ---- Interposer

  void attach(sim::World& world) override { world.set_alarm(kTickEvery, kTick); }
  void on_send(sim::World& world, sim::Transmission&& transmission) override {
    scheduler_.pass(world, std::move(transmission));
  }
  void on_alarm(sim::World& world, std::uint64_t tag) override {
    if (tag == faults::kReleaseAlarm) {
      scheduler_.on_alarm(world);
      return;
    }
    now_ = world.now();
    tick(world);
    if (!stopped_) world.set_alarm(kTickEvery, kTick);
  }
  void on_round(sim::World&, NodeId, std::uint64_t) override {}
  void on_phase_end(sim::World&) override {}
  void detach(sim::World&) override {}
  void abandon() override { scheduler_.forget_all(); }

 private:
  enum class Stage : std::uint8_t { syncing, new_round, paying_in, running };

  static double to_seconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1e6;
  }

  void begin_network() {
    properties_.emplace(scenario_.system_description(), scenario_.nodes(), keeps_sequence_);
    stage_ = Stage::syncing;
    stopped_ = false;
    case_number_ = 0;
    paid_in_ = 0;
    received_ = 0;
  }

  void tick(sim::World& world) {
    if (properties_->take_silence(now_)) note(properties_->judge_silence());
    if (over_) return stop(world);
    switch (stage_) {
      case Stage::syncing:
        if (is_synced()) enter(Stage::new_round);
        break;
      case Stage::new_round:
        if (properties_->newest_round() > round_at_entry_) pay_in(world);
        break;
      case Stage::paying_in:
        if (everybody_validated()) begin_case(world);
        break;
      case Stage::running:
        follow_case(world);
        break;
    }
    if (over_) stop(world);
  }

  void enter(Stage stage) {
    stage_ = stage;
    round_at_entry_ = properties_->newest_round();
  }

  void stop(sim::World& world) {
    stopped_ = true;
    world.request_stop();
  }

  /// Nobody is more than a ledger behind the newest round.
  bool is_synced() const {
    for (std::size_t node = 0; node < scenario_.nodes(); ++node) {
      const std::uint64_t validated = properties_->validated_seq(static_cast<NodeId>(node));
      if (validated == 0 || validated + 2 <= properties_->newest_round()) return false;
    }
    return true;
  }

  void note_validated() {
    validated_before_.clear();
    for (std::size_t node = 0; node < scenario_.nodes(); ++node) {
      validated_before_.push_back(properties_->validated(static_cast<NodeId>(node)));
    }
  }
  bool everybody_validated() const {
    for (std::size_t node = 0; node < scenario_.nodes(); ++node) {
      if (properties_->validated(static_cast<NodeId>(node)) <= validated_before_[node]) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<const Request> request_of(const sim::Submission& submission, xrpl::Drops amount) {
    const xrpl::PaymentRequest& pattern = payment_of(submission);
    xrpl::Payment payment = pattern.payment();
    payment.amount = amount;
    // The sequence counters of the program go up by one with each case, whatever becomes of it.
    payment.sequence += case_number_;
    return std::make_shared<xrpl::PaymentRequest>(payment, pattern.from(), pattern.to());
  }

  /// Node 0 tells the payer's balance; what is missing for one payment and the reserve is paid in.
  void pay_in(sim::World& world) {
    const xrpl::Payment& one = payment_of(*pattern_.payments.front()).payment();
    const std::int64_t made = properties_->validated(0) - static_cast<std::int64_t>(paid_in_);
    const xrpl::Drops spent =
        static_cast<xrpl::Drops>(std::max<std::int64_t>(made, 0)) * one.amount;
    const xrpl::Drops lacking = spent + one.amount > received_ ? spent + one.amount - received_ : 0;
    received_ += lacking;
    ++paid_in_;
    note_validated();
    world.submit(pattern_.pay_in->node, request_of(*pattern_.pay_in, lacking + kFeesPaidIn));
    enter(Stage::paying_in);
  }

  void begin_case(sim::World& world) {
    if (is_budget_spent()) {
      over_ = true;
      return;
    }
    candidate_ = parts_.search->ask();
    schedule_ = search::to_schedule(candidate_->genotype, scenario_);
    properties_->begin_case(now_);
    measurement_.reset({}, now_);
    note_validated();
    case_start_ = now_;
    next_payment_ = 0;
    cap_checked_ = now_;
    signs_.clear();
    scheduler_.begin_case(world, schedule_);
    enter(Stage::running);
  }

  bool is_budget_spent() const {
    const Search& search = *parts_.search;
    const bool may_end = !search.completes_generations() || search.is_between_generations();
    return spent_ + (now_ - Time{}) >= budget_ && may_end;
  }

  void follow_case(sim::World& world) {
    while (next_payment_ < pattern_.payments.size() &&
           case_start_ + (pattern_.payments[next_payment_]->at - Time{}) <= now_) {
      const sim::Submission& submission = *pattern_.payments[next_payment_++];
      world.submit(submission.node,
                   request_of(submission, payment_of(submission).payment().amount));
    }
    if (next_payment_ < pattern_.payments.size()) return;
    // After a fork there is no success that all nodes see: the case goes on until it is cut.
    if (everybody_validated() && !properties_->has_fork()) return end_case(world, false);
    if (options_.deliveries == 0 || now_ - cap_checked_ < kCapEvery) return;
    cap_checked_ = now_;
    if (properties_->deliveries() >= options_.deliveries) end_case(world, true);
  }

  void end_case(sim::World& world, bool capped) {
    scheduler_.end_case(world);
    note(properties_->judge());
    ++result_.cases;
    result_.capped += capped ? 1 : 0;
    result_.case_seconds += to_seconds(now_ - case_start_);
    add_shares();
    for (const std::string& sign : signs_) ++result_.signs[sign];
    parts_.search->tell(*candidate_, evaluation(capped));
    ++case_number_;
    enter(Stage::syncing);
    // Where the budget is tested between cases, it is tested here, too, and not after a set-up.
    over_ = over_ || is_budget_spent();
    if (!options_.shared_network) stop(world);
  }

  /// Of this case, summed over cases until the end of the hunt.
  void add_shares() {
    const SystemDescription& description = scenario_.system_description();
    result_.shares.resize(description.payloads.size(), 0);
    std::uint64_t all = 0;
    for (const std::uint64_t count : properties_->delivered()) all += count;
    if (all == 0) return;
    for (std::size_t kind = 0; kind < description.kinds.size(); ++kind) {
      result_.shares[description.kinds[kind].payload] +=
          static_cast<double>(properties_->delivered()[kind]) / static_cast<double>(all);
    }
  }

  Evaluation evaluation(bool capped) {
    const SystemDescription& description = scenario_.system_description();
    run::RunResult end;
    end.end = now_;
    // What the program itself counts stands in the place of what is measured elsewhere.
    summary_ = measurement_.summarize(end);
    summary_.capped = capped;
    summary_.duration = now_ - case_start_;
    summary_.nodes = scenario_.nodes();
    summary_.sent = properties_->delivered();
    summary_.observed_max.assign(description.observables.size(), 0);
    summary_.observed_max[static_cast<std::size_t>(xrpl::Observable::max_propose_seq)] =
        properties_->highest_sequence();
    summary_.observed_max[static_cast<std::size_t>(xrpl::Observable::bow_outs)] =
        static_cast<std::int64_t>(properties_->bow_outs());
    Evaluation result;
    for (const auto& objective : parts_.objectives) {
      result.objectives.push_back(objective->score(summary_, schedule_));
    }
    result.virtual_seconds = to_seconds(summary_.duration);
    return result;
  }

  /// Signs of a silence between cases belong to no case.
  void note(const std::vector<std::string>& shown) {
    for (const std::string& sign : shown) {
      if (std::find(signs_.begin(), signs_.end(), sign) == signs_.end()) signs_.push_back(sign);
      if (result_.found || !counts_(sign)) continue;
      result_.found = true;
      result_.signature = sign;
      result_.seconds = to_seconds(spent_ + (now_ - Time{}));
      over_ = true;
    }
  }

  const run::Scenario& scenario_;
  hunt::HuntParts& parts_;
  HarnessOptions options_;
  Duration budget_;
  const std::function<bool(const std::string&)>& counts_;
  Pattern pattern_;
  sim::WorldPlan plan_;
  sim::WorldMemory memory_;
  CaseScheduler scheduler_;
  search::Measurement measurement_;
  EventMask measured_ = measurement_.wants();
  bool keeps_sequence_;
  std::optional<Properties> properties_;
  HarnessResult result_;
  Duration spent_{};  ///< before the network that is running
  Time now_{};
  Stage stage_ = Stage::syncing;
  bool over_ = false;     ///< the hunt
  bool stopped_ = false;  ///< the network
  std::uint64_t round_at_entry_ = 0;
  std::uint32_t case_number_ = 0;
  std::uint64_t paid_in_ = 0;  ///< how often
  xrpl::Drops received_ = 0;   ///< without fees
  std::vector<std::int64_t> validated_before_;
  std::optional<Candidate> candidate_;
  faults::Schedule schedule_;
  RunSummary summary_;
  Time case_start_{};
  Time cap_checked_{};
  std::size_t next_payment_ = 0;
  std::vector<std::string> signs_;  ///< of the case
};

}  // namespace

HarnessOptions read_harness(const Options& options) {
  HarnessOptions result;
  constexpr std::array<std::string_view, 2> kNetworks{"shared", "fresh"};
  result.shared_network = options.choice("network", kNetworks, std::size_t{0}) == 0;
  result.deliveries = static_cast<std::uint64_t>(
      options.integer("deliveries", static_cast<std::int64_t>(result.deliveries), 0, 1'000'000));
  result.start_up = options.duration("start_up", result.start_up);
  result.restart = options.duration("restart", result.restart);
  return result;
}

std::string to_string(const HarnessOptions& options) {
  return fmt::format("{} network, {} deliveries, start-up {}, restart {}",
                     options.shared_network ? "shared" : "fresh", options.deliveries,
                     dissensus::to_string(options.start_up), dissensus::to_string(options.restart));
}

void check_scenario(const run::Scenario& scenario) {
  pattern_of(scenario);
}

HarnessResult run_harness(const run::Scenario& scenario, hunt::HuntParts& parts,
                          const HarnessOptions& options, Duration budget, std::uint64_t seed,
                          const std::function<bool(const std::string&)>& counts) {
  return Harness(scenario, parts, options, budget, counts).run(seed);
}

}  // namespace dissensus::discotest
