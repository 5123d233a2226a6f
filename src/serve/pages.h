// The pages that were built into the program (web/), if they were.
#pragma once

#include <optional>
#include <string_view>

namespace dissensus::serve {

struct Page {
  std::string_view type;
  std::string_view content;
};

/// "index.html", "app.js", "app.css". None: there is no such page, or none were built.
std::optional<Page> find_page(std::string_view name);
bool has_pages();
/// One line that says how to get them.
inline constexpr std::string_view kNoPages =
    "this program was built without the explorer's pages; install esbuild (Debian: apt-get install "
    "esbuild), then configure and build again";

}  // namespace dissensus::serve
