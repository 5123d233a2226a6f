# A room is a folder of src/ and a static library of the same name. It sees the public headers, its
# own headers, and those of the rooms it names: an include of any other room does not compile.
#
#   dissensus_room(faults USES core sim LIBRARIES fmt::fmt)
#
# Builds that only tests use (DISSENSUS_TOGETHER) compile several files of a room at once, which takes
# half the time. Files that do not go together with others are named after SEPARATE; APART says that
# none of the room do.
function(dissensus_room name)
  cmake_parse_arguments(ROOM "APART" "FOLDER" "STAGES;USES;LIBRARIES;SEPARATE" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER ${name})
  endif()
  string(REPLACE "/" "_" target "dissensus_${name}")
  # A room's own folders (stages) belong to it; a folder with a row of its own is another room.
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/*.cpp)
  foreach(stage ${ROOM_STAGES})
    file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/${stage}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  add_library(${target} STATIC ${sources})
  if(DISSENSUS_TOGETHER AND NOT ROOM_APART)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # Members of types from unnamed namespaces are harmless in a file, which is not one here.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    foreach(file ${ROOM_SEPARATE})
      set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/${file}
        PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
  endif()
  # A folder with one link in it, so that "room/header.h" is found and nothing else is.
  set(view ${CMAKE_BINARY_DIR}/rooms/${target})
  get_filename_component(parent ${view}/${ROOM_FOLDER} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER} ${view}/${ROOM_FOLDER} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include ${view})
  foreach(used ${ROOM_USES})
    string(REPLACE "/" "_" used_target "dissensus_${used}")
    target_link_libraries(${target} PUBLIC ${used_target})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ROOM_LIBRARIES})
endfunction()

# The tests of a room: tests/<name>/*_test.cpp become one GoogleTest program.
function(dissensus_tests name)
  cmake_parse_arguments(TESTS "" "TIMEOUT" "USES;LIBRARIES;LABELS" ${ARGN})
  string(REPLACE "/" "_" target "test_${name}")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(NOT sources)
    message(WARNING "tests/${name}: no tests")
    return()
  endif()
  add_executable(${target} ${sources})
  set_property(GLOBAL APPEND PROPERTY dissensus_test_programs ${target})
  target_link_libraries(${target} PRIVATE test_settings)
  target_precompile_headers(${target} REUSE_FROM test_headers)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE DISSENSUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  foreach(used ${TESTS_USES})
    string(REPLACE "/" "_" used_target "dissensus_${used}")
    target_link_libraries(${target} PRIVATE ${used_target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${TESTS_LIBRARIES} GTest::gtest_main GTest::gmock)
  if(NOT TESTS_TIMEOUT)
    set(TESTS_TIMEOUT 600)
  endif()
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TESTS_TIMEOUT} LABELS "${TESTS_LABELS}")
endfunction()
