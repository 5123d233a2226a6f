#include "hunt/postgres.h"

#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "core/assert.h"
#include "core/file.h"

namespace dissensus::hunt::sql {

namespace {

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

std::string first_line(const char* message) {
  std::string_view text(message == nullptr ? "" : message);
  text = text.substr(0, text.find('\n'));
  return std::string(text);
}

/// '?' becomes $1, $2...
std::string with_dollars(std::string_view text) {
  std::string result;
  int count = 0;
  for (const char letter : text) {
    if (letter == '?') {
      result += fmt::format("${}", ++count);
    } else {
      result += letter;
    }
  }
  return result;
}

class PostgresConnection final : public Connection {
 public:
  PostgresConnection(const std::string& url, Access access)
      : url_(url), name_(without_password(url)), access_(access) {
    connect();
  }

  Engine engine() const override { return Engine::postgresql; }
  const std::string& name() const override { return name_; }
  std::unique_ptr<Query> prepare(std::string_view text) override;

  void execute(const std::string& text) override {
    check(Result(PQexec(handle_.get(), text.c_str())));
  }

  /// From here to the commit statements are sent without waiting for each other.
  void begin() override {
    execute("BEGIN");
    if (PQenterPipelineMode(handle_.get()) == 0) fail(nullptr);
  }

  void commit() override {
    if (PQsendQueryParams(handle_.get(), "COMMIT", 0, nullptr, nullptr, nullptr, nullptr, 0) == 0) {
      fail(nullptr);
    }
    const Result error = leave_pipeline();
    if (!error) return;
    PQclear(PQexec(handle_.get(), "ROLLBACK"));
    fail(error.get());
  }

  void give_up() override {}  // commit() has ended it

  void reconnect() override {
    handle_.reset();
    connect();
  }

  bool is_pipelined() const { return PQpipelineStatus(handle_.get()) != PQ_PIPELINE_OFF; }
  PGconn* handle() const { return handle_.get(); }
  std::string next_statement_name() { return fmt::format("s{}", ++statements_); }

  void check(const Result& result) const {
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(result.get());
  }

  /// `result` may be null: then the connection knows what happened.
  [[noreturn]] void fail(const PGresult* result) const {
    const char* const primary =
        result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char* const code =
        result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string words =
        primary != nullptr ? primary : first_line(PQerrorMessage(handle_.get()));
    const std::string_view state = code == nullptr ? std::string_view() : code;
    // Without a code it was not the server that complained, but the way to it.
    if (PQstatus(handle_.get()) == CONNECTION_BAD || state.empty() || state.starts_with("57P") ||
        state.starts_with("08")) {
      throw ConnectionLost(fmt::format("{}: the connection was lost ({})", name_, words));
    }
    if (state == "42P01" || state == "3F000" || state == "42703") {
      throw InputError(fmt::format("{}: not a Dissensus store ({})", name_, words));
    }
    if (state == "53100") {
      throw EnvironmentError(
          fmt::format("{}: cannot be written: the disk is full ({})", name_, words));
    }
    throw InputError(fmt::format("{}: {}", name_, words));
  }

 private:
  void connect() {
    char* trouble = nullptr;
    PQconninfoOption* const options = PQconninfoParse(url_.c_str(), &trouble);
    PQconninfoFree(options);
    if (options == nullptr) {
      const std::string words = first_line(trouble);
      PQfreemem(trouble);
      throw InputError(fmt::format("{}: no URL of PostgreSQL: {}", name_, words));
    }
    const char* const keys[] = {"dbname", "fallback_application_name", "client_encoding",
                                "connect_timeout", nullptr};
    const char* const values[] = {url_.c_str(), "dissensus", "UTF8", "10", nullptr};
    // A server that answers and still refuses us does so for good, unless it has only just come up;
    // one that does not answer may come back.
    bool answers = false;
    for (int i = 0; i < 3; ++i) {
      handle_.reset(PQconnectdbParams(keys, values, 1));
      PQsetNoticeProcessor(
          handle_.get(), [](void*, const char*) {}, nullptr);
      if (PQstatus(handle_.get()) == CONNECTION_OK) {
        execute("SET search_path = dissensus");
        if (access_ == Access::read) execute("SET default_transaction_read_only = on");
        return;
      }
      answers = PQpingParams(keys, values, 1) == PQPING_OK;
      if (!answers) break;
    }
    const std::string words = first_line(PQerrorMessage(handle_.get()));
    const std::string text = fmt::format("{}: cannot be reached: {}", name_, words);
    if (answers) throw InputError(text);
    throw ConnectionLost(text);
  }

