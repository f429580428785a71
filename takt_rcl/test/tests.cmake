# Each test program takes a ROS domain of its own (ros_test_main.cpp).
find_package(GTest REQUIRED)
find_package(diagnostic_msgs REQUIRED)
find_package(std_msgs REQUIRED)
find_package(sensor_msgs REQUIRED)

set(takt_rcl_test_logs ${CMAKE_CURRENT_BINARY_DIR}/ros_logs)
file(GLOB takt_rcl_tests CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp ${CMAKE_CURRENT_LIST_DIR}/logging/*_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/messages/*_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sources/*_test.cpp)
add_library(takt_rcl_test_main STATIC ${CMAKE_CURRENT_LIST_DIR}/ros_test_main.cpp)
target_link_libraries(takt_rcl_test_main PUBLIC takt_rcl GTest::gtest)
takt_rcl_link_messages(takt_rcl_test_main PUBLIC diagnostic_msgs std_msgs sensor_msgs rosgraph_msgs)

takt_precompile(takt_rcl_test_headers
  HEADERS <gtest/gtest.h> <algorithm> <atomic> <chrono> <functional> <memory> <string> <thread> <vector>
    <takt_rcl/takt_rcl.hpp> <std_msgs/msg/u_int64.hpp>
  LIBRARIES takt_rcl_test_main
  OPTIONS ${TAKT_WARNINGS} ${TAKT_TEST_OPTIONS})

# What is asked of the middleware itself.
find_package(fastdds 3 QUIET)
if(NOT TARGET fastdds)
  # tools/setup says which distribution is the default one.
  if(DEFINED ENV{TAKT_ROS_DEFAULT} AND "$ENV{ROS_DISTRO}" STREQUAL "$ENV{TAKT_ROS_DEFAULT}")
    message(FATAL_ERROR "no Fast DDS 3 in this $ENV{ROS_DISTRO}: leaving_test would silently not be there")
  endif()
  list(FILTER takt_rcl_tests EXCLUDE REGEX "/leaving_test\\.cpp$")
endif()

# The suite of sources comes with takt_host where its tests are built.
find_package(takt_host_test_support QUIET)
if(NOT takt_host_test_support_FOUND)
  message(STATUS "takt_rcl: no source_test, because takt_host's tests are not built")
  list(FILTER takt_rcl_tests EXCLUDE REGEX "/((service|client)_)?source_test\\.cpp$")
endif()

foreach(source IN LISTS takt_rcl_tests)
  get_filename_component(name ${source} NAME_WE)
  set(name rcl_${name})
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE ${TAKT_WARNINGS} ${TAKT_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM takt_rcl_test_headers)
  target_include_directories(${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/src ${CMAKE_CURRENT_LIST_DIR})
  target_link_libraries(${name} PRIVATE
    takt_rcl_test_main rcl_yaml_param_parser::rcl_yaml_param_parser)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)  # some stand in for middleware functions
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT 1200 ENVIRONMENT "ROS_LOG_DIR=${takt_rcl_test_logs}")
endforeach()
# It counts what the middleware allocates meanwhile.
set_tests_properties(rcl_allocation_test PROPERTIES RUN_SERIAL TRUE)

foreach(name rcl_source_test rcl_service_source_test rcl_client_source_test)
  if(TARGET ${name})
    target_link_libraries(${name} PRIVATE takt_host::takt_host_test_support)
  endif()
endforeach()
if(TARGET rcl_leaving_test)
  target_link_libraries(rcl_leaving_test PRIVATE fastdds)
endif()

add_executable(takt_rcl_peer ${CMAKE_CURRENT_LIST_DIR}/peers/peer.cpp)
target_compile_options(takt_rcl_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_peer PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_peer PRIVATE std_msgs sensor_msgs)
add_executable(takt_rcl_channel_peer ${CMAKE_CURRENT_LIST_DIR}/peers/channel_peer.cpp)
target_compile_options(takt_rcl_channel_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_channel_peer PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_channel_peer PRIVATE std_msgs)
target_compile_definitions(rcl_channel_transport_test PRIVATE
  TAKT_RCL_CHANNEL_PEER="$<TARGET_FILE:takt_rcl_channel_peer>")
add_dependencies(rcl_channel_transport_test takt_rcl_channel_peer)
target_link_libraries(rcl_channel_transport_test PRIVATE takt_channel::takt_channel)
target_link_libraries(rcl_topic_transport_test PRIVATE takt_channel::takt_channel)
target_link_libraries(rcl_trigger_test PRIVATE takt_channel::takt_channel)
if(TARGET rcl_source_test)
  target_link_libraries(rcl_source_test PRIVATE takt_channel::takt_channel)
endif()
# It counts context switches.
set_tests_properties(rcl_channel_transport_test PROPERTIES RUN_SERIAL TRUE)
add_executable(takt_rcl_calling_peer ${CMAKE_CURRENT_LIST_DIR}/peers/calling_peer.cpp)
target_compile_options(takt_rcl_calling_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_calling_peer PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_calling_peer PRIVATE diagnostic_msgs)
add_executable(takt_rcl_event_peer ${CMAKE_CURRENT_LIST_DIR}/peers/event_peer.cpp)
target_compile_options(takt_rcl_event_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_event_peer PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_event_peer PRIVATE std_msgs)
add_executable(takt_rcl_filter_peer ${CMAKE_CURRENT_LIST_DIR}/peers/filter_peer.cpp)
target_compile_options(takt_rcl_filter_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_filter_peer PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_filter_peer PRIVATE std_msgs)
add_executable(takt_rcl_generic_peer ${CMAKE_CURRENT_LIST_DIR}/peers/generic_peer.cpp)
target_compile_options(takt_rcl_generic_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_generic_peer PRIVATE takt_rcl)
add_executable(takt_rcl_parameter_peer ${CMAKE_CURRENT_LIST_DIR}/peers/parameter_peer.cpp)
target_compile_options(takt_rcl_parameter_peer PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_parameter_peer PRIVATE takt_rcl)
add_executable(takt_rcl_phases
  ${CMAKE_CURRENT_LIST_DIR}/peers/phases.cpp ${CMAKE_CURRENT_LIST_DIR}/peers/shifted_tai.cpp)
target_compile_options(takt_rcl_phases PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_phases PRIVATE takt_rcl ${CMAKE_DL_LIBS})
# The tests of takt_cli run it under a schedule with other programs.
add_executable(takt_rcl_looks ${CMAKE_CURRENT_LIST_DIR}/peers/looks.cpp)
target_compile_options(takt_rcl_looks PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_looks PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_looks PRIVATE std_msgs)
add_executable(takt_rcl_within ${CMAKE_CURRENT_LIST_DIR}/peers/within.cpp)
target_compile_options(takt_rcl_within PRIVATE ${TAKT_WARNINGS})
target_link_libraries(takt_rcl_within PRIVATE takt_rcl)
takt_rcl_link_messages(takt_rcl_within PRIVATE std_msgs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# ARGN: the folder of the test, with a slash.
function(takt_rcl_python_test name environment)
  add_test(NAME rcl_${name}
    COMMAND ${Python3_EXECUTABLE} -m pytest -q -p no:cacheprovider
      ${CMAKE_CURRENT_LIST_DIR}/${ARGN}test_${name}.py)
  set_tests_properties(rcl_${name} PROPERTIES
    TIMEOUT 1200 ENVIRONMENT "ROS_LOG_DIR=${takt_rcl_test_logs};${environment}")
endfunction()
takt_rcl_python_test(rclpy "TAKT_RCL_PEER=$<TARGET_FILE:takt_rcl_peer>")
takt_rcl_python_test(services "TAKT_RCL_CALLING_PEER=$<TARGET_FILE:takt_rcl_calling_peer>")
takt_rcl_python_test(events "TAKT_RCL_EVENT_PEER=$<TARGET_FILE:takt_rcl_event_peer>")
takt_rcl_python_test(
  filter "TAKT_RCL_FILTER_PEER=$<TARGET_FILE:takt_rcl_filter_peer>" messages/)
takt_rcl_python_test(
  generic "TAKT_RCL_GENERIC_PEER=$<TARGET_FILE:takt_rcl_generic_peer>" messages/)
takt_rcl_python_test(
  type_description "TAKT_RCL_GENERIC_PEER=$<TARGET_FILE:takt_rcl_generic_peer>" messages/)
takt_rcl_python_test(parameters "TAKT_RCL_PARAMETER_PEER=$<TARGET_FILE:takt_rcl_parameter_peer>")
takt_rcl_python_test(
  ros2_command
  "TAKT_RCL_PARAMETER_PEER=$<TARGET_FILE:takt_rcl_parameter_peer>;TAKT_RCL_CALLING_PEER=$<TARGET_FILE:takt_rcl_calling_peer>"
  command/)
takt_rcl_python_test(within "TAKT_RCL_WITHIN=$<TARGET_FILE:takt_rcl_within>")
takt_rcl_python_test(epoch "TAKT_RCL_PHASES=$<TARGET_FILE:takt_rcl_phases>")

# The README's example, word by word. The package may be built without the rest of the repository.
set(takt_rcl_readme ${CMAKE_CURRENT_LIST_DIR}/../../README.md)
if(EXISTS ${takt_rcl_readme})
  set(takt_rcl_example ${CMAKE_CURRENT_BINARY_DIR}/readme_example.cpp)
  add_custom_command(
    OUTPUT ${takt_rcl_example}
    COMMAND ${CMAKE_COMMAND} -DFROM=${takt_rcl_readme} -DLANGUAGE=cpp -DTO=${takt_rcl_example}
      -P ${CMAKE_CURRENT_LIST_DIR}/extract_example.cmake
    DEPENDS ${takt_rcl_readme} ${CMAKE_CURRENT_LIST_DIR}/extract_example.cmake)
  add_executable(takt_rcl_readme_example ${takt_rcl_example})
  target_compile_options(takt_rcl_readme_example PRIVATE ${TAKT_WARNINGS})
  target_link_libraries(takt_rcl_readme_example PRIVATE takt_rcl)
  takt_rcl_link_messages(takt_rcl_readme_example PRIVATE std_msgs)
  takt_rcl_python_test(readme "TAKT_RCL_EXAMPLE=$<TARGET_FILE:takt_rcl_readme_example>")
endif()
# It stands in for malloc, as the address sanitizer does.
set_tests_properties(rcl_allocation_test PROPERTIES LABELS no_asan)
set_tests_properties(rcl_units_test rcl_pubsub_test PROPERTIES LABELS smoke)
# Again and again, for `make soak`: what races does so once in many runs.
foreach(name
    rcl_activation_test rcl_first_wake_up_test rcl_lifetime_test rcl_moving_test rcl_sequence_test)
  add_test(NAME ${name}_soak COMMAND ${name} --gtest_repeat=500)
  set_tests_properties(${name}_soak PROPERTIES
    LABELS soak RUN_SERIAL TRUE TIMEOUT 3600 ENVIRONMENT "ROS_LOG_DIR=${takt_rcl_test_logs}")
endforeach()

# The address sanitizer's dlopen does not look where the calling library would.
get_filename_component(takt_rcl_ros_libraries ${rcl_DIR}/../../../lib ABSOLUTE)
get_property(takt_rcl_all_tests DIRECTORY PROPERTY TESTS)
set_property(TEST ${takt_rcl_all_tests} PROPERTY
  ENVIRONMENT_MODIFICATION LD_LIBRARY_PATH=path_list_append:${takt_rcl_ros_libraries})
