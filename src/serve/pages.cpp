#include "serve/pages.h"

#include <array>
#include <utility>

#ifdef DISSENSUS_PAGES
// Arrays made from the files that esbuild wrote (cmake/pages.cmake): kPageScript, kPageStyle,
// kPageFrame.
#include "pages_data.inc"
#endif

namespace dissensus::serve {

bool has_pages() {
#ifdef DISSENSUS_PAGES
  return true;
#else
  return false;
#endif
}

std::optional<Page> find_page([[maybe_unused]] std::string_view name) {
#ifdef DISSENSUS_PAGES
  const auto content = [](const auto& bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes), sizeof bytes);
  };
  if (name.empty() || name == "index.html") {
    return Page{"text/html; charset=utf-8", content(kPageFrame)};
  }
  if (name == "app.js") return Page{"text/javascript; charset=utf-8", content(kPageScript)};
  if (name == "app.css") return Page{"text/css; charset=utf-8", content(kPageStyle)};
#endif
  return std::nullopt;
}

}  // namespace dissensus::serve
