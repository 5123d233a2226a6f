// Services that programs may use: key-value stores with several promises, and a source of
// timestamps. They answer at once; what is slow about them is the network.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dissensus/node.h"

#include "systems/process/book.h"

namespace dissensus::process {

/// The answer to a question, without in_reply_to.
class Service : public Node {
 public:
  explicit Service(const Book& book) : book_(book) {}
  void start(Context&) override {}
  void receive(Context& context, NodeId from, const Message& message) override;

 protected:
  virtual nlohmann::json serve(NodeId from, const nlohmann::json& request, Random& random) = 0;

 private:
  const Book& book_;
};

std::unique_ptr<Service> make_service(ServiceKind kind, const Book& book);

}  // namespace dissensus::process
