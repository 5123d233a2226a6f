// The steps of XRP Ledger validators as somebody sees them who sees only their messages and which
// ledgers they say are validated: real servers behind an interceptor, simulated ones, or a
// recording. The model is specs/xrpl/Outside.tla.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dissensus/description.h"

#include "core/event.h"
#include "trace/node_log.h"

namespace dissensus::xrpl {

/// A message of consensus, with ledgers and sets by their names.
struct OutsideMessage {
  enum class Type : std::uint8_t { proposal, status, validation, other };
  Type type = Type::other;
  NodeId origin = kNoNode;   ///< who signed it; of a status: who sent it
  std::string ledger;        ///< validated, accepted or switched to; of a proposal: built on
  std::string previous;      ///< status: its parent
  std::string set;           ///< proposal
  std::uint64_t number = 0;  ///< proposal: its number in the round; others: the ledger's sequence
  std::uint8_t event = 0;    ///< status: 1 closing, 2 accepted, 3 switched, 4 lost sync
  bool full = false;         ///< validation
};

/// Which messages and moments are which step. Times in seconds, not descending.
class OutsideSteps {
 public:
  explicit OutsideSteps(trace::NodeLogFiles& files);

  void sent(double at, std::uint64_t id, NodeId from, const OutsideMessage& message);
  void delivered(double at, std::uint64_t id, NodeId to, const OutsideMessage& message);
  /// A node says that a ledger is validated.
  void validated(double at, NodeId node, const std::string& ledger, std::uint64_t seq);
  /// Moments that have come by then.
  void pass(double at);

 private:
  using Said = std::tuple<char, std::string, std::uint64_t>;
  struct Watched {
    bool has_started = false;
    Said status;  ///< the last one
    std::set<Said> said, said_before;
  };
  struct Due {
    NodeId node = kNoNode;
    std::string fields;
  };
  void own_proposal(double at, NodeId node, const OutsideMessage& message);
  void own_status(double at, NodeId node, const OutsideMessage& message);
  void own_validation(double at, NodeId node, const OutsideMessage& message);
  /// Of messages that go to everybody.
  bool is_first(NodeId node, char what, const std::string& of, std::uint64_t number);

  trace::NodeLogFiles& files_;
  std::vector<Watched> nodes_;
  std::multimap<double, Due> due_;
};

/// Makes them from the events of a run of a system with the messages of the XRP Ledger.
class OutsideLogWriter final : public EventSink {
 public:
  /// Throws InputError for a system with other messages. Both must outlive it.
  OutsideLogWriter(trace::NodeLogFiles& files, const SystemDescription& system);

  EventMask wants() const override;
  void on_event(const Event& event) override;

 private:
  OutsideMessage read(const Event& event) const;

  const SystemDescription& system_;
  trace::NodeLogFiles& files_;
  OutsideSteps outside_;
  std::uint8_t validated_level_ = 0;
};

}  // namespace dissensus::xrpl
