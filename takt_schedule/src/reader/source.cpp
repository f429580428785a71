#include "takt_schedule/source.hpp"

#include <utility>

namespace takt_schedule
{

takt_core::Fault located(std::string_view file, const Source & source, takt_core::Fault what)
{
  what.file = file;
  what.line = source.line;
  what.column = source.column;
  return what;
}

}  // namespace takt_schedule
