// The clustered database of Open vSwitch: JSON-RPC notifications between servers, and the requests
// of its clients, which are objects of JSON as well.
#pragma once

#include "hosted/protocols/protocol.h"

namespace dissensus::protocols {

Protocol ovsdb_protocol();

}  // namespace dissensus::protocols
