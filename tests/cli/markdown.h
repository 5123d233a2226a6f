// Code blocks of a document, so that tests can hold them against the real thing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dissensus::cli_test {

/// The contents of all ```language blocks, in order.
inline std::vector<std::string> code_blocks(const std::string& document,
                                            const std::string& language) {
  const std::string fence = "\n```" + language + "\n";
  std::vector<std::string> blocks;
  for (std::size_t begin = document.find(fence); begin != std::string::npos;
       begin = document.find(fence, begin)) {
    begin += fence.size();
    const std::size_t end = document.find("\n```", begin);
    blocks.push_back(document.substr(begin, end + 1 - begin));
  }
  return blocks;
}

}  // namespace dissensus::cli_test
