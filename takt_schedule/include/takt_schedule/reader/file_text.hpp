// The text of a file that is to be parsed.
#ifndef TAKT_SCHEDULE__READER__FILE_TEXT_HPP_
#define TAKT_SCHEDULE__READER__FILE_TEXT_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// At most one byte more than `most`, which is enough to be refused. One fault, "PATH: reason", if it
/// cannot be read; `kind` says what is expected ("a schedule file"). A pipe or a device is read to its
/// end, and an empty pipe without a writer is a fault. Set-up only; may block: waits for the writer of a
/// pipe.
takt_rt::Result<std::string> file_text(
  const std::string & path, std::string_view kind, std::size_t most);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__FILE_TEXT_HPP_
