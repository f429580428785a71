# What all packages compile with, and how their tests are built: one program for each source, and one test for each program.
# takt_rt's config brings both along.
#
#     takt_add_tests(takt_x SOURCES <file>... HEADERS <header>... LIBRARIES <library>...
#       [DIRECTORIES <directory>...] [DEFINITIONS <definition>...] [OPTIMISED <name>...] [ALONE <name>...]
#       [NO_TSAN <name>...] [NO_ASAN <name>...] [SMOKE <name>...] [FIRST <name>...])
#
# The source `test/some_test.cpp` becomes the program and test `takt_x_some_test`; the lists name it `some`.
# HEADERS: parsed once for all. OPTIMISED: compiled as campaigns are, without these headers. ALONE: beside no other test.
# NO_TSAN, NO_ASAN: not under that sanitizer. SMOKE: run on every distribution. FIRST: the longest.
include_guard(GLOBAL)

set(TAKT_WARNINGS -Wall -Wextra -Wconversion -Wno-sign-conversion -Wpedantic -Wnon-virtual-dtor
  -Woverloaded-virtual)

function(takt_add_tests package)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
    "SOURCES;HEADERS;LIBRARIES;DIRECTORIES;DEFINITIONS;OPTIMISED;ALONE;NO_TSAN;NO_ASAN;SMOKE;FIRST")
  takt_precompile(${package}_test_headers HEADERS ${arg_HEADERS} LIBRARIES ${arg_LIBRARIES} GTest::gtest
    OPTIONS ${TAKT_WARNINGS} ${TAKT_TEST_OPTIONS})
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(name ${source} NAME_WE)
    set(target ${package}_${name})
    string(REGEX REPLACE "_test$" "" name ${name})
    add_executable(${target} ${source})
    if(name IN_LIST arg_OPTIMISED)
      target_compile_options(${target} PRIVATE ${TAKT_WARNINGS} ${TAKT_CAMPAIGN_OPTIONS})
    else()
      target_compile_options(${target} PRIVATE ${TAKT_WARNINGS} ${TAKT_TEST_OPTIONS})
      target_precompile_headers(${target} REUSE_FROM ${package}_test_headers)
    endif()
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
    target_include_directories(${target} PRIVATE ${arg_DIRECTORIES})
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gtest GTest::gtest_main)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES TIMEOUT 1200)
    set(known_${name} TRUE)
  endforeach()
  foreach(list ALONE NO_TSAN NO_ASAN SMOKE FIRST)
    foreach(name IN LISTS arg_${list})
      if(NOT known_${name})
        message(FATAL_ERROR "${package} has no test '${name}', which ${list} names")
      endif()
      set(test ${package}_${name}_test)
      if(list STREQUAL ALONE)
        set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
      elseif(list STREQUAL FIRST)
        set_tests_properties(${test} PROPERTIES COST 100)
      else()
        string(TOLOWER ${list} label)
        set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
      endif()
    endforeach()
  endforeach()
endfunction()
