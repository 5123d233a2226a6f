#include "hosted/protocols/protocol.h"

namespace dissensus::protocols {

// Each has a file of its own.
Protocol etcd_protocol();
Protocol ovsdb_protocol();
Protocol redis_protocol();

namespace {

const std::vector<Protocol>& all_protocols() {
  static const std::vector<Protocol> kAll{etcd_protocol(), ovsdb_protocol(), redis_protocol()};
  return kAll;
}

}  // namespace

std::vector<std::string_view> protocol_names() {
  std::vector<std::string_view> names;
  for (const Protocol& known : all_protocols()) names.push_back(known.name);
  return names;
}

const Protocol& protocol(std::size_t number) {
  return all_protocols().at(number);
}

}  // namespace dissensus::protocols
