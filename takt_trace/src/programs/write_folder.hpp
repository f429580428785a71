// Writes a trace that is a folder.
#ifndef TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_
#define TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_

#include <string>
#include <vector>

#include "ctf/ctf.hpp"

namespace takt_trace::programs
{

/// Whether `folder` is new or empty: files of another trace would be read with those of this one.
bool takes_a_trace(const std::string & folder);

/// Empty: it is written; else what the system says of the file that cannot be written. May block.
std::string write_folder(const std::string & folder, const std::vector<LongTrace> & traces);

}  // namespace takt_trace::programs

#endif  // TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_
