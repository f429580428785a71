// Whether to advise file capabilities for the program. The dynamic linker preloads nothing into a program with file
// capabilities, so a program that preloads takt would run without takt.
#ifndef TAKT_RT__FILE_CAPABILITIES_HPP_
#define TAKT_RT__FILE_CAPABILITIES_HPP_

namespace takt_rt
{

/// From here on this process's messages about missing rights (`reason` in refusal.hpp, and for locked memory) advise no
/// `setcap`. Any thread; real-time safe.
void advise_no_file_capabilities() noexcept;

/// Any thread; real-time safe.
bool file_capabilities_help() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__FILE_CAPABILITIES_HPP_
