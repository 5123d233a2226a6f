// The verb serve: runs, stores and hunts in the browser.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "cli/answer.h"
#include "cli/interrupt.h"
#include "cli/plugins.h"
#include "cli/verb.h"
#include "serve/explorer.h"
#include "serve/listen.h"
#include "serve/pages.h"

namespace dissensus::cli {

namespace {

struct ServeOptions {
  std::vector<std::string> sources;
  std::string listen = "127.0.0.1";
  std::string runs_folder = "runs";
  double seconds = 0;
  PluginOptions plugins;
  OutputOptions output;
};

std::vector<std::string> sources_of(const ServeOptions& options) {
  if (!options.sources.empty()) return options.sources;
  if (!std::filesystem::is_directory(options.runs_folder)) {
    throw InputError(
        "nothing to serve: expected a run folder, a folder of runs, a trace or a "
        "store (there is no folder 'runs' here)");
  }
  return {options.runs_folder};
}

struct ServeAnswer {
  std::string address;
  bool pages = false;
  std::size_t runs = 0;
  std::size_t stores = 0;
};
template <class Visit>
constexpr void fields_of(const ServeAnswer*, const Visit& visit) {
  visit("address", &ServeAnswer::address, "of this time alone: it holds the key");
  visit("pages", &ServeAnswer::pages, "they are part of this program");
  visit("runs", &ServeAnswer::runs);
  visit("stores", &ServeAnswer::stores);
}
const AnswerRegistration kServeAnswer = answers_with<ServeAnswer>("serve");

/// Printed once, on a line of its own, when requests are answered (docs/formats/api.md).
void announce(const ServeOptions& options, const serve::Library& library,
              const serve::ListenAddress& listen, const std::string& address) {
  if (options.output.json) {
    const ServeAnswer answer{address, serve::has_pages(), library.runs().size(), library.stores()};
    fmt::print("{}\n", dissensus::json_of(answer).dump());
  } else if (!options.output.quiet) {
    if (!listen.is_loopback) {
      fmt::print(
          "whoever reaches {} and knows the address below reads these runs and makes new "
          "ones; nothing is encrypted\n",
          listen.address);
    }
    if (!serve::has_pages()) fmt::print("{}\n", serve::kNoPages);
    fmt::print("{} runs, {} stores; Ctrl-C ends\n", library.runs().size(), library.stores());
    fmt::print("{}\n", address);
  }
  std::fflush(stdout);
}

ExitCode serve_sources(const ServeOptions& options) {
  const Registry registry = options.plugins.load();
  const serve::ListenAddress listen = serve::parse_listen(options.listen);
  catch_interrupts();
  serve::Library library(registry.systems);
  for (const std::string& source : sources_of(options)) library.add_source(source);
  serve::Explorer explorer(library, {options.runs_folder, options.plugins.words()});
  serve::GuardRules rules;
  rules.token = serve::new_token();
  serve::HttpOptions http;
  http.address = listen.address;
  http.port = listen.port;
  // The rules name the port, which is known only when somebody listens.
  std::atomic<bool> is_ready{false};
  serve::HttpServer server(http, [&](const serve::Request& request) {
    while (!is_ready) std::this_thread::yield();
    serve::Target target;
    if (auto refusal = serve::refuse(request, rules, target)) return std::move(*refusal);
    return explorer.answer(request, target);
  });
  rules.hosts = serve::hosts_of(listen, server.port());
  is_ready = true;
  announce(options, library, listen,
           fmt::format("http://{}/{}/", rules.hosts.front(), rules.token));
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> most(options.seconds);
  while (!is_interrupted() &&
         (options.seconds == 0 || std::chrono::steady_clock::now() - begin < most)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  explorer.stop();
  return kAllHeld;
}

}  // namespace

Verb add_serve_verb(CLI::App& program) {
  CLI::App* app = program.add_subcommand("serve", "Show runs, stores and hunts in the browser");
  const auto options = std::make_shared<ServeOptions>();
  app->add_option("source", options->sources,
                  "Run folders, folders of runs, traces (.jsonl.gz), stores (SQLite file or URL), "
                  "models (.tla), conformance findings (.json); default: runs");
  app->add_option("--listen", options->listen,
                  "Address of this machine, with a port or a free one: 127.0.0.1:8080")
      ->capture_default_str();
  app->add_option("--runs-folder", options->runs_folder,
                  "Where runs are written that are made in the browser")
      ->capture_default_str();
  app->add_option("--for", options->seconds, "End after so many seconds; 0: when interrupted")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  options->plugins.add_to(*app);
  options->output.add_to(*app);
  app->footer(
      "Examples:\n  dissensus serve runs/latest\n  dissensus serve runs/latest-hunt/store.sqlite");
  return {app, [options] { return serve_sources(*options); }};
}

}  // namespace dissensus::cli
