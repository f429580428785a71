# Each project() of a build includes this file (build.sh). What only unwanted tests run is not built: sanitizers and
# smoke tests run few of some packages' tests.
#
#     TAKT_ONLY_LABEL   wanted are the tests that have this label; empty: all
#     TAKT_OMIT_LABEL   unwanted are the tests that have this label
#     TAKT_APART        packages whose sources are compiled each by itself
#
# A test's program is the target of the same name; another test that runs it (a soak) needs the same labels.
# A directory that a package adds calls the function itself.
#
# Most tests have one source. As a unity of one it would be compiled by another name in each clone, and ccache would compile
# it again.
include_guard(DIRECTORY)

if(PROJECT_NAME IN_LIST TAKT_APART)
  set(CMAKE_UNITY_BUILD OFF)
endif()

function(takt_omit_unwanted_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(name IN LISTS tests)
    if(TARGET ${name})
      set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    endif()
    get_property(labels TEST ${name} PROPERTY LABELS)
    if(TARGET ${name} AND ((TAKT_OMIT_LABEL AND TAKT_OMIT_LABEL IN_LIST labels)
        OR (TAKT_ONLY_LABEL AND NOT TAKT_ONLY_LABEL IN_LIST labels)))
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL takt_omit_unwanted_tests)
