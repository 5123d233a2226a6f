// What a worker keeps from run to run, so that a run allocates nothing that the one before had.
#pragma once

#include <memory>

namespace dissensus::sim {

class World;

/// Memory that one worker reuses from run to run.
class WorldMemory {
 public:
  WorldMemory();
  ~WorldMemory();
  WorldMemory(const WorldMemory&) = delete;
  WorldMemory& operator=(const WorldMemory&) = delete;

 private:
  friend class World;
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace dissensus::sim
