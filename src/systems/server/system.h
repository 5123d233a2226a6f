// The system "server": any program that serves a network, unmodified, in virtual time.
#pragma once

#include "dissensus/system.h"

namespace dissensus::server {

SystemEntry server_entry();

}  // namespace dissensus::server
