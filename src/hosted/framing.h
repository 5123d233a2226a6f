// Where one message ends and the next begins in a stream of bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hosted/plan.h"

namespace dissensus::hosted {

class Framer {
 public:
  explicit Framer(Framing framing) : framing_(framing) {}

  /// The whole messages that these bytes complete. What does not look like a message, or is larger
  /// than a mebibyte, is passed on as it comes.
  std::vector<std::string> add(std::string_view bytes);
  /// What is left at the end of the stream.
  std::string rest() { return std::move(buffer_); }

 private:
  /// Length of the first message in the buffer; 0: not complete.
  std::size_t first_length() const;

  Framing framing_;
  bool is_opaque_ = false;  ///< it was not what it should be
  std::string buffer_;
};

}  // namespace dissensus::hosted
