// The names of a channel's files in /dev/shm, and their removal. Set-up only.
#ifndef CHANNEL_FILES_HPP_
#define CHANNEL_FILES_HPP_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt_channel
{

inline constexpr const char * kSharedMemory = "/dev/shm";

/// Gives memory to the file's first `bytes` bytes. Returns 0 or the error. Signals do not end it.
int give_memory(int file, std::int64_t bytes);

/// The beginning of the bells' names.
inline constexpr std::string_view kBellPrefix = "takt_bell_";

/// The path of a channel's bell, the same for all users of the host.
std::string bell_path(const std::string & channel);

/// This user's folder for the other files of the bell's channel. The names of all other parts of
/// the channel begin with the folder's name.
std::string folder_of(const std::string & bell);

/// The paths of this user's bells.
std::vector<std::string> bells_of_this_user();

/// Removes files that a killed process had begun: other processes would wait for the end of each.
/// Call within a change of the channel, before iceoryx2 removes what ended processes left.
/// Connections are made without a change, too, so this removes only those older than a second, and
/// prepares the others for their removal by iceoryx2.
void remove_half_made(const std::string & folder);

/// Gives memory to all files of the channel in shared memory, which iceoryx2 makes without:
/// otherwise the first write to a page can end the process with SIGBUS. Returns false if the memory
/// does not suffice. Call within a change of the channel.
bool reserve_parts(const std::string & folder);

/// Removes the folder and all of this user's files in shared memory whose names begin with the
/// folder's.
void remove_parts(const std::string & folder);

}  // namespace takt_channel

#endif  // CHANNEL_FILES_HPP_
