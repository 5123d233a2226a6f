// A program that does what its arguments say, word by word, for tests that know what comes of it:
//   script say hello helper { sleep 100 abort } sleep 500 exit 1
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

using Words = std::vector<std::string>;

pid_t last_helper = -1;
int last_socket = -1;

/// One write per line, so that those of several processes do not mix.
void say(const std::string& text) {
  const std::string line = text + "\n";
  if (write(1, line.data(), line.size()) < 0) _exit(70);
}

void say_result(const std::string& what, long result) {
  say(what + ": " + (result >= 0 ? "done" : std::strerror(errno)));
}

void sleep_for(long milliseconds) {
  timespec rest{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

[[noreturn]] void compute() {
  volatile unsigned long value = 0;
  for (;;) value = value * 3 + 1;
}

[[noreturn]] void flood() {
  const std::string piece(1 << 16, 'o');
  for (;;) {
    if (write(1, piece.data(), piece.size()) < 0) _exit(70);
  }
}

[[noreturn]] void fork_bomb() {
  for (;;) {
    if (fork() < 0) sched_yield();
  }
}

int semaphore() {
  return semget(0x5e3a, 1, IPC_CREAT | 0600);
}

long change_semaphore(short by, long patience_ms) {
  sembuf operation{0, by, 0};
  if (patience_ms == 0) return semop(semaphore(), &operation, 1);
  const timespec patience{patience_ms / 1000, patience_ms % 1000 * 1'000'000};
  return semtimedop(semaphore(), &operation, 1, &patience);
}

struct Note {
  long type = 1;
  char text[8] = "note";
};

int queue() {
  return msgget(0x5e3a, IPC_CREAT | 0600);
}

mqd_t posix_queue() {
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  return mq_open("/script", O_RDWR | O_CREAT, 0600, &attributes);
}

/// Whoever else opens this file waits until it is given back.
void lease_file() {
  const int file = open("leased", O_RDWR | O_CREAT, 0600);
  say_result("leased", fcntl(file, F_SETLEASE, F_WRLCK));
}

void bind_datagram(int port) {
  last_socket = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int result = bind(last_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  say_result("bound", result);
  if (result != 0) _exit(1);
}

/// What the name stands for, in every family, for machines that have addresses and for all.
void resolve(const std::string& name) {
  for (const int flags : {0, AI_ADDRCONFIG}) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    const int error = getaddrinfo(name.c_str(), "80", &hints, &found);
    std::string text = error != 0 ? gai_strerror(error) : "";
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      char address[64] = "";
      getnameinfo(one->ai_addr, one->ai_addrlen, address, sizeof address, nullptr, 0,
                  NI_NUMERICHOST);
      text += std::string(text.empty() ? "" : " ") + address;
    }
    if (found != nullptr) freeaddrinfo(found);
    say(name + ": " + text);
  }
}

std::string value_of(const std::string& line, const std::string& key) {
  std::size_t at = line.find("\"" + key + "\":");
  if (at == line.npos) return "0";
  at += key.size() + 3;
  int depth = 0;
  bool is_text = false;
  std::size_t end = at;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    if (c == '"' && (end == at || line[end - 1] != '\\')) is_text = !is_text;
    if (is_text) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) break;
      --depth;
    }
    if (c == ',' && depth == 0) break;
  }
  return line.substr(at, end - at);
}

/// Answers so many lines of the plain protocol, and says that it is done with each if it is asked
/// to; 0: all that come.
void serve(long count, bool is_told, const std::string& lie) {
  std::string text;
  for (long i = 0; count == 0 || i < count; ++i) {
    std::size_t end = 0;
    while ((end = text.find('\n')) == text.npos) {
      char piece[4096];
      const ssize_t got = read(0, piece, sizeof piece);
      if (got <= 0) _exit(0);
      text.append(piece, static_cast<std::size_t>(got));
    }
    const std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    std::string type = value_of(line, "type");
    type.insert(type.size() - 1, "_ok");
    const std::string echo = lie.empty() || type == "\"init_ok\"" ? value_of(line, "echo") : lie;
    say("{\"src\":" + value_of(line, "dest") + ",\"dest\":" + value_of(line, "src") +
        ",\"body\":{\"type\":" + type + ",\"in_reply_to\":" + value_of(line, "msg_id") +
        ",\"echo\":" + echo + "}}");
    if (is_told) say("{\"type\":\"done\"}");
  }
}

