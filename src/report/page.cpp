#include "report/page.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/text.h"

namespace dissensus::report {

namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1d1f23; --quiet: #62666f; --paper: #ffffff;
  --card: #f5f6f8; --edge: #d9dce2; --accent: #b2182b; --good: #2a7a3f; --unsure: #8a6100; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ee; --quiet: #a2a7b3; --paper: #16181d;
  --card: #20232a; --edge: #3a3f4a; --accent: #ff8a94; --good: #7fd196; --unsure: #e5bd5c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 27px; line-height: 1.25; margin: 4px 0 10px; }
h2 { font-size: 19px; margin: 38px 0 10px; padding-top: 14px; border-top: 1px solid var(--edge); }
p { margin: 8px 0; max-width: 75ch; }
code, pre, .hash { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 0.92em; }
.quiet, figcaption { color: var(--quiet); }
.over { color: var(--quiet); font-size: 14px; letter-spacing: 0.02em; }
.badge { display: inline-block; padding: 1px 10px; border-radius: 12px; font-size: 14px;
  font-weight: 600; border: 1px solid currentColor; }
.fail { color: var(--accent); } .pass { color: var(--good); } .unknown { color: var(--unsure); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(155px, 1fr)); gap: 10px;
  margin: 18px 0; padding: 0; }
.facts div { background: var(--card); border: 1px solid var(--edge); border-radius: 8px;
  padding: 8px 12px; overflow-wrap: anywhere; }
.facts dt { color: var(--quiet); font-size: 13px; } .facts dd { margin: 0; font-weight: 600; }
ul.words { font-size: 18px; padding-left: 22px; margin: 10px 0; } ul.words li { margin: 5px 0; }
.command { display: flex; gap: 8px; align-items: stretch; margin: 8px 0; max-width: 900px; }
.command pre { flex: 1; margin: 0; padding: 9px 12px; background: var(--card); overflow-x: auto;
  border: 1px solid var(--edge); border-radius: 8px; }
.command button { border: 1px solid var(--edge); border-radius: 8px; background: var(--card);
  color: var(--ink); padding: 0 14px; cursor: pointer; font: inherit; font-size: 14px; }
figure { margin: 14px 0; } .canvas { background: #ffffff; border: 1px solid var(--edge);
  border-radius: 8px; overflow-x: auto; } .canvas svg { display: block; max-width: 100%;
  height: auto; min-width: 760px; margin: 0 auto; }
figcaption { font-size: 14px; margin-top: 6px; max-width: 95ch; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 15px; margin: 8px 0; }
th, td { text-align: left; padding: 4px 16px 4px 0; border-bottom: 1px solid var(--edge);
  vertical-align: top; } th { color: var(--quiet); font-weight: 600; font-size: 14px; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
details { margin: 12px 0; } summary { cursor: pointer; font-weight: 600; padding: 4px 0; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14px; }
nav a { color: var(--quiet); }
@media print { nav { display: none; } }
pre.log { background: var(--card); border: 1px solid var(--edge); border-radius: 8px;
  padding: 9px 12px; overflow-x: auto; font-size: 14px; } h3 { font-size: 16px; margin: 18px 0 6px; }
@media (prefers-color-scheme: dark) { .canvas { background: #141414; }
  .canvas svg { filter: invert(0.92) hue-rotate(180deg); } }
@media (max-width: 600px) { main { padding: 18px 12px 40px; } h1 { font-size: 21px; }
  th, td { padding-right: 10px; } .facts { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); } .command { flex-direction: column; }
  .command button { padding: 6px; } .canvas svg { min-width: 640px; } }
@media print { button { display: none; } main { max-width: none; padding: 0; } }
)";

// Only comfort: the page is complete without it.
constexpr std::string_view kScript = R"(
for (const button of document.querySelectorAll('.command button')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    const text = button.parentNode.querySelector('pre').textContent;
    navigator.clipboard.writeText(text).then(() => { button.textContent = 'copied'; },
                                             () => { button.textContent = 'cannot copy'; });
  });
}
)";

/// Captions are HTML; descriptions are text.
std::string without_tags(std::string_view html) {
  std::string text;
  bool inside = false;
  for (const char c : html) {
    if (c == '<') inside = true;
    if (!inside) text += c == '"' ? std::string("&quot;") : std::string(1, c);
    if (c == '>') inside = false;
  }
  return text;
}

}  // namespace

std::string escape(std::string_view text) {
  return trace::xml_text(text);
}

std::string to_html(const Table& table) {
  const auto cell = [&](std::string_view tag, std::size_t column, std::string_view content) {
    const bool number = column < table.is_number.size() && table.is_number[column];
    return fmt::format("<{0}{1}>{2}</{0}>", tag, number ? " class=\"number\"" : "", content);
  };
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t column = 0; column < table.header.size(); ++column) {
    out += cell("th", column, escape(table.header[column]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column) {
      out += cell("td", column, row[column]);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section(std::string_view id, std::string_view heading, std::string_view body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, escape(heading), body);
}

std::string contents(std::string_view body) {
  constexpr std::string_view kSection = "<section id=\"";
  constexpr std::string_view kHeading = "<h2>";
  std::string links;
  for (std::size_t at = body.find(kSection); at != body.npos; at = body.find(kSection, at)) {
    at += kSection.size();
    const std::string_view id = body.substr(at, body.find('"', at) - at);
    const std::size_t begin = body.find(kHeading, at) + kHeading.size();
    const std::string_view heading = body.substr(begin, body.find("</h2>", begin) - begin);
    links += fmt::format("<a href=\"#{}\">{}</a>\n", id, heading.substr(0, heading.find(':')));
  }
  return fmt::format("<nav aria-label=\"Sections\">\n{}</nav>\n", links);
}

std::string folded(std::string_view summary, std::string_view body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape(summary), body);
}

std::string figure(std::string_view svg, std::string_view caption) {
  // A page is no XML document: the drawing's own declaration stays outside.
  if (svg.starts_with("<?xml")) svg.remove_prefix(std::min(svg.find("<svg"), svg.size()));
  // Who cannot see it is told what it is: the caption, which is no attribute of the drawing's own.
  std::string spoken(svg);
  if (const std::size_t end = spoken.find('>'); spoken.starts_with("<svg") && end != spoken.npos) {
    spoken.insert(end + 1, fmt::format("\n<desc>{}</desc>", without_tags(caption)));
    const std::string_view name = std::string_view(caption).substr(0, caption.find('.'));
    spoken.insert(4, fmt::format(" role=\"img\" aria-label=\"{}\"", without_tags(name)));
  }
  // What is wider than the screen is moved with the keyboard as well.
  return fmt::format(
      "<figure><div class=\"canvas\" "
      "tabindex=\"0\">{}</div>\n<figcaption>{}</figcaption></figure>\n",
      spoken, caption);
}

std::string command(std::string_view text) {
  return fmt::format(
      "<div class=\"command\"><pre>{}</pre><button type=\"button\" hidden>copy</button></div>\n",
      escape(text));
}

std::string page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "<script>{}</script>\n</body>\n</html>\n",
      escape(title), kStyle, body, kScript);
}

}  // namespace dissensus::report
