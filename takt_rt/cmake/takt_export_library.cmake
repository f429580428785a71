# Installs the library of a package without ROS so that find_package finds it: headers, targets,
# config and package.xml. takt_rt's config brings this function along.
#
#     takt_export_library(takt_x [DEPENDS package...] [CMAKE file...])
#
# DEPENDS: what users of the library must find, too. CMAKE: files that find_package(takt_x) includes.
include_guard(GLOBAL)

function(takt_export_library library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS;CMAKE")
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  set(directory ${CMAKE_INSTALL_DATADIR}/${library}/cmake)

  add_library(${library}::${library} ALIAS ${library})
  # Headers are nested once more so that an overlay workspace cannot pick up an underlay's copy.
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/${library}>)
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${library})
  install(TARGETS ${library} EXPORT ${library}-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT ${library}-targets NAMESPACE ${library}:: DESTINATION ${directory})

  set(config "include(CMakeFindDependencyMacro)\n")
  foreach(package IN LISTS arg_DEPENDS)
    string(APPEND config "find_dependency(${package})\n")
  endforeach()
  string(APPEND config "include(\"\${CMAKE_CURRENT_LIST_DIR}/${library}-targets.cmake\")\n")
  foreach(file IN LISTS arg_CMAKE)
    get_filename_component(name ${file} NAME)
    string(APPEND config "include(\"\${CMAKE_CURRENT_LIST_DIR}/${name}\")\n")
  endforeach()
  set(built ${CMAKE_CURRENT_BINARY_DIR}/${library}-config)
  file(WRITE ${built}.cmake "${config}")
  write_basic_package_version_file(${built}-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${built}.cmake ${built}-version.cmake ${arg_CMAKE} DESTINATION ${directory})
  install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/${library})
endfunction()
