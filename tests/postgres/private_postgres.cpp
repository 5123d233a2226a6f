#include "postgres/private_postgres.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dissensus::test {

namespace {

namespace fs = std::filesystem;

/// Debian's folder, or the one that scripts/setup has extracted it to.
std::string server_folder() {
  for (const char* const root : {"", "/opt/dissensus/postgresql"}) {
    const std::string folder = std::string(root) + "/usr/lib/postgresql/15/bin";
    if (fs::exists(folder + "/initdb")) return folder;
  }
  return {};
}

constexpr uid_t kNobody = 65534;

/// A child that ends with us; PostgreSQL refuses to be root.
pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  // Nothing is allocated here: another thread may have held the allocator's lock.
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (getppid() != parent) _exit(126);
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file >= 0) {
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
  }
  execv(arguments[0], arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

bool PrivatePostgres::is_installed() {
  return !server_folder().empty();
}

PrivatePostgres& PrivatePostgres::instance() {
  static PrivatePostgres server;
  return server;
}

PrivatePostgres::PrivatePostgres() {
  std::string pattern = (fs::temp_directory_path() / "dissensus-postgres-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
  folder_ = pattern;
  if (geteuid() == 0 && chown(pattern.c_str(), kNobody, kNobody) != 0) {
    throw std::runtime_error("chown " + pattern);
  }
  const pid_t initdb = spawn({server_folder() + "/initdb", "-D", folder_ / "data", "-A", "trust",
                              "-U", "dissensus", "--no-sync", "--no-locale", "-E", "UTF8"},
                             folder_ / "initdb.log");
  if (wait_for(initdb) != 0) throw std::runtime_error("initdb failed in " + pattern);
  start();
}

PrivatePostgres::~PrivatePostgres() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PrivatePostgres::start() {
  server_ = spawn({server_folder() + "/postgres", "-D", folder_ / "data", "-k", folder_.string(),
                   "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=100"},
                  folder_ / "log");
  await();
}

void PrivatePostgres::stop() {
  if (server_ < 0) return;
  kill(server_, SIGQUIT);
  wait_for(server_);
  server_ = -1;
}

void PrivatePostgres::await() {
  for (int i = 0; i < 600; ++i) {
    if (PQping(url("postgres").c_str()) == PQPING_OK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("PostgreSQL did not start, see " + (folder_ / "log").string());
}

std::string PrivatePostgres::url(const std::string& database) const {
  return fmt::format("postgresql://dissensus@/{}?host={}", database, folder_.string());
}

std::string PrivatePostgres::create_database() {
  const std::string name = fmt::format("test{}", ++databases_);
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
      PQconnectdb(url("postgres").c_str()), PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexec(connection.get(), ("CREATE DATABASE " + name).c_str()), PQclear);
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
    throw std::runtime_error(PQerrorMessage(connection.get()));
  }
  return url(name);
}

}  // namespace dissensus::test
