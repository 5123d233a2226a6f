// What `dissensus new` writes: a plugin with a small lease protocol, for its owner to replace.
#pragma once

#include <string_view>
#include <vector>

namespace dissensus::cli {

/// In both, @NAME@ is the protocol's name (my-protocol), @FILE@ the same for files and programs
/// (my_protocol), and @TYPE@ for types (MyProtocol).
struct NewFile {
  std::string_view path;
  std::string_view text;
};
const std::vector<NewFile>& new_files();

}  // namespace dissensus::cli
