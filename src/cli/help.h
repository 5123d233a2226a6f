// What --help looks like: as wide as the terminal, options in groups, no types of the parser's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace dissensus::cli {

/// A name and, from a column on, what it is, in lines as wide as the page.
std::string in_two_columns(const std::string& name, std::string_view description,
                           std::size_t column);

std::shared_ptr<CLI::FormatterBase> make_help_formatter();

/// Puts the verbs that the program has under headings that say what one wants to do.
void group_by_intent(CLI::App& program);

}  // namespace dissensus::cli
