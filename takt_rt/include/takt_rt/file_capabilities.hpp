// Whether giving the program file capabilities is advice that helps: nothing can be preloaded into a program that has
// them, so a program that takt was preloaded into would run without takt.
#ifndef TAKT_RT__FILE_CAPABILITIES_HPP_
#define TAKT_RT__FILE_CAPABILITIES_HPP_

namespace takt_rt
{

/// What this process prints of missing rights (`reason` in refusal.hpp, and for locked memory) advises no `setcap` from
/// here on. Any thread; real-time safe.
void advise_no_file_capabilities() noexcept;

/// Any thread; real-time safe.
bool file_capabilities_help() noexcept;

}  // namespace takt_rt

#endif  // TAKT_RT__FILE_CAPABILITIES_HPP_
