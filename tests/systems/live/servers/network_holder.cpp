// Starts a network, says the process ids of its servers, and goes on until it is killed.
//   network_holder BINARY FOLDER
#include <chrono>
#include <iostream>

#include <boost/asio/io_context.hpp>

#include "systems/live/servers/server_network.h"

int main(int count, char** arguments) {
  using namespace dissensus::live;
  if (count != 3) return 2;
  try {
    boost::asio::io_context context;
    ServerNetworkOptions options;
    options.rippled = arguments[1];
    options.folder = arguments[2];
    options.nodes = 3;
    options.address_block = 78;
    ServerNetwork network(context, options);
    network.start();
    for (dissensus::NodeId node = 0; node < network.size(); ++node) {
      std::cout << network.state(node).pid << ' ';
    }
    std::cout << std::endl;
    network.run_until([] { return false; },
                      std::chrono::steady_clock::now() + std::chrono::minutes(2));
  } catch (const LiveError& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
  return 0;
}
