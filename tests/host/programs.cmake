# Programs that are run in virtual time.
find_package(Threads REQUIRED)
foreach(program subject hostile script sequences)
  add_executable(host_${program} ${CMAKE_CURRENT_LIST_DIR}/programs/${program}.cpp)
  target_link_libraries(host_${program} PRIVATE Threads::Threads)
  target_compile_options(host_${program} PRIVATE -O1)
endforeach()
# Programs whose sanitizer is what finds their fault.
foreach(pair overflow:address race:thread)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 program)
  list(GET pair 1 sanitizer)
  add_executable(host_${program} ${CMAKE_CURRENT_LIST_DIR}/programs/${program}.cpp)
  target_link_libraries(host_${program} PRIVATE Threads::Threads)
  target_compile_options(host_${program} PRIVATE -O1 -g -fno-sanitize=all -fsanitize=${sanitizer})
  target_link_options(host_${program} PRIVATE -fno-sanitize=all -fsanitize=${sanitizer})
endforeach()
add_executable(run_in_host ${CMAKE_CURRENT_LIST_DIR}/programs/run_in_host.cpp ${CMAKE_CURRENT_LIST_DIR}/harness.cpp)
target_link_libraries(run_in_host PRIVATE dissensus_host)
target_include_directories(run_in_host PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_sources(test_host PRIVATE ${CMAKE_CURRENT_LIST_DIR}/harness.cpp)
add_dependencies(test_host host_subject host_hostile host_script host_sequences host_overflow host_race run_in_host)
target_compile_definitions(test_host PRIVATE
  HOST_SUBJECT="$<TARGET_FILE:host_subject>" HOST_HOSTILE="$<TARGET_FILE:host_hostile>"
  HOST_SCRIPT="$<TARGET_FILE:host_script>" HOST_SEQUENCES="$<TARGET_FILE:host_sequences>"
  HOST_OVERFLOW="$<TARGET_FILE:host_overflow>" HOST_RACE="$<TARGET_FILE:host_race>"
  RUN_IN_HOST="$<TARGET_FILE:run_in_host>")
# What is supervised is no part of the project: a sanitizer's own memory and threads would be in the way.
foreach(program host_subject host_hostile host_script host_sequences)
  target_compile_options(${program} PRIVATE -fno-sanitize=all)
  target_link_options(${program} PRIVATE -fno-sanitize=all)
endforeach()
