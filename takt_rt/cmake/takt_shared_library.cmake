# Makes a package's shared library. takt_rt's config brings this function along.
#
#     takt_shared_library(takt_x source... [NAMESPACE namespace] [EXPORT symbol...] [HEADERS standard])
#
# HEADERS: the C++ standard of its public headers, 20 by default; its sources are C++20.
#
# State that a thread or a process has once (current activations, callback numbers, signal handlers)
# must exist once where a program, its plug-ins and a preloaded library meet. So it lives in shared
# libraries, and they export what is in the package's namespace (by default its name) and nothing else:
# instances of std:: and of other libraries' templates stay private, or a preloaded library would lend
# its own to the whole program. `detail` is exported with the rest, because inline functions of public
# headers use it and tests link the library that users link.
#
# - No function of these libraries is replaced by another library's (interposed), so calls between
#   functions of one library are direct and may be inlined, as in a static library.
# - Thread-local variables are reached in one instruction (initial-exec). A library that is opened late
#   (dlopen) takes them from the loader's reserve for that, of which glibc keeps 1,664 bytes: takt_core with takt_rt
#   need 80 (the shared-state test opens it late), and all libraries that `takt exec` opens need some 660.
include_guard(GLOBAL)

function(takt_shared_library library)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE;HEADERS" "EXPORT")
  if(NOT arg_HEADERS)
    set(arg_HEADERS 20)
  endif()
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE ${library})
  endif()
  string(LENGTH ${arg_NAMESPACE} length)
  set(name ${length}${arg_NAMESPACE})  # as it stands in mangled names
  # Functions and variables, static variables of functions, their guards, type information and
  # virtual tables, thunks, thread-local variables' wrappers.
  set(symbols "")
  foreach(pattern IN ITEMS
      "_ZN@*" "_ZNK@*" "_ZNR@*" "_ZNKR@*" "_ZNO@*" "_ZNKO@*" "_ZZN@*" "_ZZNK@*"
      "_ZGVN@*" "_ZGVZN@*" "_ZGVZNK@*" "_ZTIN@*" "_ZTSN@*" "_ZTVN@*" "_ZTTN@*" "_ZTCN@*"
      "_ZTh*_N@*" "_ZTh*_NK@*" "_ZTv*_N@*" "_ZTv*_NK@*" "_ZTc*_N@*" "_ZTHN@*" "_ZTWN@*")
    string(REPLACE "@" "${name}" pattern "${pattern}")
    string(APPEND symbols "    ${pattern};\n")
  endforeach()
  # Functions in plain C.
  foreach(symbol IN LISTS arg_EXPORT)
    string(APPEND symbols "    ${symbol};\n")
  endforeach()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${library}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "{\n  global:\n@symbols@  local:\n    *;\n};\n" @ONLY)

  add_library(${library} SHARED ${arg_UNPARSED_ARGUMENTS})
  target_compile_features(${library} PUBLIC cxx_std_${arg_HEADERS} PRIVATE cxx_std_20)
  set_target_properties(${library} PROPERTIES CXX_EXTENSIONS OFF LINK_DEPENDS ${script})
  target_compile_options(${library} PRIVATE -fno-semantic-interposition -ftls-model=initial-exec)
  target_link_options(${library} PRIVATE
    LINKER:--version-script=${script} LINKER:-Bsymbolic-functions)
endfunction()
