#include "takt_schedule/source.hpp"

namespace takt_schedule
{

std::string located(std::string_view file, const Source & source, std::string_view what)
{
  std::string result{file};
  result += ':' + std::to_string(source.line) + ':' + std::to_string(source.column) + ": ";
  return result += what;
}

}  // namespace takt_schedule
