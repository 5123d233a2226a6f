// Messages between a worker process and its parent.
#pragma once

#include <functional>
#include <string>

namespace dissensus::run {

bool write_message(int channel, const std::string& bytes);
/// Asked a few times a second while nothing comes; true ends the wait. May be empty.
using GiveUp = std::function<bool()>;
/// False: the other side is gone, or `give_up` said so.
bool read_message(int channel, std::string& bytes, const GiveUp& give_up = {});

}  // namespace dissensus::run
