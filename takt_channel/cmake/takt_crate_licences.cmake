# Writes the licence texts of the crates that are linked into the library below OUT: a folder for each crate, and a list.
#
#     cmake -D CARGO=cargo -D DIRECTORY=rust -D OUT=licences -P takt_crate_licences.cmake
#
# The texts are those in cargo's copy of each crate. A crate without one, of those that offer Apache-2.0, gets the text of
# that licence from another crate.
cmake_minimum_required(VERSION 3.20)

set(crates_here --locked --offline --manifest-path ${DIRECTORY}/Cargo.toml)
execute_process(COMMAND ${CARGO} tree ${crates_here} --edges normal,no-proc-macro --prefix none --format "{p}|{l}"
  OUTPUT_VARIABLE tree COMMAND_ERROR_IS_FATAL ANY)
# Of this platform's crates only: the build has not got those of others, and cargo would have to.
execute_process(COMMAND ${CARGO} -vV OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "host: ([^\n]+)" host "${version}")
execute_process(COMMAND ${CARGO} metadata ${crates_here} --format-version 1 --filter-platform ${CMAKE_MATCH_1}
  OUTPUT_VARIABLE metadata COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\"manifest_path\":\"[^\"]*\"" manifests "${metadata}")

# The texts of the crate in `folder`.
function(takt_texts_of folder texts)
  set(found)
  file(GLOB files LIST_DIRECTORIES false ${folder}/*)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    string(TOLOWER ${name} name)
    if(name MATCHES "^(licen[cs]e|copying|notice)")
      list(APPEND found ${file})
    endif()
  endforeach()
  set(${texts} ${found} PARENT_SCOPE)
endfunction()

set(apache)
foreach(manifest IN LISTS manifests)
  string(REGEX REPLACE "^\"manifest_path\":\"(.*)/Cargo.toml\"$" "\\1" folder "${manifest}")
  get_filename_component(crate ${folder} NAME)
  set(folder_of_${crate} ${folder})
  if(NOT apache AND EXISTS ${folder}/LICENSE-APACHE)
    set(apache ${folder}/LICENSE-APACHE)
  endif()
endforeach()

file(REMOVE_RECURSE ${OUT})
string(REGEX REPLACE "\n" ";" crates "${tree}")
list(REMOVE_DUPLICATES crates)
set(list)
foreach(line IN LISTS crates)
  if(NOT line MATCHES "^([^ |]+) v([^ |]+)[^|]*\\|(.*)$" OR CMAKE_MATCH_1 STREQUAL "takt_channel_c")
    continue()
  endif()
  set(crate ${CMAKE_MATCH_1}-${CMAKE_MATCH_2})
  string(REPLACE " (*)" "" licence "${CMAKE_MATCH_3}")
  if(EXISTS ${OUT}/${crate})
    continue()  # cargo names it again
  endif()
  takt_texts_of("${folder_of_${crate}}" texts)
  if(NOT texts)
    if(NOT licence MATCHES "Apache-2\\.0" OR NOT apache)
      message(FATAL_ERROR "${crate} (${licence}) has no licence text")
    endif()
    set(texts ${apache})
  endif()
  file(COPY ${texts} DESTINATION ${OUT}/${crate})
  string(APPEND list "${crate}: ${licence}\n")
endforeach()
file(WRITE ${OUT}/crates.txt "${list}")
