// The steps of a validator that the formal model knows: specs/xrpl/README.md.
#pragma once

#include <cstdint>
#include <vector>

#include "dissensus/description.h"

namespace dissensus::xrpl {

/// In the order of describe_steps.
enum class Step : std::uint8_t {
  start_round,
  close,
  update_position,
  accept,
  bow_out,
  receive_proposal,
  receive_bow_out,
  expire,
  got_set,
  build,
  validate,
  receive_validation,
  count_tip,
  drop_tip,
  fully_validate,
  switch_ledger,
};

std::vector<StepDescription> describe_steps();

}  // namespace dissensus::xrpl
