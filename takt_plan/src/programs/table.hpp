// Tables for people.
#ifndef TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_

#include <string>
#include <vector>

namespace takt_plan::program
{

using Row = std::vector<std::string>;

/// Where columns behind the first stand.
enum class Numbers
{
  left,
  right
};

/// Columns as wide as they need to be, two spaces between them, no spaces at the ends of lines.
std::string table(const std::vector<Row> & rows, Numbers numbers = Numbers::left);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_
