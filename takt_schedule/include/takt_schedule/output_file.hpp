// Writes a file of results as a whole or not at all. Set-up only; may block.
#ifndef TAKT_SCHEDULE__OUTPUT_FILE_HPP_
#define TAKT_SCHEDULE__OUTPUT_FILE_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// Whether `path` can be written; changes nothing.
takt_rt::Status check_output(const std::string & path);

/// Whether both paths name one file, which need not exist. Follows links and normalises paths.
/// Paths of other than regular files (terminals, pipes) are the same only if they are spelt alike,
/// because several streams may lead to one terminal.
bool same_file(const std::string & one, const std::string & other);

/// Writes `text` to a file beside `path` and renames it, so that the old content stays until the
/// new one is complete; keeps the permissions. Writes directly to a device or pipe, and where no
/// file can be created.
takt_rt::Status write_output(const std::string & path, std::string_view text);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__OUTPUT_FILE_HPP_
