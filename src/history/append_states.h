// Texts that grow by appending, as states of a search. Only what somebody saw matters: a text with
// which no seen text begins can never be seen again, nor can anything that it grows to, so that all
// such texts are one state. The others are beginnings of seen texts. With these in order, a
// beginning is a range of them and a length, and appending narrows the range.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "history/linear_search.h"

namespace dissensus::history {

class AppendStates : public StateMachine {
 public:
  static constexpr StateId kUnseen = 0;  ///< all texts that lead to nothing that was seen

  /// Texts must outlive this object.
  explicit AppendStates(std::vector<std::string_view> seen);

  StateId state_of(std::string_view text);
  /// The number by which steps name a text that is appended: their `a`.
  std::uint32_t piece_of(std::string_view text);

  StateId step(StateId state, const LinearStep& step) override;
  bool may_lead(StateId from, StateId to) override;
  std::size_t memory_bytes() const override;
  std::string_view text_of(StateId state) const;  ///< empty for kUnseen
  std::string_view piece(std::uint32_t number) const { return pieces_[number]; }

 private:
  struct Beginning {
    std::uint32_t first = 0;  ///< of the seen texts that begin so
    std::uint32_t last = 0;   ///< one behind
    std::uint32_t length = 0;
  };
  StateId after(const Beginning& beginning, std::string_view piece);

  std::vector<std::string_view> seen_;  ///< in order, each once
  std::vector<Beginning> states_;
  std::vector<std::string_view> pieces_;
  std::unordered_map<std::uint64_t, StateId> ids_;    ///< first and length to state
  std::unordered_map<std::uint64_t, StateId> steps_;  ///< state and piece to state
};

}  // namespace dissensus::history
