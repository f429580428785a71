// The examples of the documentation.
#ifndef TAKT_SCHEDULE__TEST__DOCS_EXAMPLE_HPP_
#define TAKT_SCHEDULE__TEST__DOCS_EXAMPLE_HPP_

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace takt_schedule::test
{

/// The block behind the comment "<!-- COMMENT -->".
inline std::string docs_block(const std::string & comment, const std::string & page)
{
  std::ifstream file(TAKT_DOCS "/" + page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t marker = text.find("<!-- " + comment + " -->");
  const std::size_t fence = text.find("```", marker);
  const std::size_t begin = text.find('\n', fence) + 1;
  const std::size_t end = text.find("```", begin);
  if (marker == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << "docs/" << page << " has no block '" << comment << "'";
    return {};
  }
  return text.substr(begin, end - begin);
}

/// The one behind "<!-- test: NAME -->".
inline std::string docs_example(const std::string & name, const std::string & page = "schedule.md")
{
  return docs_block("test: " + name, page);
}

}  // namespace takt_schedule::test

#endif  // TAKT_SCHEDULE__TEST__DOCS_EXAMPLE_HPP_
