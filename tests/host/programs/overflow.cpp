// Built with AddressSanitizer: writes behind the end of what it has allocated, after a while.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::seconds(2)); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("ready\n");
  std::fflush(stdout);
  const std::size_t size = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 16;
  char* const bytes = static_cast<char*>(std::malloc(16));
  for (std::size_t i = 0; i < size; ++i) bytes[i] = 'x';
  std::printf("%c\n", bytes[size / 2]);
  std::free(bytes);
}
