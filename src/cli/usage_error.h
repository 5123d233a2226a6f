// What was wrong with a command line, in one line that says what to write instead.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace dissensus::cli {

/// CLI11 makes the largest number of what is larger. From here on, options of whole numbers refuse
/// it.
void refuse_numbers_that_do_not_fit(CLI::App& program);

std::string explain(const CLI::App& program, const CLI::ParseError& error);

}  // namespace dissensus::cli
