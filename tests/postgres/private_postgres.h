// A PostgreSQL of the test's own: Debian's server as an ordinary user, in a temporary folder, on a
// socket, gone with the test program.
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace dissensus::test {

class PrivatePostgres {
 public:
  /// False: the server's programs are not installed.
  static bool is_installed();
  /// Started when it is first asked for. Throws std::runtime_error.
  static PrivatePostgres& instance();

  /// The URL of a new, empty database.
  std::string create_database();
  std::string url(const std::string& database) const;
  /// Its own, where tests may put what the server needs.
  const std::filesystem::path& folder() const { return folder_; }
  /// Ends the server at once, as a crash would.
  void stop();
  /// The server ends with the thread that has started it.
  void start();
  void restart() {
    stop();
    start();
  }

 private:
  PrivatePostgres();
  ~PrivatePostgres();
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  void await();

  std::filesystem::path folder_;
  pid_t server_ = -1;
  int databases_ = 0;
};

}  // namespace dissensus::test
