// Networks of stand-in servers for tests: short waits, and links through the real interceptor.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "systems/live/interceptor/interceptor.h"
#include "systems/live/servers/server_network.h"

namespace dissensus::live {

/// Forwards everything, unless told to lose it.
class Links : public InterceptorHandler {
 public:
  Links(boost::asio::io_context& context, const ServerNetwork& network) {
    InterceptorOptions options;
    for (NodeId node = 0; node < network.size(); ++node) {
      options.peers.push_back(
          {network.peer_address(node), network.peer_port(node), network.node_keys(node)});
      for (NodeId other = 0; other < node; ++other) options.links.emplace_back(other, node);
    }
    interceptor = std::make_unique<Interceptor>(context, options, *this);
    interceptor->start();
  }
  void on_frame(NodeId from, NodeId to, Frame&& frame) override {
    if (loses && loses(from, to, frame)) return;
    interceptor->write(from, to, std::make_shared<const Bytes>(std::move(frame.bytes)));
  }
  void on_link(NodeId, NodeId, bool, std::string_view) override {}

  std::function<bool(NodeId from, NodeId to, const Frame& frame)> loses;
  std::unique_ptr<Interceptor> interceptor;
};

class StandInNetwork : public ::testing::Test {
 protected:
  static ServerNetworkOptions stand_ins(std::size_t nodes) {
    ServerNetworkOptions options;
    options.rippled = STAND_IN_SERVER;
    options.nodes = nodes;
    options.environment = {"STAND_IN_TICK_MS=40"};
    options.poll_interval = std::chrono::milliseconds(100);
    return options;
  }
  LoopTime in_seconds(int seconds) const { return servers_.now() + std::chrono::seconds(seconds); }
  void pass(std::chrono::milliseconds time) {
    drive(context_, servers_.now() + time, [] { return false; });
  }

  boost::asio::io_context context_;
  VirtualServers servers_{context_, {.seed = 1}};
};

}  // namespace dissensus::live
