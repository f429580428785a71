#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace takt_plan::program
{

std::string table(const std::vector<Row> & rows, Numbers numbers)
{
  std::vector<std::size_t> widths;
  for (const Row & row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row & row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool right = i > 0 && numbers == Numbers::right;
      line += i > 0 ? "  " : "";
      line +=
        right ? fmt::format("{:>{}}", row[i], widths[i]) : fmt::format("{:<{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace takt_plan::program
