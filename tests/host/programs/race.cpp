// Built with ThreadSanitizer: two threads change the same number without asking each other.
#include <cstdio>
#include <thread>

namespace {
int g_number = 0;
}

int main() {
  std::thread one([] { ++g_number; });
  std::thread other([] { ++g_number; });
  one.join();
  other.join();
  std::printf("%d\n", g_number);
}
