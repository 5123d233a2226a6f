# The explorer's pages: TypeScript from web/, made into one script and one style by esbuild, and built into the program. Without
# esbuild the program has no pages and says so; nothing else depends on them.
option(DISSENSUS_PAGES "Build the explorer's pages into the program where esbuild is installed" ON)
if(DISSENSUS_PAGES)
  find_program(ESBUILD esbuild)
endif()
if(NOT DISSENSUS_PAGES OR NOT ESBUILD)
  message(STATUS "esbuild not found: dissensus serve has no pages (Debian: apt-get install esbuild)")
  return()
endif()
set(pages_folder ${CMAKE_BINARY_DIR}/pages)
file(GLOB pages_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/src/*.css)
add_custom_command(
  OUTPUT ${pages_folder}/app.js ${pages_folder}/app.css
  COMMAND ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/src/app.ts ${PROJECT_SOURCE_DIR}/web/src/app.css
    --bundle --minify --target=es2020 --charset=utf8 --log-level=warning --outdir=${pages_folder}
  DEPENDS ${pages_sources} VERBATIM)
add_custom_command(
  OUTPUT ${pages_folder}/pages_data.inc
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${pages_folder}/pages_data.inc -DSCRIPT=${pages_folder}/app.js -DSTYLE=${pages_folder}/app.css
    -DFRAME=${PROJECT_SOURCE_DIR}/web/index.html -P ${PROJECT_SOURCE_DIR}/cmake/embed_pages.cmake
  DEPENDS ${pages_folder}/app.js ${pages_folder}/app.css ${PROJECT_SOURCE_DIR}/web/index.html
    ${PROJECT_SOURCE_DIR}/cmake/embed_pages.cmake VERBATIM)
add_custom_target(dissensus_pages DEPENDS ${pages_folder}/pages_data.inc)
add_dependencies(dissensus_serve dissensus_pages)
# By itself, so that a changed page compiles one small file.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/serve/pages.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS ${pages_folder}/pages_data.inc
  COMPILE_DEFINITIONS DISSENSUS_PAGES INCLUDE_DIRECTORIES ${pages_folder})