/// Where the brackets that are open at `at` end.
std::size_t end_of_block(const Words& words, std::size_t at) {
  for (int depth = 1; at < words.size(); ++at) {
    depth += words[at] == "{" ? 1 : words[at] == "}" ? -1 : 0;
    if (depth == 0) return at;
  }
  return words.size();
}

void carry_out(const Words& words) {
  std::size_t at = 0;
  const auto next = [&]() -> std::string { return at < words.size() ? words[at++] : "0"; };
  const auto number = [&] { return std::atol(next().c_str()); };
  while (at < words.size()) {
    const std::string word = words[at++];
    if (word == "say") say(next());
    if (word == "say-part") {
      const std::string text = next();
      if (write(1, text.data(), text.size()) < 0) _exit(70);
    }
    if (word == "say-much") say(std::string(static_cast<std::size_t>(number()) << 10, 'x'));
    if (word == "sleep") sleep_for(number());
    if (word == "exit") _exit(static_cast<int>(number()));
    if (word == "abort") std::abort();
    if (word == "raise") std::raise(static_cast<int>(number()));
    if (word == "stay") {
      for (;;) pause();
    }
    if (word == "compute") compute();
    if (word == "flood") flood();
    if (word == "fork-bomb") fork_bomb();
    if (word == "chatter") {
      for (;;) say("hello");
    }
    if (word == "deaf") {
      for (int signal = 1; signal < 32; ++signal) std::signal(signal, SIG_IGN);
    }
    if (word == "helper") {
      const std::size_t end = end_of_block(words, ++at);
      const Words its(words.begin() + static_cast<std::ptrdiff_t>(at),
                      words.begin() + static_cast<std::ptrdiff_t>(end));
      at = end + 1;
      last_helper = fork();
      if (last_helper == 0) {
        carry_out(its);
        _exit(0);
      }
    }
    if (word == "kill-helper") kill(last_helper, SIGKILL);
    if (word == "wait") {
      while (waitpid(-1, nullptr, 0) > 0) {
      }
    }
    if (word == "semaphore-wait") say_result("semaphore", change_semaphore(-1, number()));
    if (word == "semaphore-post") change_semaphore(1, 0);
    if (word == "message-wait") {
      Note note;
      say_result("message", msgrcv(queue(), &note, sizeof note.text, 0, 0));
    }
    if (word == "message-send") {
      const Note note;
      msgsnd(queue(), &note, sizeof note.text, 0);
    }
    if (word == "posix-message-wait") {
      char text[8];
      say_result("posix message", mq_receive(posix_queue(), text, sizeof text, nullptr));
    }
    if (word == "posix-message-send") mq_send(posix_queue(), "note", 5, 0);
    if (word == "lease") lease_file();
    if (word == "open-leased") say_result("opened", open("leased", O_RDWR));
    if (word == "bind") bind_datagram(static_cast<int>(number()));
    if (word == "close") close(last_socket);
    if (word == "resolve") resolve(next());
    if (word == "serve") serve(number(), false, "");
    if (word == "serve-told") serve(number(), true, "");
    if (word == "lie") serve(0, false, "\"a lie\"");
    if (word == "lie-told") serve(0, true, "\"a lie\"");
  }
}

}  // namespace

int main(int argc, char** argv) {
  carry_out(Words(argv + 1, argv + argc));
  return 0;
}
