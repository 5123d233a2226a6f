// A validator of the XRP Ledger as a dissensus::Node: drives rounds, keeps the ledgers it holds,
// relays, and answers peers.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "dissensus/node.h"

#include "systems/xrpl/acquisition.h"
#include "systems/xrpl/chain.h"
#include "systems/xrpl/consensus.h"
#include "systems/xrpl/network.h"
#include "systems/xrpl/open_ledger.h"
#include "systems/xrpl/peers.h"
#include "systems/xrpl/steps.h"
#include "systems/xrpl/validations.h"

namespace dissensus::xrpl {

/// A client's payment.
class PaymentRequest final : public Request {
 public:
  PaymentRequest(const Payment& payment, std::string from, std::string to)
      : payment_(payment), from_(std::move(from)), to_(std::move(to)) {}
  const Payment& payment() const { return payment_; }
  const std::string& from() const { return from_; }
  const std::string& to() const { return to_; }
  std::vector<std::pair<std::string, FieldValue>> fields() const override;

 private:
  Payment payment_;
  std::string from_;
  std::string to_;
};

/// Operating modes in ascending order (consensus.md 5.1).
enum class OperatingMode : std::uint8_t { disconnected, connected, syncing, tracking, full };

class Validator final : public Node,
                        private ConsensusHost,
                        private LedgerSource,
                        private AcquisitionHost {
 public:
  Validator(Network& network, NodeId self);

  void start(Context& context) override;
  void restart(Context& context, const Node& before) override;
  void receive(Context& context, NodeId from, const Message& message) override;
  void timer(Context& context, TimerId timer, std::uint64_t tag) override;
  void submit(Context& context, const Request& request) override;
  StateValue::Record state() const override;

  // For tests.
  const Consensus& consensus() const { return consensus_; }
  const ValidatedChain& chain() const { return chain_; }
  std::int64_t close_offset() const { return close_offset_; }

 private:
  enum class TimerType : std::uint8_t { heartbeat, accept, set_acquisition, ledger_acquisition };
  /// What this node did with a transaction.
  struct TransactionRecord {
    Time processed{};
    Time relayed{};
    bool known = false;
    bool was_processed = false;
    bool was_relayed = false;
    bool local = false;
  };
  struct LocalTransaction {
    TxIndex tx;
    std::uint32_t last_seq;  ///< forgotten after the ledger with this sequence
  };

  // Clocks.
  NetTime network_now() const;
  NetTime close_time() const { return network_now() + close_offset_; }
  Moment moment() const { return {context_->now(), close_time()}; }

  // Driver (5), node.cpp.
  void begin_warm(Duration heartbeat);
  void begin_round();
  void heartbeat();
  void arm(TimerType type, std::uint32_t id, Duration delay);
  Duration processing_time(Duration mean);
  void end_consensus();
  Digest preferred_closed_ledger();
  bool jump_to(const Digest& preferred);
  void lower_operating_mode();

  // Accept (10), node_accept.cpp.
  void accept();
  void validate_built(const Ledger& ledger);
  void consensus_built(const Ledger& ledger);
  void adjust_close_offset();
  void check_accept(const Digest& id, std::uint32_t seq);
  bool check_accept(const Ledger& ledger);
  void fully_validated(const Ledger& ledger);
  void settle_transactions(const Ledger& ledger);
  std::size_t full_validation_count(const Digest& id, std::uint32_t seq) const;

  // Messages, node_messages.cpp.
  void receive_proposal(NodeId from, const ProposeSet& proposal, const Message& message);
  void receive_validation(NodeId from, const Validation& validation, const Message& message);
  void receive_status(NodeId from, const StatusChange& status);
  void receive_request(NodeId from, const GetLedger& request);
  void receive_data(NodeId from, const LedgerData& data);
  bool answer(NodeId to, const GetLedger& request);
  void pass_on(NodeId from, const GetLedger& request);
  void send_status(StatusEvent event, const Ledger& ledger);
  void flood(const Message& message, std::span<const NodeId> except);
  std::uint8_t& flags_of(std::uint32_t number);

  // Transactions (13), node_transactions.cpp.
  void receive_transaction(NodeId from, const TransactionMessage& message);
  void process_transaction(TxIndex tx, bool local);
  void try_held(AccountIndex account);
  void apply_held();
  void rebuild_open_ledger(const Ledger& parent, const std::vector<TxIndex>& disputed,
                           const std::vector<TxIndex>& retries);
  void apply_to_open(std::vector<TxIndex> transactions);
  void relay_transaction(TxIndex tx, TransactionStatus status, bool deferred);
  bool mark_relayed(TxIndex tx);
  TransactionMessage message_of(TxIndex tx, TransactionStatus status, bool deferred) const;
  void note_sender(TxIndex tx, NodeId from);
  TransactionRecord& record_of(TxIndex tx);

  // Ledgers held.
  void hold(const Ledger& ledger);
  bool holds(const Ledger& ledger) const;

  // ConsensusHost.
  const Ledger* obtain_parent(const Digest& id) override;
  const TxSet* obtain_set(const Digest& id) override { return sets_.obtain(id); }
  const TxSet* make_set(std::vector<TxIndex> transactions) override;
  void publish_set(const TxSet& set) override;
  void propose(const Position& position) override;
  void relay_proposal(const Message& message, std::span<const NodeId> senders) override;
  void relay_disputed(TxIndex tx) override;
  bool open_ledger_has_transactions() const override { return !open_.empty(); }
  std::size_t full_validations(const Digest& ledger) const override;
  std::size_t finished_validators(const Ledger& held, const Digest& id, const Moment& now) override;
  Digest preferred_parent(const Ledger& held, const Digest& id, Mode mode,
                          const Moment& now) override;
  PauseInputs pause_inputs(const Ledger& held, const Moment& now) const override;
  Closed on_close(const Ledger& held, Mode mode, const Moment& now) override;
  void on_accept(ConsensusState state, std::size_t positions) override;
  void on_phase(Phase phase) override;
  void on_round(const Ledger& previous) override;
  void on_position(const Position& position) override;
  void on_regression(NodeId) override { count(Observable::regressions); }

  // LedgerSource.
  const Ledger* held_ledger(const Digest& id) override;
  const Ledger* obtain_ledger(const Digest& id, std::uint32_t seq) override;

  // AcquisitionHost.
  std::span<const NodeId> peer_ids() const override { return context_->peers(); }
  Random& random() override { return context_->random(); }
  const PeerTable& peer_table() const override { return peers_; }
  Time steady_now() const override { return context_->now(); }
  void request(NodeId to, const GetLedger& message) override;
  void arm_set_timer(std::uint32_t id, std::int64_t delay_ms) override;
  void arm_ledger_timer(std::uint32_t id, std::int64_t delay_ms) override;
  bool knows_transaction(TxIndex tx) const override;
  void learn_transaction(TxIndex tx) override;
  const TxList* keep_list(TxList list) override { return store_.keep(std::move(list)); }
  void set_acquired(const TxSet& set) override;
  bool holds_ledger(const Digest& id) const override;
  void ledger_acquired(const Ledger& ledger) override;
  void acquisition_failed(const Digest& id, bool is_set) override;

  // Steps that a formal model knows, node_steps.cpp. Nothing is computed unless somebody listens.
  void on_begun() override;
  void on_left() override;
  void on_other_parent() override;
  void on_peer_position(const ProposeSet& proposal) override;
  void on_stale_position(NodeId origin) override;
  void on_set(const TxSet& set) override;
  void on_counted(const Validation& validation) override;
  void on_tip(NodeId validator, const Ledger* ledger) override;
  void step_position(const Position& position);
  void step_accept(ConsensusState state);
  void step_ledger(Step step, const Digest& ledger);
  void report_step(Step step, std::initializer_list<StateValue> arguments);
  StateValue name_of(const Digest& ledger) const;
  StateValue content_of(const TxSet* set, const Digest& id) const;

  // Reports.
  void proposed(Report level, std::uint64_t instance, const Digest& value);
  void decided(Report level, std::uint64_t instance, const Digest& value);
  void count(Observable observable, std::int64_t by = 1);
  void set_observable(Observable observable, std::int64_t value);
  void report_supported(const Ledger& ledger);

  Network& network_;
  const NetworkConfig& config_;
  const Parameters& parameters_;
  Store& store_;
  const NodeId self_;
  const std::size_t trusted_count_;
  const std::size_t quorum_;
  Context* context_ = nullptr;  ///< of the call being handled

  Consensus consensus_;
  Validations validations_;
  SetTable sets_;
  LedgerAcquisitions acquisitions_;
  PeerTable peers_;
  ValidatedChain chain_;
  OpenLedger open_;

  const Ledger* last_closed_ = nullptr;
  OperatingMode operating_mode_ = OperatingMode::disconnected;
  bool validating_ = true;
  std::int64_t close_offset_ = 0;
  NetTime last_sign_time_ = 0;
  std::uint32_t persisted_seq_ = 0;  ///< highest ledger before a restart
  std::uint64_t cookie_ = 0;

  std::vector<bool> held_;                          ///< by Ledger::index
  std::vector<std::uint8_t> flood_flags_;           ///< by message number
  std::vector<TransactionRecord> transactions_;     ///< by TxIndex
  std::vector<std::uint64_t> transaction_senders_;  ///< sender_words_ per transaction
  std::size_t sender_words_;
  std::vector<TxIndex> waiting_;  ///< held back: ter results, retried at the next close
  std::vector<TxIndex> queue_;    ///< fee queue
  std::vector<LocalTransaction> local_;
  std::vector<Validations::CurrentVotes> votes_;  ///< scratch

  std::array<std::int64_t, kObservables> observables_{};
  std::vector<TxIndex> unsettled_;
  std::size_t submitted_seen_ = 0;  ///< how much of Network::submitted is in unsettled_
};

}  // namespace dissensus::xrpl
