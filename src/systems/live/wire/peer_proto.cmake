# C++ of peer.proto, made at build time; its warnings are not ours.
set(peer_folder ${CMAKE_CURRENT_BINARY_DIR}/systems/live/wire)
set(peer_source ${PROJECT_SOURCE_DIR}/src/systems/live/wire)
file(MAKE_DIRECTORY ${peer_folder})
add_custom_command(
  OUTPUT ${peer_folder}/peer.pb.cc ${peer_folder}/peer.pb.h
  COMMAND protobuf::protoc --cpp_out=${peer_folder} -I${peer_source} ${peer_source}/peer.proto
  DEPENDS ${peer_source}/peer.proto
  VERBATIM)
set_source_files_properties(${peer_folder}/peer.pb.cc PROPERTIES COMPILE_OPTIONS -w SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(dissensus_systems_live_wire PRIVATE ${peer_folder}/peer.pb.cc)
target_include_directories(dissensus_systems_live_wire SYSTEM PRIVATE ${peer_folder} ${SECP256K1_INCLUDE})
