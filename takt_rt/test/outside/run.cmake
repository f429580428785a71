# Installs the built package into a folder of its own, builds PROGRAM outside of takt against it, with CMake and with
# pkg-config, and runs both.
#
#   cmake -DBUILT=<build folder of takt_rt> -DPROGRAM=<source> -DCOMPILER=<compiler> -P run.cmake
set(there ${BUILT}/outside)
file(REMOVE_RECURSE ${there})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILT} --prefix ${there}/installed)
# Neither the build nor another installation may help out.
foreach(variable CMAKE_PREFIX_PATH AMENT_PREFIX_PATH PKG_CONFIG_PATH CXXFLAGS CPATH LIBRARY_PATH)
  unset(ENV{${variable}})
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${there}/with_cmake
  -DCMAKE_CXX_COMPILER=${COMPILER} -Dtakt_rt_ROOT=${there}/installed -DPROGRAM=${PROGRAM})
run(${CMAKE_COMMAND} --build ${there}/with_cmake)
run(${there}/with_cmake/control)

find_program(pkg_config pkg-config REQUIRED)
file(GLOB_RECURSE package ${there}/installed/*/takt_rt.pc)
get_filename_component(directory ${package} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${directory})
execute_process(COMMAND ${pkg_config} --cflags --libs takt_rt
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${COMPILER} -std=c++17 -Wall -Wextra -Wpedantic -Werror ${PROGRAM} -o ${there}/with_pkg_config ${flags})
get_filename_component(libraries ${directory} DIRECTORY)
set(ENV{LD_LIBRARY_PATH} ${libraries})
run(${there}/with_pkg_config)
