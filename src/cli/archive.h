// One file that holds many: a tar archive, compressed with gzip.
#pragma once

#include <string>
#include <string_view>

namespace dissensus::cli {

class Archive {
 public:
  void add(const std::string& name, std::string_view content);
  /// The whole archive; nothing can be added afterwards. The same content gives the same bytes.
  std::string finish();

 private:
  std::string bytes_;
};

}  // namespace dissensus::cli
