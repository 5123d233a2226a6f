# dissensus_plugin(NAME SOURCES...): NAME.so, for `dissensus ... --plugin ./NAME.so`. It needs the
# public headers only; what they declare is found in the program that loads it.
function(dissensus_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE dissensus::plugin)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()
