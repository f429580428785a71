// Tables for people.
#ifndef TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_

#include <string>
#include <vector>

namespace takt_plan::program
{

using Row = std::vector<std::string>;

/// The alignment of all columns but the first.
enum class Numbers
{
  left,
  right
};

/// Makes columns as wide as they need to be, with two spaces between them and no spaces at the ends
/// of lines.
std::string table(const std::vector<Row> & rows, Numbers numbers = Numbers::left);

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__TABLE_HPP_
