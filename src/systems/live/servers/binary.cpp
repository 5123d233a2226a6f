#include "systems/live/servers/binary.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "systems/live/servers/process.h"
#include "systems/live/wire/bytes.h"
#include "systems/live/wire/error.h"

namespace dissensus::live {

std::string file_digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  std::vector<char> block(std::size_t{1} << 20);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof()) throw NoServerProgram(path + ": cannot be read");
  std::array<std::uint8_t, 32> digest{};
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  std::string text = to_hex(digest);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<ServerBinary> list_binaries(const std::vector<std::string>& programs,
                                        const std::vector<std::string>& restart_programs) {
  std::vector<ServerBinary> binaries;
  const auto entry = [&binaries](const std::string& path) -> ServerBinary& {
    const auto found = std::find_if(binaries.begin(), binaries.end(),
                                    [&path](const auto& binary) { return binary.path == path; });
    if (found != binaries.end()) return *found;
    binaries.push_back({path, file_digest(path)});
    return binaries.back();
  };
  for (std::size_t node = 0; node < programs.size(); ++node) {
    entry(programs[node]).nodes.push_back(static_cast<NodeId>(node));
  }
  for (std::size_t node = 0; node < restart_programs.size(); ++node) {
    if (restart_programs[node] == programs[node]) continue;
    entry(restart_programs[node]).restarts.push_back(static_cast<NodeId>(node));
  }
  return binaries;
}

std::vector<std::string> find_binaries(const std::vector<std::string>& binaries,
                                       const std::string& rippled, std::size_t nodes,
                                       std::string_view key) {
  if (binaries.empty()) return std::vector<std::string>(nodes, find_rippled(rippled));
  std::vector<std::string> programs;
  for (std::size_t node = 0; node < binaries.size(); ++node) {
    try {
      programs.push_back(find_rippled(binaries[node]));
    } catch (const LiveError& error) {
      throw NoServerProgram(fmt::format("system.servers.{}[{}]: {}", key, node, error.what()));
    }
  }
  return programs;
}

}  // namespace dissensus::live
