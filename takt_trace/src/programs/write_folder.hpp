// Writes a trace in the form of a folder.
#ifndef TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_
#define TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_

#include <string>
#include <vector>

#include "ctf/ctf.hpp"

namespace takt_trace::programs
{

/// True if `folder` is new or empty: readers would mix files of another trace with those of this
/// one.
bool takes_a_trace(const std::string & folder);

/// Empty: written; otherwise the system's error for a file. May block.
std::string write_folder(const std::string & folder, const std::vector<LongTrace> & traces);

}  // namespace takt_trace::programs

#endif  // TAKT_TRACE__SRC__PROGRAMS__WRITE_FOLDER_HPP_
