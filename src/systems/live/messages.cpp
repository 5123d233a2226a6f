#include "systems/live/messages.h"

#include <functional>
#include <string>
#include <utility>

#include "core/assert.h"

namespace dissensus::live {

namespace {

Digest digest_of(ByteView bytes) {
  return digest_of_bytes(std::as_bytes(bytes));
}

std::uint64_t number_of(const FieldValue& value) {
  return std::holds_alternative<std::int64_t>(value)
             ? static_cast<std::uint64_t>(std::get<std::int64_t>(value))
             : std::get<std::uint64_t>(value);
}
std::uint32_t small_number_of(const FieldValue& value) {
  return static_cast<std::uint32_t>(number_of(value));
}

/// An account as the simulated system identifies it: by a digest of its text.
Digest account_digest(const std::optional<std::string>& address) {
  return address ? digest_of_text(*address) : Digest{};
}

}  // namespace

Digest Carried::digest() const {
  return digest_of(*frame);
}
void Carried::carry(Frame&& frame_of_message) {
  frame = std::make_shared<const Bytes>(std::move(frame_of_message.bytes));
}
void Carried::carry_forged(Frame&& forged) {
  carry(std::move(forged));
  book->note_forged(digest());
}

void CarriedProposal::seal() {
  if (origin != kNoNode) sign(content, book->validator(origin));
  carry_forged(encode(content));
}

void CarriedValidation::replace(ValidationObject object) {
  if (origin != kNoNode) object.sign(book->validator(origin));
  message = with_validation(std::move(message), object);
  content = std::make_shared<const ValidationObject>(std::move(object));
  carry_forged(encode(message));
}

// ---- description

namespace {

template <class T>
using Getter = std::function<FieldValue(const T&)>;
template <class T>
using Setter = std::function<void(T&, const FieldValue&)>;

/// A field whose replacement makes a new frame.
template <class T, class Set>
Setter<T> sealing(Set set) {
  return [set](T& message, const FieldValue& value) {
    set(message, value);
    message.seal();
  };
}

template <class Set>
Setter<CarriedValidation> replacing(Set set) {
  return [set](CarriedValidation& message, const FieldValue& value) {
    ValidationObject object = *message.content;
    set(object, value, *message.book);
    message.replace(std::move(object));
  };
}

Digest digest_or_nothing(const std::optional<Hash256>& hash) {
  return hash ? to_digest(*hash) : Digest{};
}

void describe_proposals(SystemDescription& description, xrpl::KindScheme scheme) {
  using T = CarriedProposal;
  description.message<T>("ProposeSet", xrpl::proposal_kind_names(scheme))
      .field("origin", SemanticType::node, &T::origin)
      .field(
          "propose_seq", SemanticType::sequence,
          [](const T& m) -> FieldValue { return std::uint64_t{m.content.propose_seq}; },
          sealing<T>([](T& m, const FieldValue& v) { m.content.propose_seq = small_number_of(v); }))
      .field(
          "position", SemanticType::value,
          [](const T& m) -> FieldValue { return to_digest(m.content.transaction_set); },
          sealing<T>([](T& m, const FieldValue& v) {
            m.content.transaction_set = m.book->full(std::get<Digest>(v));
          }))
      .field(
          "previous_ledger", SemanticType::hash,
          [](const T& m) -> FieldValue { return to_digest(m.content.previous_ledger); },
          sealing<T>([](T& m, const FieldValue& v) {
            m.content.previous_ledger = m.book->full(std::get<Digest>(v));
          }))
      .field(
          "close_time", SemanticType::time,
          [](const T& m) -> FieldValue { return std::uint64_t{m.content.close_time}; },
          sealing<T>([](T& m, const FieldValue& v) { m.content.close_time = small_number_of(v); }))
      .author("origin")
      .small_scope({"propose_seq", "position"});
}

/// An optional sequence of a status change or request, in the run's numbers.
template <class T, class Member>
void sequence_field(PayloadBuilder<T>& payload, std::string name, Member member) {
  payload.field(std::move(name), SemanticType::sequence,
                Getter<T>([member](const T& m) -> FieldValue {
                  return std::uint64_t{m.book->to_run((m.content.*member).value_or(0))};
                }),
                sealing<T>([member](T& m, const FieldValue& v) {
                  m.content.*member = m.book->to_real(small_number_of(v));
                }));
}
template <class T, class Member>
void hash_field(PayloadBuilder<T>& payload, std::string name, Member member) {
  payload.field(std::move(name), SemanticType::hash, Getter<T>([member](const T& m) -> FieldValue {
                  return digest_or_nothing(m.content.*member);
                }),
                sealing<T>([member](T& m, const FieldValue& v) {
                  m.content.*member = m.book->full(std::get<Digest>(v));
                }));
}

void describe_status(SystemDescription& description) {
  using T = CarriedStatus;
  auto payload = description.message<T>("StatusChange");
  payload.field("event", SemanticType::number, Getter<T>([](const T& m) -> FieldValue {
                  return std::uint64_t{m.content.event ? static_cast<std::uint8_t>(*m.content.event)
                                                       : std::uint8_t{0}};
                }),
                sealing<T>([](T& m, const FieldValue& v) {
                  constexpr std::uint32_t kEvents = 4;
                  m.content.event = static_cast<NodeEvent>(small_number_of(v) % kEvents + 1);
                }));
  sequence_field(payload, "ledger_seq", &StatusChange::ledger_seq);
  hash_field(payload, "ledger", &StatusChange::ledger_hash);
  hash_field(payload, "previous", &StatusChange::previous_hash);
  payload.field(
      "network_time", SemanticType::time,
      Getter<T>([](const T& m) -> FieldValue { return m.content.network_time.value_or(0); }),
      sealing<T>([](T& m, const FieldValue& v) { m.content.network_time = number_of(v); }));
  sequence_field(payload, "first_seq", &StatusChange::first_seq);
  sequence_field(payload, "last_seq", &StatusChange::last_seq);
}

void describe_validations(SystemDescription& description) {
  using T = CarriedValidation;
  using Object = ValidationObject;
  description.message<T>("Validation")
      .field("origin", SemanticType::node, &T::origin)
      .field(
          "ledger_seq", SemanticType::sequence,
          [](const T& m) -> FieldValue {
            return std::uint64_t{m.book->to_run(m.content->ledger_seq())};
          },
          replacing([](Object& o, const FieldValue& v, RunBook& book) {
            o.set_ledger_seq(book.to_real(small_number_of(v)));
          }))
      .field(
          "ledger", SemanticType::value,
          [](const T& m) -> FieldValue { return to_digest(m.content->ledger_hash()); },
          replacing([](Object& o, const FieldValue& v, RunBook& book) {
            o.set_ledger_hash(book.full(std::get<Digest>(v)));
          }))
      .field(
          "consensus_set", SemanticType::hash,
          [](const T& m) -> FieldValue { return digest_or_nothing(m.content->consensus_hash()); },
          replacing([](Object& o, const FieldValue& v, RunBook& book) {
            o.set_consensus_hash(book.full(std::get<Digest>(v)));
          }))
      .field(
          "sign_time", SemanticType::time,
          [](const T& m) -> FieldValue { return std::uint64_t{m.content->sign_time()}; },
          replacing([](Object& o, const FieldValue& v, RunBook&) {
            o.set_sign_time(small_number_of(v));
          }))
      .field(
          "full", SemanticType::boolean,
          [](const T& m) -> FieldValue { return std::uint64_t{m.content->full()}; },
          replacing(
              [](Object& o, const FieldValue& v, RunBook&) { o.set_full(number_of(v) != 0); }))
      .field(
          "cookie", SemanticType::number,
          [](const T& m) -> FieldValue { return m.content->cookie().value_or(0); },
          replacing([](Object& o, const FieldValue& v, RunBook&) { o.set_cookie(number_of(v)); }))
      .author("origin")
      .small_scope({"ledger_seq", "ledger", "consensus_set"});
}

void describe_transactions(SystemDescription& description) {
  using T = CarriedTransaction;
  const auto fixed = [](auto member) -> Getter<T> {
    return [member](const T& m) { return internal::to_field_value(m.*member); };
  };
  // Nobody but the client can sign another transaction: its content can be read only.
  description.message<T>("Transaction")
      .field("transaction", SemanticType::hash, fixed(&T::id))
      .field("account", SemanticType::hash, fixed(&T::account))
      .field("destination", SemanticType::hash, fixed(&T::destination))
      .field("sequence", SemanticType::sequence, fixed(&T::sequence))
      .field("amount", SemanticType::amount, fixed(&T::drops))
      .field(
          "status", SemanticType::flags,
          [](const T& m) -> FieldValue { return static_cast<std::uint64_t>(m.content.status); },
          sealing<T>([](T& m, const FieldValue& v) {
            constexpr std::uint32_t kStatuses = 8;
            m.content.status = static_cast<TransactionStatus>(
                (small_number_of(v) + kStatuses - 1) % kStatuses + 1);
          }))
      .field(
          "deferred", SemanticType::boolean,
          [](const T& m) -> FieldValue {
            return std::uint64_t{m.content.deferred.value_or(false)};
          },
          sealing<T>([](T& m, const FieldValue& v) { m.content.deferred = number_of(v) != 0; }));
}

template <class T>
Setter<T> set_item() {
  return sealing<T>([](T& m, const FieldValue& v) {
    constexpr std::uint32_t kItems = 4;
    m.content.item = static_cast<LedgerItem>(small_number_of(v) % kItems);
  });
}

void describe_acquisition(SystemDescription& description) {
  description.message<CarriedSet>("HaveTransactionSet")
      .field(
          "set", SemanticType::value,
          [](const CarriedSet& m) -> FieldValue { return to_digest(m.content.hash); },
          sealing<CarriedSet>([](CarriedSet& m, const FieldValue& v) {
            m.content.hash = m.book->full(std::get<Digest>(v));
          }));
  auto request = description.message<CarriedRequest>("GetLedger");
  using Request = CarriedRequest;
  request.field(
      "item", SemanticType::number,
      [](const Request& m) -> FieldValue { return static_cast<std::uint64_t>(m.content.item); },
      set_item<Request>());
  hash_field(request, "hash", &GetLedger::hash);
  sequence_field(request, "ledger_seq", &GetLedger::ledger_seq);
  // Numbers of links, known to the servers alone, stand in the place of the simulator's nodes.
  request
      .field("cookie", SemanticType::number, Getter<Request>([](const Request& m) -> FieldValue {
               return m.content.request_cookie.value_or(0);
             }),
             sealing<Request>(
                 [](Request& m, const FieldValue& v) { m.content.request_cookie = number_of(v); }))
      .field("indirect", SemanticType::boolean, Getter<Request>([](const Request& m) -> FieldValue {
               return std::uint64_t{m.content.query_type.has_value()};
             }))
      .field("wanted", SemanticType::number, Getter<Request>([](const Request& m) -> FieldValue {
               return std::uint64_t{m.content.node_ids.size()};
             }));
  using Reply = CarriedReply;
  description.message<Reply>("LedgerData")
      .field(
          "item", SemanticType::number,
          [](const Reply& m) -> FieldValue { return static_cast<std::uint64_t>(m.content.item); },
          set_item<Reply>())
      .field(
          "hash", SemanticType::hash,
          [](const Reply& m) -> FieldValue { return to_digest(m.content.hash); },
          sealing<Reply>([](Reply& m, const FieldValue& v) {
            m.content.hash = m.book->full(std::get<Digest>(v));
          }))
      .field(
          "ledger_seq", SemanticType::sequence,
          [](const Reply& m) -> FieldValue {
            return std::uint64_t{m.book->to_run(m.content.ledger_seq)};
          },
          sealing<Reply>([](Reply& m, const FieldValue& v) {
            m.content.ledger_seq = m.book->to_real(small_number_of(v));
          }))
      .field(
          "cookie", SemanticType::number,
          [](const Reply& m) -> FieldValue {
            return std::uint64_t{m.content.request_cookie.value_or(0)};
          },
          sealing<Reply>(
              [](Reply& m, const FieldValue& v) { m.content.request_cookie = small_number_of(v); }))
      .field("leaves", SemanticType::number, Getter<Reply>([](const Reply& m) -> FieldValue {
               return std::uint64_t{m.content.nodes.size()};
             }));
}

}  // namespace

void describe_messages(SystemDescription& description, xrpl::KindScheme scheme) {
  describe_proposals(description, scheme);
  describe_status(description);
  describe_validations(description);
  describe_transactions(description);
  describe_acquisition(description);
  xrpl::describe_kind_steps(description, scheme);
}

// ---- reading

namespace {

/// Notes every hash of a message, so that liars can name it.
class MessageReader {
 public:
  MessageReader(RunBook& book, xrpl::KindScheme scheme) : book_(book), scheme_(scheme) {}

