// Disks that are slow, fail, are full, or read wrong bits.
#include <fmt/format.h>

#include "faults/kinds.h"

namespace dissensus::faults {

namespace {

using Trouble = DiskFault::Trouble;

std::string_view word_of(Trouble trouble) {
  static constexpr std::array<std::string_view, 4> kWords{"is slow", "fails", "is full",
                                                          "reads wrong bits"};
  return kWords[static_cast<std::size_t>(trouble)];
}

/// How often something came of this trouble.
std::uint64_t told(const sim::DiskTrouble& disk, Trouble which) {
  switch (which) {
    case Trouble::slow:
      return disk.slowed;
    case Trouble::error:
      return disk.failed;
    case Trouble::no_space:
      return disk.found_full;
    case Trouble::corrupt:
      break;
  }
  return disk.corrupted;
}

class BadDisk final : public Lasting {
 public:
  BadDisk(const DiskFault& fault, const Site& site)
      : Lasting(fault.when, site, Shown::fault), fault_(fault) {}

  void conclude(sim::World& world) override {
    if (is_active()) note(world);
  }

 protected:
  void begin(sim::World& world) override {
    before_ = told(disk(world), fault_.trouble);
    change(world, 1);
    // Programs have disks of their own, which keep no count.
    if (world.outside() != nullptr) mark_();
  }
  void stop(sim::World& world) override {
    note(world);
    change(world, -1);
  }
  std::string text() const override {
    return fmt::format("disk of {} {}", actual(fault_.node), word_of(fault_.trouble));
  }

 private:
  sim::DiskTrouble& disk(sim::World& world) const {
    return world.disk_trouble(actual(fault_.node));
  }
  void note(sim::World& world) {
    if (told(disk(world), fault_.trouble) > before_) mark_();
  }
  void change(sim::World& world, int by) const {
    sim::DiskTrouble& trouble = disk(world);
    const auto add = [by](std::uint32_t& count) {
      count = static_cast<std::uint32_t>(static_cast<std::int64_t>(count) + by);
    };
    switch (fault_.trouble) {
      case Trouble::slow:
        trouble.slow += by * fault_.extra;
        break;
      case Trouble::error:
        add(trouble.io_errors);
        break;
      case Trouble::no_space:
        add(trouble.no_space);
        break;
      case Trouble::corrupt:
        add(trouble.corrupt);
        break;
    }
  }

  DiskFault fault_;
  std::uint64_t before_ = 0;  ///< how often the trouble had told when it began
};

void check_disk(const DiskFault& fault, const Options& document, const Target&) {
  if (fault.trouble == Trouble::slow) return;
  if (const auto extra = document.find("extra")) extra->fail("expected with trouble \"slow\"");
}

std::string words_of_disk(const DiskFault& fault, const Speaker& say) {
  const std::string node = node_words(fault.node, fault.when);
  const std::string when = say.when(fault.when);
  switch (fault.trouble) {
    case Trouble::slow:
      return fmt::format("syncs of node {}'s disk take {} longer{}", node, in_words(fault.extra),
                         when);
    case Trouble::error:
      return fmt::format("writes and syncs of node {}'s disk fail{}", node, when);
    case Trouble::no_space:
      return fmt::format("node {}'s disk is full{}", node, when);
    case Trouble::corrupt:
      break;
  }
  return fmt::format("reads of node {}'s disk have a wrong bit{}", node, when);
}

template <Trouble which>
bool is(const void* fault) {
  return static_cast<const DiskFault*>(fault)->trouble == which;
}

constexpr std::array<std::string_view, 4> kTroubles{"slow", "error", "no-space", "corrupt"};

template <Trouble which>
Requirement needs_of(Offer offer, std::string_view instead) {
  return {.name = fmt::format("disk: {}", kTroubles[static_cast<std::size_t>(which)]),
          .key = "trouble",
          .needs = {offer},
          .instead = instead,
          .concerns = is<which>};
}

std::optional<std::string> impossible_trouble(std::size_t trouble,
                                              const SystemDescription& description, std::size_t) {
  const auto obstacle = obstacle_to_kind(fmt::format("disk: {}", kTroubles[trouble]), description);
  return obstacle ? std::optional(obstacle->text) : std::nullopt;
}

/// Wrong bits only where the scenario asks for them: no system promises to survive those.
std::vector<Setting> trouble_setting() {
  return {
      {"disk", "trouble", kTroubles, 3, "expected a trouble that is possible", impossible_trouble}};
}

}  // namespace

std::optional<Obstacle> obstacle_to_disk(NodeId node, const SystemDescription& description) {
  if (node < description.disks) return std::nullopt;
  return Obstacle{
      "node", fmt::format("node {} has no disk, expected 0 to {}", node, description.disks - 1)};
}

const FaultKind& DiskFault::kind() {
  static constexpr std::string_view kSlowOnly = "slow, where they have a disk";
  static const FaultKind kKind =
      Declaration<DiskFault>("disk")
          .part(make_node("node", member<&DiskFault::node>))
          .part(make_choice("trouble", choice<&DiskFault::trouble>, kTroubles, true))
          .part(make_duration("extra", member<&DiskFault::extra>,
                              {.weight = Weight::essential, .concerns = is<Trouble::slow>}))
          .part(make_window(member<&DiskFault::when>, {.may_wait = true}))
          .needs(needs_of<Trouble::slow>(Offer::slow_disk, "pause"))
          .needs(needs_of<Trouble::error>(Offer::bad_disk, kSlowOnly))
          .needs(needs_of<Trouble::no_space>(Offer::bad_disk, kSlowOnly))
          .needs(needs_of<Trouble::corrupt>(Offer::bad_disk, kSlowOnly))
          .drawn_as("disks", {}, trouble_setting())
          .checked(check_disk)
          .hindered([](const DiskFault& fault, const SystemDescription& description) {
            return obstacle_to_disk(fault.node, description);
          })
          .said(words_of_disk)
          .done<BadDisk>();
  return kKind;
}

void declare_disk(std::vector<const FaultKind*>& kinds) {
  kinds.insert(kinds.end(), {&DiskFault::kind()});
}

}  // namespace dissensus::faults
