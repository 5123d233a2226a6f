# What the tests start: servers that stand in for rippled.
if(NOT DISSENSUS_SANITIZE)
  set(stand_in_server ${CMAKE_BINARY_DIR}/stand_in_server)
  add_executable(stand_in_server systems/live/servers/stand_in_server.cpp systems/live/servers/toy_consensus.cpp
    systems/live/servers/toy_ledger.cpp systems/live/wire/ledger.cpp)
  target_include_directories(stand_in_server PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(stand_in_server PRIVATE test_settings dissensus_systems_live_wire fmt::fmt Boost::headers OpenSSL::SSL
    nlohmann_json::nlohmann_json Threads::Threads)
else()
  # Servers are outside of what a sanitizer looks at here. The one of the Release build is compiled once.
  set(stand_in_server ${PROJECT_SOURCE_DIR}/build/release/stand_in_server)
  add_custom_target(stand_in_server
    COMMAND test -f build/release/build.ninja || ${CMAKE_COMMAND} --preset release
    COMMAND ${CMAKE_COMMAND} --build --preset release --target stand_in_server
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL)
endif()
if(TARGET test_systems_live_servers)
  add_dependencies(test_systems_live_servers stand_in_server)
  target_compile_definitions(test_systems_live_servers PRIVATE STAND_IN_SERVER="${stand_in_server}")
endif()
