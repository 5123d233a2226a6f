#include "options_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dissensus;
  fuzz::read_all([&] { return Options::from_toml(fuzz::text_of(data, size), "fuzz.toml"); });
  return 0;
}