  /// Waits for everything that was sent; the first failure, if any.
  Result leave_pipeline() {
    if (!is_pipelined()) return {};
    Result error;
    bool lost = PQpipelineSync(handle_.get()) == 0;
    for (bool synced = false; !synced && !lost;) {
      Result result(PQgetResult(handle_.get()));
      if (!result) {
        lost = PQstatus(handle_.get()) == CONNECTION_BAD;
        continue;  // between the results of two statements
      }
      const ExecStatusType status = PQresultStatus(result.get());
      synced = status == PGRES_PIPELINE_SYNC;
      const bool good = synced || status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
      if (!good && !error) error = std::move(result);
    }
    if (lost) fail(nullptr);
    PQexitPipelineMode(handle_.get());
    return error;
  }

  std::string url_;
  std::string name_;
  Access access_;
  std::unique_ptr<PGconn, Finish> handle_;
  int statements_ = 0;
};

class PostgresQuery final : public Query {
 public:
  PostgresQuery(PostgresConnection& connection, std::string_view text)
      : connection_(connection), name_(connection.next_statement_name()) {
    DISSENSUS_ASSERT(!connection.is_pipelined(),
                     "postgres : statements are prepared outside of transactions");
    const std::string words = with_dollars(text);
    connection.check(
        Result(PQprepare(connection.handle(), name_.c_str(), words.c_str(), 0, nullptr)));
  }

  Query& bind(int position, std::int64_t value) override {
    return set_number(position, fmt::format("{}", value));
  }
  Query& bind(int position, double value) override {
    return set_number(position, fmt::format("{}", value));
  }
  Query& bind_text(int position, std::string_view text) override {
    return bind_bytes(position, text);
  }
  Query& bind_bytes(int position, std::string_view bytes) override {
    Parameter& parameter = at(position);
    parameter.bytes = bytes;
    parameter.is_binary = true;
    return *this;
  }

  bool step() override {
    if (!result_) {
      DISSENSUS_ASSERT(!connection_.is_pipelined(),
                       "postgres : rows are read outside of transactions");
      list_parameters();
      result_.reset(PQexecPrepared(connection_.handle(), name_.c_str(), count(), values_.data(),
                                   lengths_.data(), formats_.data(), 1));
      connection_.check(result_);
      row_ = -1;
    }
    return ++row_ < PQntuples(result_.get());
  }

  void reset() override {
    result_.reset();
    row_ = -1;
  }

  std::int64_t changes() const override { return changes_; }

  void run() override {
    list_parameters();
    if (connection_.is_pipelined()) {
      if (PQsendQueryPrepared(connection_.handle(), name_.c_str(), count(), values_.data(),
                              lengths_.data(), formats_.data(), 1) == 0) {
        connection_.fail(nullptr);
      }
      return;
    }
    const Result result(PQexecPrepared(connection_.handle(), name_.c_str(), count(), values_.data(),
                                       lengths_.data(), formats_.data(), 1));
    connection_.check(result);
    changes_ = std::strtoll(PQcmdTuples(result.get()), nullptr, 10);
  }

  std::int64_t integer(int column) const override {
    const std::string_view bytes = text(column);
    // Numbers come with the high byte first; a shorter one is extended by its sign.
    std::uint64_t value = !bytes.empty() && (bytes[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
    return static_cast<std::int64_t>(value);
  }
  double real(int column) const override { return std::bit_cast<double>(integer(column)); }
  std::string_view text(int column) const override {
    return {PQgetvalue(result_.get(), row_, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
  }

 private:
  struct Parameter {
    std::string number;
    std::string_view bytes;
    bool is_binary = false;
  };

  Parameter& at(int position) {
    const auto index = static_cast<std::size_t>(position - 1);
    if (parameters_.size() <= index) parameters_.resize(index + 1);
    return parameters_[index];
  }
  Query& set_number(int position, std::string text) {
    Parameter& parameter = at(position);
    parameter.number = std::move(text);
    parameter.is_binary = false;
    return *this;
  }
  int count() const { return static_cast<int>(parameters_.size()); }

  void list_parameters() {
    values_.clear();
    lengths_.clear();
    formats_.clear();
    for (const Parameter& parameter : parameters_) {
      const std::string_view bytes = parameter.is_binary ? parameter.bytes : parameter.number;
      values_.push_back(bytes.empty() ? "" : bytes.data());
      lengths_.push_back(static_cast<int>(bytes.size()));
      formats_.push_back(parameter.is_binary ? 1 : 0);
    }
  }

  PostgresConnection& connection_;
  std::string name_;
  std::vector<Parameter> parameters_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  Result result_;
  int row_ = -1;
  std::int64_t changes_ = 0;
};

std::unique_ptr<Query> PostgresConnection::prepare(std::string_view text) {
  return std::make_unique<PostgresQuery>(*this, text);
}

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string& url, Access access) {
  return std::make_unique<PostgresConnection>(url, access);
}

}  // namespace dissensus::hunt::sql
