#include "isolate/sampled_source.h"

#include "dissensus/digest.h"
#include "dissensus/random.h"

namespace dissensus::isolate {
namespace {

/// Values of messages that are left out stay where they are: nobody asks for them.
void thin_out(Inbox& inbox, double share, Random& random) {
  std::size_t kept = 0;
  for (const Inbox::Entry& entry : inbox.entries) {
    if (random.chance(share)) inbox.entries[kept++] = entry;
  }
  inbox.entries.resize(kept);
}

}  // namespace

bool SampledSource::next(Run& run) {
  while (source_.next(run)) {
    Random random(sampling_.seed, "sample", digest_of_text(run.name).low);
    const bool is_drawn = random.chance(sampling_.successful);
    if (!run.failing && !is_drawn) continue;
    if (sampling_.messages < 1) {
      for (Inbox& inbox : run.inboxes) thin_out(inbox, sampling_.messages, random);
    }
    return true;
  }
  return false;
}

}  // namespace dissensus::isolate
