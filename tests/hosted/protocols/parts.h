// What tests of protocols ask of the parts of a stream.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hosted/protocols/protocol.h"
#include "hosted/protocols/raft.h"

namespace dissensus::protocols {

inline const Protocol& named(std::string_view name) {
  const std::vector<std::string_view> names = protocol_names();
  return protocol(
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
}

/// What a message of Raft says.
inline const RaftFields& raft(const Part& part) {
  return dynamic_cast<const RaftFields&>(*part.content);
}

inline std::vector<std::string> names(const Protocol& protocol, const std::vector<Part>& parts) {
  std::vector<std::string> result;
  for (const Part& part : parts) {
    result.push_back(part.kind ? protocol.kinds.at(*part.kind) : "bytes");
  }
  return result;
}

inline std::string joined(const std::vector<Part>& parts) {
  std::string all;
  for (const Part& part : parts) all += part.bytes;
  return all;
}

/// Whatever comes after `question`, and however it is cut, what goes out is what came in.
inline void expect_no_byte_lost(const Protocol& protocol, std::string_view question,
                                const std::string& good, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 2000; ++round) {
    const auto reader = protocol.make_reader();
    reader->add(true, question);
    std::string stream = good;
    for (std::size_t changes = below(6); changes > 0; --changes) {
      stream[below(stream.size())] = static_cast<char>(below(256));
    }
    std::string seen;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t count = 1 + below(stream.size() - at);
      seen += joined(reader->add(false, std::string_view(stream).substr(at, count)));
      at += count;
    }
    ASSERT_EQ(seen + reader->rest(false), stream) << round;
  }
}

}  // namespace dissensus::protocols
