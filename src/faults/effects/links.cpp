// Links that lose, repeat and reorder messages by chance.
#include <fmt/format.h>

#include "dissensus/random.h"

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

class Unreliable final : public Lasting {
 public:
  Unreliable(const LinkFault& fault, const Site& site)
      : Lasting(fault.when, site, Shown::fault), fault_(fault), random_(fault.seed, "links") {}

  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::links};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const sim::Transmission& sent = passage.sent;
    if (!is_active() || !senders_[sent.from] || !receivers_[sent.to]) return;
    if (!passage.copies.empty()) return;  // one fault makes copies of a message
    const bool is_once =
        passage.world.description().kinds[sent.message.kind()].loss == dissensus::Loss::resent;
    // Always the same number of draws: what happens to one message does not shift the next.
    const bool lost = random_.chance(fault_.loss);
    const bool twice = random_.chance(fault_.duplicate) && !is_once;
    const auto most = static_cast<std::uint64_t>(fault_.jitter.count()) + 1;
    const Duration late{static_cast<std::int64_t>(random_.below(most))};
    const Duration copy_late{static_cast<std::int64_t>(random_.below(most))};
    if (lost || twice || late > Duration{}) mark_();
    if (lost) passage.lose(DropReason::schedule);
    passage.doubled = passage.doubled || twice;
    passage.link_late += late;
    passage.double_late += copy_late;
  }

 protected:
  void begin(sim::World&) override {
    senders_ = table_of(actual(fault_.senders), nodes_);
    receivers_ = table_of(actual(fault_.receivers), nodes_);
  }
  void stop(sim::World&) override {}
  std::string text() const override {
    return fmt::format("links {} > {} unreliable", listed_nodes(fault_.senders),
                       listed_nodes(fault_.receivers));
  }

 private:
  LinkFault fault_;
  Random random_;
  std::vector<bool> senders_;
  std::vector<bool> receivers_;
};

Fault draw_links(Drawer& drawer, const Window& when) {
  LinkFault result;
  Random& random = drawer.random;
  const NodeSet all = other_nodes(kNoNode, drawer.nodes);
  const NodeSet order = drawer.ordered(when);
  result.senders = random.chance(0.5) ? all : NodeSet{order[0]};
  result.receivers = random.chance(0.5) ? all : NodeSet{order[1]};
  const std::uint64_t what = 1 + random.below(7);
  if ((what & 1) != 0) result.loss = drawer.share();
  if ((what & 2) != 0) result.duplicate = drawer.share();
  if ((what & 4) != 0) result.jitter = drawer.length() / 4;
  result.jitter = Drawer::whole(result.jitter);
  result.seed = random.next() >> 32;
  result.when = when;
  return result;
}

std::string words_of_links(const LinkFault& fault, const Speaker& say) {
  std::vector<std::string> parts;
  if (fault.loss > 0) parts.push_back(fmt::format("{:.3g} % are lost", fault.loss * 100));
  if (fault.duplicate > 0) {
    parts.push_back(fmt::format("{:.3g} % arrive twice", fault.duplicate * 100));
  }
  if (fault.jitter > Duration{}) {
    parts.push_back(fmt::format("each is up to {} late", in_words(fault.jitter)));
  }
  if (parts.empty()) parts.emplace_back("none is lost");
  return fmt::format("of the messages from {} to {} {}{} (seed {})",
                     listed(fault.senders, fault.when), listed(fault.receivers, fault.when),
                     listed(parts), say.when(fault.when), fault.seed);
}

}  // namespace

const FaultKind& LinkFault::kind() {
  static const FaultKind kKind =
      Declaration<LinkFault>("links")
          .part(
              make_nodes("senders", member<&LinkFault::senders>, {.missing = ListOf::Default::all}))
          .part(make_nodes("receivers", member<&LinkFault::receivers>,
                           {.missing = ListOf::Default::all}))
          .part(make_share("loss", member<&LinkFault::loss>))
          .part(make_share("duplicate", member<&LinkFault::duplicate>))
          .part(make_duration("jitter", member<&LinkFault::jitter>, {.weight = Weight::one_of}))
          .part(make_seed(member<&LinkFault::seed>))
          .part(make_window(member<&LinkFault::when>, {.may_wait = true}))
          .needs({.name = "links", .key = "type"})
          .drawn_as("links", draw_links)
          .said(words_of_links)
          .done<Unreliable>();
  return kKind;
}

void declare_links(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&LinkFault::kind()});
}

}  // namespace dissensus::faults