  std::optional<RunMessage> operator()(Proposal&& content) {
    CarriedProposal message;
    book_.note(content.transaction_set);
    book_.note(content.previous_ledger);
    message.origin = book_.node_of(content.node_key);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(StatusChange&& content) {
    CarriedStatus message;
    note(content.ledger_hash);
    note(content.previous_hash);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(ValidationMessage&& content) {
    CarriedValidation message;
    auto object = std::make_shared<const ValidationObject>(ValidationObject::parse(content));
    book_.note(object->ledger_hash());
    note(object->consensus_hash());
    message.origin = book_.node_of(object->signing_key());
    message.content = std::move(object);
    message.message = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(TransactionMessage&& content) {
    CarriedTransaction message;
    const ParsedTransaction parsed = parse_transaction(content.raw);
    message.id = book_.note(parsed.id);
    message.account = account_digest(parsed.account);
    message.destination = account_digest(parsed.destination);
    message.sequence = parsed.sequence.value_or(0);
    message.drops = parsed.drops.value_or(0);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(HaveSet&& content) {
    CarriedSet message;
    book_.note(content.hash);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(GetLedger&& content) {
    CarriedRequest message;
    note(content.hash);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  std::optional<RunMessage> operator()(LedgerData&& content) {
    CarriedReply message;
    book_.note(content.hash);
    message.content = std::move(content);
    return finish(std::move(message));
  }
  template <class Other>
  std::optional<RunMessage> operator()(Other&&) {
    return std::nullopt;
  }

 private:
  void note(const std::optional<Hash256>& hash) {
    if (hash) book_.note(*hash);
  }
  template <class T>
  RunMessage finish(T&& message) {
    message.book = &book_;
    message.scheme = scheme_;
    return RunMessage(std::forward<T>(message));
  }

  RunBook& book_;
  xrpl::KindScheme scheme_;
};

}  // namespace

std::optional<RunMessage> read_message(Frame&& frame, RunBook& book, xrpl::KindScheme scheme) {
  std::optional<RunMessage> message = std::visit(MessageReader(book, scheme), decode(frame));
  if (message) {
    std::visit([&frame](auto& content) { content.carry(std::move(frame)); }, *message);
  }
  return message;
}

const Carried& carried(const Message& message) {
  const Carried* found = nullptr;
  const auto look = [&]<class T>(const T* content) {
    if (content != nullptr) found = content;
  };
  look(message.get<CarriedProposal>());
  look(message.get<CarriedStatus>());
  look(message.get<CarriedValidation>());
  look(message.get<CarriedTransaction>());
  look(message.get<CarriedSet>());
  look(message.get<CarriedRequest>());
  look(message.get<CarriedReply>());
  DISSENSUS_ASSERT(found != nullptr, "carried : messages of a live run carry frames");
  return *found;
}

}  // namespace dissensus::live
