// Ctrl-C: verbs that work for long end early, with what they have.
#pragma once

namespace dissensus::cli {

/// From now on SIGINT and SIGTERM ask the verb to end; a second one, half a
/// second later or more, ends the program at once.
void catch_interrupts();
bool is_interrupted();

}  // namespace dissensus::cli
