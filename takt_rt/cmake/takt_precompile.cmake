# Headers that many sources of a package share, parsed once. takt_rt's config brings this function along.
#
#     takt_precompile(takt_x_test_headers HEADERS <header>... [LIBRARIES library...] [OPTIONS option...])
#     target_precompile_headers(takt_x_some_test REUSE_FROM takt_x_test_headers)
#
# A target can reuse the headers only if the compiler gets the same language standard, optimisation, code
# model and -Wpedantic for it: name the LIBRARIES and OPTIONS that the target has. Sources go on including what
# they use, for builds without precompiled headers (CMAKE_DISABLE_PRECOMPILE_HEADERS).
include_guard(GLOBAL)

function(takt_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LIBRARIES;OPTIONS")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${name} OBJECT ${source})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()
