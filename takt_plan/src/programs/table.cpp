#include "table.hpp"

#include <algorithm>
#include <cstddef>

namespace takt_plan::program
{
namespace
{

/// The characters of a text in UTF-8, of which each begins with one byte that is no continuation.
std::size_t width_of(const std::string & text)
{
  return static_cast<std::size_t>(
    std::count_if(text.begin(), text.end(), [](char byte) { return (byte & '\xc0') != '\x80'; }));
}

}  // namespace

std::string table(const std::vector<Row> & rows, Numbers numbers)
{
  std::vector<std::size_t> widths;
  for (const Row & row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string text;
  for (const Row & row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool right = i > 0 && numbers == Numbers::right;
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += i > 0 ? "  " : "";
      line += right ? padding + row[i] : row[i] + padding;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace takt_plan::program
