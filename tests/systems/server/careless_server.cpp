// Built with AddressSanitizer. Keeps one table; others tell it to read from it and to close it. It
// forgets to forget the table when it closes it, which nobody notices as long as messages come in
// the order in which they were sent.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::uint16_t kPort = 5000;

sockaddr_in address_of(const char* ip) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  inet_pton(AF_INET, ip, &address.sin_addr);
  return address;
}

int keep(const char* ip) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = address_of(ip);
  bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  listen(listener, 8);
  int* const table = static_cast<int*>(std::calloc(4, sizeof(int)));
  for (;;) {
    const int peer = accept(listener, nullptr, nullptr);
    char word = 0;
    if (read(peer, &word, 1) != 1) continue;
    if (word == 'r') {
      std::printf("read %d\n", table[3]);
    } else {
      std::free(table);
      std::printf("closed\n");
    }
    std::fflush(stdout);
    close(peer);
  }
}

int tell(const char* ip, const std::string& word, unsigned milliseconds) {
  usleep(milliseconds * 1000);
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = address_of(ip);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 1;
  if (write(server, word.data(), 1) != 1) return 1;
  for (;;) pause();
}

}  // namespace

int main(int, char** arguments) {
  const std::string role = arguments[1];
  if (role == "keep") return keep(arguments[2]);
  return tell(arguments[2], role, role == "read" ? 1000 : 1200);
}
