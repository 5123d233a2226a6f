# What the tests start: servers that stand in for rippled, and a program that is killed while it runs some.
add_executable(stand_in_server systems/live/servers/stand_in_server.cpp systems/live/servers/toy_consensus.cpp
  systems/live/servers/toy_ledger.cpp systems/live/wire/ledger.cpp)
target_include_directories(stand_in_server PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(stand_in_server PRIVATE dissensus_systems_live_wire fmt::fmt Boost::headers OpenSSL::SSL
  nlohmann_json::nlohmann_json Threads::Threads)
add_executable(network_holder systems/live/servers/network_holder.cpp)
target_link_libraries(network_holder PRIVATE dissensus_systems_live_servers)
if(TARGET test_systems_live_servers)
  add_dependencies(test_systems_live_servers stand_in_server network_holder)
  target_compile_definitions(test_systems_live_servers PRIVATE
    STAND_IN_SERVER="$<TARGET_FILE:stand_in_server>" NETWORK_HOLDER="$<TARGET_FILE:network_holder>")
endif()
