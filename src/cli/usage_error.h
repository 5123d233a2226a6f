// What was wrong with a command line, in one line that says what to write instead.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace dissensus::cli {

std::string explain(const CLI::App& program, const CLI::ParseError& error);

}  // namespace dissensus::cli
