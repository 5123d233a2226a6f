#include "systems/process/child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dissensus/outside.h"

#include "systems/process/guardian.h"

extern char** environ;

namespace dissensus::process {

namespace {

constexpr std::size_t kErrorsMax = 64u << 10;
constexpr std::size_t kChunk = 64u << 10;

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> result = added;
  const auto is_added = [&added](std::string_view name) {
    return std::any_of(added.begin(), added.end(), [&](const std::string& variable) {
      return std::string_view(variable).substr(0, variable.find('=')) == name;
    });
  };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!is_added(text.substr(0, text.find('=')))) result.emplace_back(text);
  }
  // Iteration over Python's sets of texts follows a seed that differs from run to run.
  if (!is_added("PYTHONHASHSEED")) result.emplace_back("PYTHONHASHSEED=0");
  return result;
}

/// A descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void reset(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

bool make_pipe(Descriptor& reading, Descriptor& writing) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  reading.reset(ends[0]);
  writing.reset(ends[1]);
  return true;
}

/// False: nobody has written one.
bool read_number(int descriptor, int& number) {
  int read = 0;
  if (::read(descriptor, &read, sizeof read) != sizeof read) return false;
  number = read;
  return true;
}

void never_block(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Child::Child(const Launch& launch) {
  const std::vector<std::string> environment = environment_with(launch.environment);
  Descriptor output_read, output_write, errors_read, errors_write, report_read, report_write;
  Descriptor life_read, life_write, status_read, status_write;
  std::array<int, 2> ends{};
  // A socket, so that writing to a program that has ended is an error and no signal.
  bool is_made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
  Descriptor ours(is_made ? ends[0] : -1);
  Descriptor theirs(is_made ? ends[1] : -1);
  is_made = is_made && make_pipe(output_read, output_write) &&
            make_pipe(errors_read, errors_write) && make_pipe(report_read, report_write) &&
            make_pipe(life_read, life_write) && make_pipe(status_read, status_write);
  int error = is_made ? 0 : errno;
  if (is_made) {
    guardian_ =
        start_guarded({pointers_to(launch.command), pointers_to(environment), launch.folder.c_str(),
                       theirs.get(), output_write.get(), errors_write.get(), report_write.get(),
                       life_read.get(), status_write.get()});
    error = guardian_ < 0 ? errno : 0;
    report_write.close();
    if (guardian_ > 0) {
      read_number(report_read.get(), pid_);
      if (read_number(report_read.get(), error)) ::waitpid(guardian_, nullptr, 0);
    }
  }
  if (error != 0) {
    throw OutsideError(fmt::format("{}: cannot be started{}: {}", launch.command.front(),
                                   launch.folder.empty() ? "" : " in " + launch.folder,
                                   std::strerror(error)));
  }
  input_ = ours.release();
  output_ = output_read.release();
  errors_ = errors_read.release();
  life_ = life_write.release();
  status_end_ = status_read.release();
  for (const int descriptor : {input_, output_, errors_}) never_block(descriptor);
}

Child::~Child() {
  end();
  for (const int descriptor : {input_, output_, errors_, status_end_}) ::close(descriptor);
}

void Child::end() {
  ::close(std::exchange(life_, -1));
  while (guardian_ > 0 && ::waitpid(guardian_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guardian_ = -1;
}

bool Child::fail(Trouble trouble) {
  if (trouble_ == Trouble::none) trouble_ = trouble;
  return false;
}

bool Child::has_ended() {
  if (guardian_ <= 0 || ::waitpid(guardian_, nullptr, WNOHANG) != guardian_) return false;
  guardian_ = -1;
  drain_errors();
  int status = SIGKILL;  // should somebody have ended the guardian, the program went the same way
  read_number(status_end_, status);
  status_ = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  fail(WIFSIGNALED(status) ? Trouble::crash : Trouble::exit);
  return true;
}

/// It closed its output: it has ended, or is about to.
bool Child::fail_at_end() {
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() >= deadline_) {
      drain_errors();
      return fail(Trouble::silence);  // it lives on
    }
    ::poll(nullptr, 0, 1);
  }
  return false;
}

void Child::begin_answer(const ReadLimits& limits) {
  limits_ = limits;
  answered_bytes_ = 0;
  deadline_ = std::chrono::steady_clock::now() + limits.answer;
}

bool Child::wait(bool for_writing) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) return !has_ended() && fail(Trouble::silence);
    std::array<pollfd, 3> waited{
        {{output_, POLLIN, 0}, {errors_, POLLIN, 0}, {for_writing ? input_ : -1, POLLOUT, 0}}};
    const int count = ::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (count < 0 && errno != EINTR) return fail(Trouble::silence);
    if (count <= 0) continue;
    if (waited[1].revents != 0) drain_errors();
    if (waited[0].revents != 0 || waited[2].revents != 0) return true;
  }
}

