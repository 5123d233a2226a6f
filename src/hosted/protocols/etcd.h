// The peer protocol of etcd 3.4: HTTP/1.1, and in the answers to two kinds of GET, which never end,
// messages of Raft one after another.
#pragma once

#include "hosted/protocols/protocol.h"

namespace dissensus::protocols {

Protocol etcd_protocol();

}  // namespace dissensus::protocols
