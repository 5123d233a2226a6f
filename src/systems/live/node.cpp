#include "systems/live/node.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "systems/xrpl/node.h"

namespace dissensus::live {

namespace {

constexpr Level level_of(xrpl::Report report) {
  return static_cast<Level>(report);
}

}  // namespace

std::vector<std::string> observable_names() {
  return {"validated",     "failed",          "cancelled", "settled",
          "validated_seq", "max_propose_seq", "bow_outs",  "switched"};
}

void LiveNode::start(Context& context) {
  // What the run's first decisions rest on happened before it.
  RunBook& book = cluster_.book();
  for (const Watch::Built& built : cluster_.watch().built(self_)) {
    report_supported(context, built.ledger, built.seq);
    if (&built == &cluster_.watch().built(self_).back()) context.round(book.to_run(built.seq) + 1);
  }
  for (const Watch::Proposed& proposed : cluster_.watch().proposed(self_)) {
    if (book.ledger(proposed.previous) != nullptr) report_position(context, proposed);
  }
}

void LiveNode::restart(Context& context, const Node&) {
  cluster_.restart_server(self_);
  context.log("the server is started again");
}

void LiveNode::happened(Context& context) {
  hosted::News told = cluster_.take_news(self_);
  if (told.line) context.log(*told.line);
  if (told.exit) context.log(host::to_string(*told.exit));
  if (!told.of_guest.has_value()) return;
  auto news = std::any_cast<ServerNews>(std::move(told.of_guest));
  if (news.message) {
    std::visit([&](const auto& message) { look_at(context, message); }, *news.message);
    send(context, news.to, std::move(*news.message));
  } else if (!news.event.is_null()) {
    on_event(context, news.event);
  } else {
    context.log(news.text);
  }
}

void LiveNode::send(Context& context, NodeId to, RunMessage&& message) {
  std::visit([&](auto& content) { context.send(to, std::move(content)); }, message);
}

void LiveNode::receive(Context& context, NodeId from, const Message& message) {
  const Carried& content = carried(message);
  const auto* proposal = message.get<CarriedProposal>();
  const auto* validation = message.get<CarriedValidation>();
  const NodeId origin = proposal != nullptr     ? proposal->origin
                        : validation != nullptr ? validation->origin
                                                : kNoNode;
  if (origin == self_ && cluster_.book().is_forged(message.digest())) {
    context.log(fmt::format("a forged message comes back by way of {}; left out", from));
    return;
  }
  cluster_.write(from, self_, content.frame);
}

void LiveNode::submit(Context&, const Request& request) {
  const auto& payment = static_cast<const xrpl::PaymentRequest&>(request);
  cluster_.submit(self_, payment.payment(), payment.from(), payment.to());
}

// ---- what the server says to its peers

void LiveNode::look_at(Context& context, const CarriedProposal& proposal) {
  if (proposal.origin != self_ || !seen_.insert(proposal.digest()).second) return;
  const Proposal& content = proposal.content;
  if (content.propose_seq == kBowOutSequence) {
    count(context, Seen::bow_outs);
    return;
  }
  const auto sequence = static_cast<std::int64_t>(content.propose_seq);
  if (sequence > observed_[static_cast<std::size_t>(Seen::max_propose_seq)]) {
    observe(context, Seen::max_propose_seq, sequence);
  }
  report_position(context, {content.transaction_set, content.previous_ledger});
}

void LiveNode::report_position(Context& context, const Watch::Proposed& proposed) {
  RunBook& book = cluster_.book();
  const RunBook::Ledger* previous = book.ledger(proposed.previous);
  if (previous == nullptr) {
    waiting_positions_.push_back(proposed);
    return;
  }
  context.proposed(
      level_of(xrpl::Report::transaction_set),
      xrpl::round_instance(book.to_run(previous->seq) + 1, book.note(proposed.previous)),
      book.note(proposed.position));
}

void LiveNode::look_at(Context& context, const CarriedStatus& status) {
  const StatusChange& content = status.content;
  if (!content.event || !content.ledger_hash || !content.ledger_seq ||
      !seen_.insert(status.digest()).second) {
    return;
  }
  RunBook& book = cluster_.book();
  const std::uint32_t seq = book.to_run(*content.ledger_seq);
  const Digest ledger = to_digest(*content.ledger_hash);
  if (content.previous_hash) {
    book.note_ledger(*content.ledger_hash, {*content.ledger_seq, *content.previous_hash});
  }
  if (*content.event == NodeEvent::accepted_ledger) {
    context.decided(level_of(xrpl::Report::built), seq, ledger);
    report_supported(context, *content.ledger_hash, *content.ledger_seq);
    context.round(seq + 1);
  } else if (*content.event == NodeEvent::switched_ledger) {
    context.decided(level_of(xrpl::Report::switched), seq, ledger);
    context.round(seq + 1);
    count(context, Seen::switched);
  }
  report_waiting(context);
}

/// A ledger has become known: some of what waited for one can be told now.
void LiveNode::report_waiting(Context& context) {
  RunBook& book = cluster_.book();
  std::erase_if(waiting_positions_, [&](const Watch::Proposed& waiting) {
    if (book.ledger(waiting.previous) == nullptr) return false;
    report_position(context, waiting);
    return true;
  });
  std::erase_if(waiting_sets_, [&](const auto& waiting) {
    if (book.ledger(waiting.first) == nullptr) return false;
    report_set(context, waiting.first, waiting.second);
    return true;
  });
}

void LiveNode::look_at(Context& context, const CarriedValidation& validation) {
  if (validation.origin != self_ || !validation.content->full() ||
      !seen_.insert(validation.digest()).second) {
    return;
  }
  RunBook& book = cluster_.book();
  const ValidationObject& content = *validation.content;
  const Hash256 ledger = content.ledger_hash();
  report_supported(context, ledger, content.ledger_seq());
  context.decided(level_of(xrpl::Report::validation), book.to_run(content.ledger_seq()),
                  to_digest(ledger));
  if (const std::optional<Hash256> set = content.consensus_hash()) {
    if (book.ledger(ledger) != nullptr) {
      report_set(context, ledger, *set);
    } else {
      waiting_sets_.emplace_back(ledger, *set);
    }
  }
}

/// The server stands behind a ledger: it may be validated, switched to and decided.
void LiveNode::report_supported(Context& context, const Hash256& ledger, std::uint32_t seq) {
  const std::uint32_t of_run = cluster_.book().to_run(seq);
  const Digest value = cluster_.book().note(ledger);
  for (const xrpl::Report report :
       {xrpl::Report::validation, xrpl::Report::switched, xrpl::Report::ledger}) {
    context.proposed(level_of(report), of_run, value);
  }
}

/// The set of a ledger that the server has validated is the one on which it declared consensus.
void LiveNode::report_set(Context& context, const Hash256& ledger, const Hash256& set) {
  const RunBook::Ledger& known = *cluster_.book().ledger(ledger);
  context.decided(level_of(xrpl::Report::transaction_set),
                  xrpl::round_instance(cluster_.book().to_run(known.seq), to_digest(known.parent)),
                  to_digest(set));
}

// ---- what the server says to its clients

void LiveNode::on_event(Context& context, const nlohmann::json& event) {
  const std::string type = event.value("type", std::string());
  if (type == "ledgerClosed") {
    on_ledger_closed(context, event);
  } else if (type == "transaction") {
    on_transaction(context, event);
  } else if (type == "consensusPhase") {
    const std::string phase = event.value("consensus", std::string());
    if (phase == "open") context.phase(0);
    if (phase == "establish") context.phase(1);
    if (phase == "accepted") context.phase(2);
  } else if (type == "serverStatus") {
    context.log(fmt::format("server status: {}", event.value("server_status", std::string("?"))));
  }
}

void LiveNode::on_ledger_closed(Context& context, const nlohmann::json& event) {
  const auto seq = event.value("ledger_index", std::uint32_t{0});
  const auto hash = Hash256::from_text(event.value("ledger_hash", std::string()));
  if (!hash || seq <= cluster_.base_ledger()) return;
  const std::uint32_t of_run = cluster_.book().to_run(seq);
  context.decided(level_of(xrpl::Report::ledger), of_run, cluster_.book().note(*hash));
  observe(context, Seen::validated_seq, of_run);
  take_submitted();
  // A payment that cannot be in a later ledger any more.
  const auto expired = std::erase_if(unsettled_, [seq](const SubmittedPayment& payment) {
    return payment.last_ledger != 0 && payment.last_ledger <= seq;
  });
  if (expired == 0) return;
  count(context, Seen::cancelled, static_cast<std::int64_t>(expired));
  count(context, Seen::settled, static_cast<std::int64_t>(expired));
}

void LiveNode::on_transaction(Context& context, const nlohmann::json& event) {
  if (!event.value("validated", false) || !event.contains("transaction")) return;
  take_submitted();
  const nlohmann::json& transaction = event["transaction"];
  const auto id = Hash256::from_text(transaction.value("hash", std::string()));
  const std::string account = transaction.value("Account", std::string());
  const auto sequence = transaction.value("Sequence", std::uint32_t{0});
  std::int64_t settled = 0;
  std::erase_if(unsettled_, [&](const SubmittedPayment& payment) {
    if (id && payment.id == *id) {
      const bool is_success = event.value("engine_result", std::string()) == "tesSUCCESS";
      count(context, is_success ? Seen::validated : Seen::failed);
    } else if (payment.account == account && payment.sequence <= sequence) {
      count(context, Seen::cancelled);
    } else {
      return false;
    }
    ++settled;
    return true;
  });
  if (settled != 0) count(context, Seen::settled, settled);
}

/// Payments that clients have submitted since the last look.
void LiveNode::take_submitted() {
  const std::vector<SubmittedPayment>& submitted = cluster_.submitted();
  for (; submitted_seen_ < submitted.size(); ++submitted_seen_) {
    unsettled_.push_back(submitted[submitted_seen_]);
  }
}

void LiveNode::observe(Context& context, Seen seen, std::int64_t value) {
  observed_[static_cast<std::size_t>(seen)] = value;
  context.observe(static_cast<std::uint32_t>(seen), value);
}
void LiveNode::count(Context& context, Seen seen, std::int64_t by) {
  observe(context, seen, observed_[static_cast<std::size_t>(seen)] + by);
}

}  // namespace dissensus::live
