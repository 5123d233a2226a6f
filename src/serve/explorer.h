// Answers requests: which address means what (docs/formats/api.md). Knows no sockets.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/guard.h"
#include "serve/http_server.h"
#include "serve/library.h"

namespace dissensus::serve {

struct ExplorerOptions {
  std::string runs_folder = "runs";  ///< where runs that are made here are written
  std::string replay_words;          ///< that a replay command needs beside the folder
};

class Explorer {
 public:
  /// `library` must outlive this.
  Explorer(Library& library, ExplorerOptions options);
  ~Explorer();
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;

  /// Any thread. Throws InputError for what cannot be answered.
  Response answer(const Request& request, const Target& target);
  /// What takes long ends soon.
  void stop() { stopping_ = true; }

 private:
  Response api(const Request& request, const Target& target);
  std::string overview() const;
  Response run_api(const Request& request, const Target& target);
  Response store_api(const Request& request, const Target& target);
  std::string branch(std::size_t id, const std::string& body);
  std::string compare(std::size_t id, const Target& target);
  Response matter(std::size_t id);
  std::string open_row(std::size_t store, std::size_t hunt, const std::string& body);
  std::string causes(std::size_t store);
  std::string compare_hunts(const Target& target) const;

  Library& library_;
  ExplorerOptions options_;
  std::atomic<bool> stopping_{false};
  std::thread ahead_;  ///< reads what will be asked for first
};

}  // namespace dissensus::serve
