# Builds the Rust library where that is possible.
#
#     takt_rust_library(takt_channel_c DIRECTORY rust CARGO 1.89 FOUND built WHY why)
#
# Sets `built` to true, and the imported target takt_channel_c; or to false, and `why` to a sentence without a full stop.
# Crates come from cargo's cache, and from the network only where the cache lacks some. TAKT_CARGO_TARGET is the folder
# of cargo's work, which several builds may share; by default each build has its own.
include_guard(GLOBAL)

function(takt_cargo_runs outcome)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND")
  execute_process(COMMAND ${arg_COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors
    TIMEOUT ${arg_TIMEOUT} OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(${outcome}_output "${output}" PARENT_SCOPE)
  if(code STREQUAL "0")
    set(${outcome} TRUE PARENT_SCOPE)
  else()
    set(${outcome} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(takt_rust_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY;CARGO;FOUND;WHY" "")
  set(${arg_FOUND} FALSE PARENT_SCOPE)
  find_program(TAKT_CARGO cargo HINTS ENV CARGO_HOME $ENV{HOME}/.cargo PATH_SUFFIXES bin)
  if(NOT TAKT_CARGO)
    set(${arg_WHY} "cargo ${arg_CARGO} or newer was not found" PARENT_SCOPE)
    return()
  endif()
  takt_cargo_runs(runs COMMAND ${TAKT_CARGO} -vV TIMEOUT 60)
  if(NOT runs OR NOT runs_output MATCHES "release: ([0-9.]+)")
    set(${arg_WHY} "${TAKT_CARGO} does not run" PARENT_SCOPE)
    return()
  endif()
  if(CMAKE_MATCH_1 VERSION_LESS arg_CARGO)
    set(${arg_WHY} "cargo is ${CMAKE_MATCH_1}, and ${arg_CARGO} or newer is needed" PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCH "host: ([^\n]+)" host "${runs_output}")
  set(host ${CMAKE_MATCH_1})
  get_filename_component(directory ${arg_DIRECTORY} ABSOLUTE)
  set(fetch ${TAKT_CARGO} fetch --quiet --locked --target ${host} --manifest-path ${directory}/Cargo.toml)
  takt_cargo_runs(fetched COMMAND ${fetch} --offline TIMEOUT 60)
  if(NOT fetched)
    takt_cargo_runs(fetched TIMEOUT 120
      COMMAND ${CMAKE_COMMAND} -E env CARGO_NET_RETRY=1 CARGO_HTTP_TIMEOUT=10 ${fetch})
  endif()
  if(NOT fetched)
    set(${arg_WHY} "cargo could not get the crates that its Cargo.lock names" PARENT_SCOPE)
    return()
  endif()

  set(target ${CMAKE_CURRENT_BINARY_DIR}/cargo)
  if(TAKT_CARGO_TARGET)
    set(target ${TAKT_CARGO_TARGET})
  endif()
  set(jobs)
  if(DEFINED ENV{CMAKE_BUILD_PARALLEL_LEVEL})
    set(jobs -j $ENV{CMAKE_BUILD_PARALLEL_LEVEL})
  endif()
  set(library ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.so)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/src/*.rs)
  add_custom_command(OUTPUT ${library}
    COMMAND ${TAKT_CARGO} build --quiet --release --locked --offline ${jobs} --target ${host} --target-dir ${target}
      --manifest-path ${directory}/Cargo.toml
    COMMAND ${CMAKE_COMMAND} -E copy ${target}/${host}/release/lib${name}.so ${library}
    DEPENDS ${sources} ${directory}/Cargo.toml ${directory}/Cargo.lock
    COMMENT "cargo builds lib${name}.so" VERBATIM)
  add_custom_target(${name}_cargo DEPENDS ${library})
  add_library(${name} SHARED IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${library} IMPORTED_NO_SONAME TRUE)
  add_dependencies(${name} ${name}_cargo)
  install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set(${arg_FOUND} TRUE PARENT_SCOPE)
endfunction()
