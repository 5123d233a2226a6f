#include "run/recording.h"

namespace dissensus::run {

RunOptions with_trace() {
  RunOptions options;
  options.detail = trace::Detail::everything;
  return options;
}

RunOptions with_everything() {
  RunOptions options = with_trace();
  options.metrics = true;
  options.log = true;
  return options;
}

}  // namespace dissensus::run
