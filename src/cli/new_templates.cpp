#include "cli/new_templates.h"

namespace dissensus::cli {

namespace {

constexpr std::string_view kSource =
    R"text(// @NAME@: a server lends something to one client at a time. Replace it by your own protocol;
// docs/guides/your-first-system.md explains each part.
#include <deque>

#include "dissensus/dissensus.h"

namespace {

using namespace dissensus;

constexpr NodeId kServer = 0;
constexpr Duration kSlot = std::chrono::milliseconds(100);

struct Ask {
  static constexpr MessageKind kind() { return 0; }
  std::uint64_t number;
};
struct Grant {
  static constexpr MessageKind kind() { return 1; }
  std::uint64_t number;
  std::uint64_t until_us;  ///< by the server's clock
};

SystemDescription describe() {
  SystemDescription description;
  description.name = "@NAME@";
  description.summary = "a server lends something to one client at a time";
  description.message<Ask>("Ask").field("number", SemanticType::sequence, &Ask::number);
  description.message<Grant>("Grant")
      .field("number", SemanticType::sequence, &Grant::number)
      .field("until_us", SemanticType::time, &Grant::until_us);
  // What nodes must agree on: who has the lease in each tenth of a second.
  description.levels = {{.name = "holder", .validity = false}};
  return description;
}

struct Settings {
  std::size_t nodes = 3;
  Duration lease = std::chrono::milliseconds(500);
  bool fixed = false;
};

class Server final : public Node {
 public:
  explicit Server(const Settings& settings) : settings_(settings) {}
  void start(Context&) override {}

  void receive(Context& context, NodeId from, const Message& message) override {
    if (message.get<Ask>() == nullptr) return;
    waiting_.push_back(from);
    if (!lent_) lend(context);
  }

  void timer(Context& context, TimerId, std::uint64_t) override {
    lent_ = false;
    if (!waiting_.empty()) lend(context);
  }

 private:
  void lend(Context& context) {
    const Time until = context.now() + settings_.lease;
    context.send(waiting_.front(),
                 Grant{number_++, static_cast<std::uint64_t>(microseconds_of(until))});
    waiting_.pop_front();
    lent_ = true;
    context.set_timer(settings_.lease);
  }

  const Settings& settings_;
  std::deque<NodeId> waiting_;
  std::uint64_t number_ = 0;
  bool lent_ = false;
};

class Client final : public Node {
 public:
  explicit Client(const Settings& settings) : settings_(settings) {}

  void start(Context& context) override { context.send(kServer, Ask{asked_++}); }

  void receive(Context& context, NodeId, const Message& message) override {
    const auto* grant = message.get<Grant>();
    if (grant == nullptr) return;
    // The mistake: the grant has been under way for a while, and the server counts from the moment
    // when it sent it.
    until_ = settings_.fixed ? time_of_microseconds(static_cast<std::int64_t>(grant->until_us))
                             : context.now() + settings_.lease;
    use(context);
  }

  void timer(Context& context, TimerId, std::uint64_t) override { use(context); }

 private:
  /// Has the lease in this tenth of a second, if it has it all the time, and looks again in the
  /// next one.
  void use(Context& context) {
    const std::int64_t slot = microseconds_of(context.now()) / kSlot.count();
    const Time next = time_of_microseconds((slot + 1) * kSlot.count());
    if (next > until_) {
      if (context.logging()) context.log("the lease is over");
      context.send(kServer, Ask{asked_++});
      return;
    }
    context.decided(0, static_cast<std::uint64_t>(slot), context.self());
    context.set_timer(next - context.now());
  }

  const Settings& settings_;
  Time until_{};
  std::uint64_t asked_ = 0;
};

class @TYPE@ final : public System {
 public:
  explicit @TYPE@(const Options& options) : description_(describe()) {
    settings_.nodes = static_cast<std::size_t>(options.integer("nodes", 3, 2, 100));
    settings_.lease = options.duration("lease", settings_.lease);
    settings_.fixed = options.boolean("fixed", false);
  }
  const SystemDescription& description() const override { return description_; }
  std::size_t node_count() const override { return settings_.nodes; }
  std::unique_ptr<Node> make_node(NodeId id) const override {
    if (id == kServer) return std::make_unique<Server>(settings_);
    return std::make_unique<Client>(settings_);
  }

 private:
  Settings settings_;
  SystemDescription description_;
};

}  // namespace

DISSENSUS_PLUGIN(registry) {
  registry.systems.add({"@NAME@", "a server lends something to one client at a time",
                        [](const Options& options) { return std::make_unique<@TYPE@>(options); }});
}
)text";

constexpr std::string_view kScenario = R"text(format = "dissensus-scenario/1"
name = "@NAME@"
description = "Clients ask for a lease; messages may be late."

[system]
kind = "@NAME@"
nodes = 3

[network]
latency = { uniform = ["5ms", "20ms"] }

[schedule]
type = "delay"
max_delay = "300ms"

[limits]
virtual_time = "20s"
)text";

constexpr std::string_view kBuild = R"text(cmake_minimum_required(VERSION 3.25)
project(@FILE@ LANGUAGES CXX)
find_package(dissensus QUIET)
if(NOT dissensus_FOUND)
  message(FATAL_ERROR "Dissensus is not installed where CMake looks. Install it (`make install PREFIX=...` in its checkout) "
                      "and name the place: cmake -B build -DCMAKE_PREFIX_PATH=PREFIX. README.md says how to do without CMake.")
endif()
dissensus_plugin(@FILE@ @FILE@.cpp)

# `ctest --test-dir build`: what must hold. Exit code 0 means that no violation was found.
enable_testing()
set(dissensus_words ${CMAKE_SOURCE_DIR}/@FILE@.toml --plugin $<TARGET_FILE:@FILE@>)
add_test(NAME without_delays COMMAND dissensus::program run ${dissensus_words})
add_test(NAME fixed COMMAND dissensus::program hunt ${dissensus_words} --set system.fixed=true --budget 500runs)
)text";

constexpr std::string_view kReadme = R"(# @NAME@

A system for Dissensus: `@FILE@.cpp` is the protocol, `@FILE@.toml` the scenario.

    cmake -B build && cmake --build build
    dissensus hunt @FILE@.toml --plugin build/@FILE@.so
    dissensus diff runs/latest/minimal --plugin build/@FILE@.so
    ctest --test-dir build

Without CMake:

    c++ -std=c++20 -O2 -shared -fPIC $(pkg-config --cflags dissensus) @FILE@.cpp -o @FILE@.so

and, where Dissensus is not installed, `-I CHECKOUT/include` in the place of `$(pkg-config ...)`.
)";

}  // namespace

const std::vector<NewFile>& new_files() {
  static const std::vector<NewFile> files{{"@FILE@.cpp", kSource},
                                          {"@FILE@.toml", kScenario},
                                          {"CMakeLists.txt", kBuild},
                                          {"README.md", kReadme},
                                          {".gitignore", "build/\nruns/\n*.so\n"}};
  return files;
}

}  // namespace dissensus::cli
