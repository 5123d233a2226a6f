# The list of the files in effects/, which declare the kinds of faults: a new file is a new kind, and
# nothing else has to name it.
file(GLOB effects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/faults/effects/*.cpp)
set(declarations "")
set(calls "")
foreach(effect ${effects})
  cmake_path(GET effect STEM name)
  string(APPEND declarations "void declare_${name}(std::vector<const FaultKind*>& kinds);\n")
  string(APPEND calls "  declare_${name}(kinds);\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/faults/declare_all.cpp @ONLY CONTENT [[
// Written by src/faults/effects.cmake.
#include "faults/kinds.h"

namespace dissensus::faults {

@declarations@
void declare_all(std::vector<const FaultKind*>& kinds) {
@calls@}

}  // namespace dissensus::faults
]])
target_sources(dissensus_faults PRIVATE ${CMAKE_BINARY_DIR}/faults/declare_all.cpp)
