// Durations and digests: what is read is written and read back the same.
#include "dissensus/digest.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dissensus;
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto duration = parse_duration(text)) {
    DISSENSUS_ASSERT(*duration >= Duration{}, "fuzz_scalars : a duration has no sign");
    DISSENSUS_ASSERT(parse_duration(to_string(*duration)) == duration,
                     "fuzz_scalars : a duration survives writing");
  }
  Digest digest;
  if (parse_digest(text, digest)) {
    Digest again;
    DISSENSUS_ASSERT(parse_digest(to_string(digest), again) && again == digest,
                     "fuzz_scalars : a digest survives writing");
  }
  return 0;
}
