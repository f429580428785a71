// The names of a channel's files in /dev/shm, and their removal. Set-up only.
#ifndef CHANNEL_FILES_HPP_
#define CHANNEL_FILES_HPP_

#include <string>
#include <string_view>
#include <vector>

namespace takt_channel
{

inline constexpr const char * kSharedMemory = "/dev/shm";

/// How the names of bells begin.
inline constexpr std::string_view kBellPrefix = "takt_bell_";

/// The path of a channel's bell: of the host, whoever the user is.
std::string bell_path(const std::string & channel);

/// The folder for the other files of the bell's channel, of this user. All other names of the channel begin with its name.
std::string folder_of(const std::string & bell);

/// The paths of the bells that this user has.
std::vector<std::string> bells_of_this_user();

/// Removes files that a killed process had begun to make: others wait a second for each to be finished. Only within a
/// change of the channel; connections, which are made without one, only if they are older than that second.
void remove_half_made(const std::string & folder);

/// Removes the folder and all of this user's files in shared memory whose names begin with the folder's.
void remove_parts(const std::string & folder);

}  // namespace takt_channel

#endif  // CHANNEL_FILES_HPP_
