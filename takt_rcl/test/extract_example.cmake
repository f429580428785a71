# Writes the first block of a language in a Markdown file to a source file.
#
#   cmake -DFROM=README.md -DLANGUAGE=cpp -DTO=example.cpp -P extract_example.cmake
file(READ ${FROM} text)
string(FIND "${text}" "\n```${LANGUAGE}\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${FROM} has no block of ${LANGUAGE}")
endif()
string(LENGTH "\n```${LANGUAGE}\n" fence)
math(EXPR begin "${begin} + ${fence}")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "\n```" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(WRITE ${TO} "${text}\n")
