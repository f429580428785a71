// Reads the text of a file for parsing.
#ifndef TAKT_SCHEDULE__READER__FILE_TEXT_HPP_
#define TAKT_SCHEDULE__READER__FILE_TEXT_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// Reads at most one byte more than `most`, enough for a refusal. An unreadable file is one fault,
/// "PATH: reason"; `kind` names the expected file ("a schedule file"). Reads a pipe or a device to
/// its end; an empty pipe without a writer is a fault. Set-up only; may block: waits for the writer
/// of a pipe.
takt_rt::Result<std::string> file_text(
  const std::string & path, std::string_view kind, std::size_t most);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__READER__FILE_TEXT_HPP_
