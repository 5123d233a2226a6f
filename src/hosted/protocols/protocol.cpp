#include "hosted/protocols/protocol.h"

#include "hosted/protocols/etcd.h"
#include "hosted/protocols/ovsdb.h"

namespace dissensus::protocols {

namespace {

const std::vector<Protocol>& all_protocols() {
  static const std::vector<Protocol> kAll{etcd_protocol(), ovsdb_protocol()};
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
