#include "systems/live/servers/place.h"

#include <utility>

#include "systems/live/servers/addresses.h"

namespace dissensus::live {

namespace {

class LocalProcess final : public ServerProcess {
 public:
  explicit LocalProcess(Process process) : process_(std::move(process)) {}

  bool running() const override { return process_.running(); }
  pid_t pid() const override { return process_.pid(); }
  std::optional<int> poll() override { return process_.poll(); }
  void terminate() override { process_.terminate(); }
  std::optional<int> kill() override { return process_.kill(); }

 private:
  Process process_;
};

class LocalPlace final : public ServerPlace {
 public:
  LocalPlace(std::uint8_t block, std::optional<std::uint8_t> number)
      : block_(block), number_(number) {}

  std::vector<std::string> addresses(std::size_t nodes) override {
    if (!addresses_) addresses_ = std::make_unique<AddressBlock>(block_, number_, nodes);
    std::vector<std::string> result;
    for (std::size_t node = 0; node < nodes; ++node) {
      result.push_back(addresses_->address(static_cast<NodeId>(node)));
    }
    return result;
  }
  std::string seen_folder(const std::string& folder) const override { return folder; }
  void prepared(const std::vector<std::string>&, const std::vector<std::string>&) override {}
  std::unique_ptr<ServerProcess> start(NodeId, const Command& command) override {
    return std::make_unique<LocalProcess>(spawner_.spawn(command));
  }
  std::string file_of(NodeId, const std::string& folder, const std::string& name) const override {
    return folder + "/" + name;
  }
  bool has_disk() const override { return true; }

 private:
  std::uint8_t block_;
  std::optional<std::uint8_t> number_;
  std::unique_ptr<AddressBlock> addresses_;
  Spawner spawner_;
};

}  // namespace

std::unique_ptr<ServerPlace> make_local_place(std::uint8_t address_block,
                                              std::optional<std::uint8_t> address_number) {
  return std::make_unique<LocalPlace>(address_block, address_number);
}

}  // namespace dissensus::live
