#include "takt_schedule/source.hpp"

#include <utility>

namespace takt_schedule
{

takt_rt::Fault located(std::string_view file, const Source & source, takt_rt::Fault what)
{
  what.file = file;
  what.line = source.line;
  what.column = source.column;
  return what;
}

}  // namespace takt_schedule
