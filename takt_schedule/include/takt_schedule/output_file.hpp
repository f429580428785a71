// A file of results that is there as a whole or not at all. Set-up only; may block.
#ifndef TAKT_SCHEDULE__OUTPUT_FILE_HPP_
#define TAKT_SCHEDULE__OUTPUT_FILE_HPP_

#include <string>
#include <string_view>

#include "takt_rt/result.hpp"

namespace takt_schedule
{

/// Whether `path` can be written, without changing anything there.
takt_rt::Status check_output(const std::string & path);

/// Whether both paths name one file, which need not exist yet. Links are followed, and spellings of one path
/// count as the same. Paths of anything but regular files (terminals, pipes) are the same only if they are
/// spelt alike, because several streams may lead to one terminal.
bool same_file(const std::string & one, const std::string & other);

/// Writes `text` to a file beside it and renames that, so that what was there before stays until all
/// is written; its permissions stay. What is not a regular file (a device, a pipe), or stands where no
/// file can be made, is written through.
takt_rt::Status write_output(const std::string & path, std::string_view text);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__OUTPUT_FILE_HPP_
