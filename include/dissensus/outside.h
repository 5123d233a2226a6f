// Nodes that live outside the simulation: real servers behind an interceptor. The world then waits
// and asks what has happened; everything else is as in a simulated run. Waiting is either real
// time, or it runs the servers themselves, whose virtual time is the world's.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dissensus/ids.h"
#include "dissensus/time.h"

namespace dissensus {

/// The outside does not do what a run needs: no such program, a port in use, a server that died.
/// The text is one line for people.
class OutsideError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Why a run that the user stopped could not go on (Outside::trouble).
inline constexpr std::string_view kInterrupted = "interrupted";

/// The outside of a cluster (Cluster::outside). One thread.
class Outside {
 public:
  virtual ~Outside() = default;

  /// The run begins: this moment is time 0.
  virtual void begin() = 0;

  struct Happening {
    Time time{};
    NodeId node = kNoNode;  ///< whose Node::happened is to be called; kNoNode: `until` has come
  };
  /// Returns when something has happened to a node, when `until` has come, or when the run cannot
  /// go on. Times never decrease. Whatever was told of a node that is down by the time of its
  /// happening is passed over.
  virtual Happening wait(Time until) = 0;

  /// A fault of the schedule stops this node; it may be restarted later (Node::restart).
  virtual void crashed(NodeId node) = 0;

  /// The node gets no processor from now on, or gets it again; a crash ends a pause without a word.
  /// What is sent to it meanwhile, the world keeps.
  virtual void paused(NodeId node, bool is_paused) = 0;
  /// Syncs of the node's disk that begin from now on take so much longer; zero: no longer.
  virtual void disk_slowed(NodeId node, Duration extra) = 0;

  /// Why the run cannot go on, in one line for people; empty while it can.
  virtual std::string trouble() const = 0;

  /// A file for the run's folder.
  struct Attachment {
    std::string name;  ///< relative, e.g. "servers/0.log"
    std::string text;
  };
  /// What is to be kept beside the trace; asked after the run, if at all.
  virtual std::vector<Attachment> attachments() { return {}; }

  /// A node that ended by itself: a signal, a failed assertion, a sanitizer.
  struct Death {
    NodeId node = kNoNode;
    std::string manner;  ///< "SIGSEGV", "exit-1": the same manner is the same finding
    std::string text;    ///< one line for people
  };
  /// If that is the trouble: the run then fails, as a finding.
  virtual std::optional<Death> death() const { return std::nullopt; }

  /// What nobody judges and everybody should know: a helper of a node that died.
  struct Remark {
    NodeId node = kNoNode;
    std::string manner;  ///< as for deaths
    Time time{};
    std::string text;  ///< one line for people
  };
  /// Become notes of the verdict; asked after the run.
  virtual std::vector<Remark> remarks() { return {}; }

  /// What was to be judged and did not come, in one line for people: a client that died, a line
  /// that nobody can read. Asked after the run, which then does not pass; empty: nothing.
  virtual std::string unjudged() const { return {}; }

  // While nobody waits, programs stand still and people can look at them.

  /// Where to look: processes, folders, files. Empty: nothing can be held here.
  virtual std::string held() const { return {}; }
  /// What every thread waits for, and its last calls.
  virtual std::string held_threads() const { return {}; }
  /// Memory and threads of every program, for a debugger: a file each, whose names it returns.
  virtual std::vector<std::string> write_cores(const std::string& /*folder*/) const { return {}; }
  /// For so long it was held: no limit of real time counts this.
  virtual void excuse(std::chrono::nanoseconds /*real_time*/) {}
};

}  // namespace dissensus
