// Messages chosen by sender, receiver and kind: lost, doubled, late.
#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

/// Which messages, when, and how many more.
template <class Known>
class OfMessages : public Effect {
 public:
  OfMessages(const Known& fault, const Site& site)
      : span_(fault.when), mark_(site), left_(fault.count), filter_(fault.messages) {}

 protected:
  bool applies(const Passage& passage) const {
    const sim::Transmission& sent = passage.sent;
    if (left_ && *left_ == 0) return false;
    if (filter_.from && *filter_.from != sent.from) return false;
    if (filter_.to && *filter_.to != sent.to) return false;
    if (filter_.kind && *filter_.kind != sent.message.kind()) return false;
    return span_.contains(passage.world, sent.from);
  }
  void use() {
    if (left_) --*left_;
    mark_();
  }

 private:
  Span span_;
  Mark mark_;
  std::optional<std::uint32_t> left_;
  MessageFilter filter_;
};

class Loss final : public OfMessages<DropFault> {
 public:
  using OfMessages::OfMessages;
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::drop};
    return kStations;
  }
  /// The first fault that matches uses up one of its count.
  void meet(Passage& passage, Station) override {
    if (passage.lost || !applies(passage)) return;
    use();
    passage.lose(DropReason::schedule);
  }
};

class Lateness final : public OfMessages<DelayFault> {
 public:
  Lateness(const DelayFault& fault, const Site& site) : OfMessages(fault, site), by_(fault.by) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::delay};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    if (!applies(passage)) return;
    use();
    passage.late += by_;
  }

 private:
  Duration by_;
};

class Duplication final : public OfMessages<DuplicateFault> {
 public:
  Duplication(const DuplicateFault& fault, const Site& site)
      : OfMessages(fault, site), gap_(fault.gap) {}
  std::span<const Station> stations() const override {
    static constexpr std::array kStations{Station::copy};
    return kStations;
  }
  void meet(Passage& passage, Station) override {
    const auto& kinds = passage.world.description().kinds;
    if (!applies(passage) || kinds[passage.sent.message.kind()].loss == dissensus::Loss::resent)
      return;
    use();
    passage.copies.push_back(gap_);
  }

 private:
  Duration gap_;
};

/// ", at most 3".
std::string words_of_limit(const std::optional<std::uint32_t>& count) {
  return count ? fmt::format(", at most {}", *count) : "";
}

std::optional<Obstacle> second_copy(const DuplicateFault& fault,
                                    const SystemDescription& description) {
  const auto& kind = fault.messages.kind;
  if (!kind || description.kinds.at(*kind).loss != dissensus::Loss::resent) return std::nullopt;
  return Obstacle{"message",
                  fmt::format("'duplicate' is not possible: receivers pass over a second {}, as "
                              "over all pieces of connections; possible: datagrams, or delay",
                              description.kinds.at(*kind).name)};
}

}  // namespace

const FaultKind& DropFault::kind() {
  static const FaultKind kKind =
      Declaration<DropFault>("drop")
          .part(make_filter(member<&DropFault::messages>))
          .part(make_window(member<&DropFault::when>, {}))
          .part(make_count(member<&DropFault::count>))
          .needs({.name = "drop", .key = "type"})
          .said_of_messages([](const DropFault& fault) {
            return " are lost" + words_of(fault.when) + words_of_limit(fault.count);
          })
          .done<Loss>();
  return kKind;
}

const FaultKind& DelayFault::kind() {
  static const FaultKind kKind =
      Declaration<DelayFault>("delay")
          .part(make_filter(member<&DelayFault::messages>))
          .part(make_window(member<&DelayFault::when>, {}))
          .part(make_count(member<&DelayFault::count>))
          .part(make_duration("by", member<&DelayFault::by>,
                              {.weight = Weight::essential, .required = true, .label = "late by"}))
          .needs({.name = "delay", .key = "type"})
          .said_of_messages([](const DelayFault& fault) {
            return fmt::format(" are {} late{}{}", in_words(fault.by), words_of(fault.when),
                               words_of_limit(fault.count));
          })
          .done<Lateness>();
  return kKind;
}

const FaultKind& DuplicateFault::kind() {
  static const FaultKind kKind =
      Declaration<DuplicateFault>("duplicate")
          .part(make_filter(member<&DuplicateFault::messages>))
          .part(make_window(member<&DuplicateFault::when>, {}))
          .part(make_count(member<&DuplicateFault::count>))
          .part(make_duration("gap", member<&DuplicateFault::gap>, {.label = "copy later by"}))
          .needs({.name = "duplicate", .key = "type"})
          .hindered(second_copy)
          .said_of_messages([](const DuplicateFault& fault) {
            std::string text = " arrive twice" + words_of(fault.when);
            if (fault.gap != Duration{}) {
              text += fmt::format(", the copy {} later", in_words(fault.gap));
            }
            return text + words_of_limit(fault.count);
          })
          .done<Duplication>();
  return kKind;
}

void declare_messages(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&DropFault::kind(), &DelayFault::kind(), &DuplicateFault::kind()});
}

}  // namespace dissensus::faults