bool Child::write(std::string_view line) {
  if (trouble_ != Trouble::none) return false;
  while (!line.empty()) {
    const ssize_t count = ::send(input_, line.data(), line.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      line.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // It may be waiting for us to read what it says.
      if (!wait(true) || !fill()) return false;
    } else if (errno != EINTR) {
      return fail_at_end();
    }
  }
  return true;
}

/// Reads what there is. False: trouble.
bool Child::fill() {
  if (next_ > 0) {
    buffer_.erase(0, next_);
    scanned_ -= next_;
    next_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const ssize_t count = ::read(output_, buffer_.data() + before, kChunk);
  const int error = errno;
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count == 0) return fail_at_end();
  if (count < 0) return error == EAGAIN || error == EINTR || fail_at_end();
  answered_bytes_ += static_cast<std::size_t>(count);
  if (answered_bytes_ > limits_.answer_bytes) return fail(Trouble::flood);
  return true;
}

bool Child::take_line(std::string_view& line) {
  const std::size_t end = buffer_.find('\n', std::max(scanned_, next_));
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    return false;
  }
  line = std::string_view(buffer_).substr(next_, end - next_);
  next_ = end + 1;
  scanned_ = next_;
  return true;
}

bool Child::read(std::string_view& line) {
  if (trouble_ != Trouble::none) return false;
  while (!take_line(line)) {
    if (scanned_ - next_ > limits_.line_bytes) return fail(Trouble::flood);
    if (!wait(false) || !fill()) return false;
  }
  return true;
}

namespace {

namespace fs = std::filesystem;

/// The first bytes of a file of /proc; empty: there is no such file any more, or not for us.
std::string text_of(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  const ssize_t size = file.get() < 0 ? 0 : ::read(file.get(), text.data(), text.size());
  return std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

enum class Activity : std::uint8_t { waits, sleeps, works, ends };

/// What a thread does, as the kernel says.
Activity activity_of(const fs::path& task) {
  const std::string text = text_of(task / "stat");
  const std::size_t end = text.rfind(')');
  const char state = end == text.npos || end + 2 >= text.size() ? 'Z' : text[end + 2];
  if (state == 'Z' || state == 'X') return Activity::ends;
  if (state == 'T' || state == 't') return Activity::waits;
  if (state != 'S') return Activity::works;
  const std::string call = text_of(task / "syscall");
  const bool is_asleep = call.starts_with(fmt::format("{} ", SYS_nanosleep)) ||
                         call.starts_with(fmt::format("{} ", SYS_clock_nanosleep));
  return is_asleep ? Activity::sleeps : Activity::waits;
}

/// What a process does, or those that it has started: whoever is most active.
Activity activity_of(pid_t pid, std::vector<pid_t>& children) {
  Activity most = Activity::waits;
  std::error_code error;
  bool any = false;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", pid), error)) {
    any = true;
    most = std::max(most, activity_of(task.path()));
    std::istringstream numbers(text_of(task.path() / "children"));
    for (pid_t child = 0; numbers >> child;) children.push_back(child);
  }
  return any ? most : Activity::ends;
}

}  // namespace

bool Child::settle() {
  using Steady = std::chrono::steady_clock;
  constexpr auto kSleepMax = std::chrono::milliseconds(200);
  constexpr auto kHelpersMax = std::chrono::seconds(1);
  const auto begin = Steady::now();
  while (trouble_ == Trouble::none && !has_ended()) {
    std::vector<pid_t> others;
    const Activity own = activity_of(pid_, others);
    Activity helpers = Activity::waits;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (activity_of(others[i], others) == Activity::works) helpers = Activity::works;
    }
    const auto time = Steady::now() - begin;
    const bool may_work_on = own >= Activity::works && time < limits_.answer;
    const bool may_wake_up = own == Activity::sleeps && time < kSleepMax;
    if (!may_work_on && !may_wake_up && (helpers == Activity::waits || time > kHelpersMax)) {
      return true;
    }
    ::poll(nullptr, 0, 1);
  }
  return false;
}

void Child::drain_errors() {
  std::array<char, 4096> chunk;
  // Bounded: a program that writes as fast as we read must not keep us here.
  for (int times = 0; times < 64; ++times) {
    const ssize_t count = ::read(errors_, chunk.data(), chunk.size());
    if (count <= 0) {
      if (count == 0) {  // closed; poll would report that for ever
        ::close(errors_);
        errors_ = -1;
      }
      return;
    }
    const std::size_t room = kErrorsMax - std::min(kErrorsMax, kept_errors_.size());
    kept_errors_.append(chunk.data(), std::min(room, static_cast<std::size_t>(count)));
  }
}

std::string Child::take_errors() {
  if (errors_ >= 0) drain_errors();
  return std::exchange(kept_errors_, {});
}

}  // namespace dissensus::process
