# Instruments the sample, compiles what came out, runs it, and looks at every recorded outcome.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${TOOL} --out ${WORK} ${SOURCE}/sample.cpp -- -std=c++20
  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said MATCHES "7 conditions recorded; left out: 2 constant, 1 that declare a variable, 0 from macros")
  message(FATAL_ERROR "said: ${said}")
endif()
execute_process(COMMAND ${COMPILER} -std=c++20 -Wall -Wextra -Werror -I${SOURCE} ${WORK}/sample.cpp
  -o ${WORK}/sample COMMAND_ERROR_IS_FATAL ANY)
set(ENV{DISSENSUS_BRANCHES} ${WORK}/branches.jsonl)
set(ENV{DISSENSUS_RUN} "first")
execute_process(COMMAND ${WORK}/sample OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "two\n")
  message(FATAL_ERROR "the program behaves differently: ${printed}")
endif()
# Sites in the order in which they were reached. 1: seen false, 2: seen true, 4: true at last.
file(READ ${WORK}/branches.jsonl written)
set(expected "{\"sites\":[\"WHILE sample.cpp:25:3\",\"BRANCH sample.cpp:26:5\",\"WHILE sample.cpp:29:3\",\"WHILE sample.cpp:30:3\",\"BRANCH sample.cpp:33:3\",\"BRANCH sample.cpp:38:3\",\"BRANCH sample.cpp:12:5\"]}
{\"run\":\"first\",\"observed\":[0,3,1,7,2,3,3,1,4,6,5,1,6,3]}
")
if(NOT written STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}found:\n${written}")
endif()
