#include "opening.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "channel_files.hpp"

namespace takt_channel
{
namespace
{

constexpr std::uint32_t kMostQueued = 4096;
constexpr std::size_t kMostName = 200;
// The number of killed publishers whose messages stay for a subscriber that did not take yet.
constexpr std::uint32_t kKept = 4;

std::string range_fault(
  const char * what, std::uint64_t value, std::uint64_t least, std::uint64_t most)
{
  if (value >= least && value <= most) {
    return {};
  }
  return std::string(what) + " is " + std::to_string(value) + "; use " + std::to_string(least) +
         " to " + std::to_string(most);
}

std::string option_fault(const Options & options)
{
  if (options.name.empty() || options.name.size() > kMostName) {
    return "the name has " + std::to_string(options.name.size()) + " characters; use 1 to " +
           std::to_string(kMostName);
  }
  if (options.type.empty() || options.type.size() > kMostName) {
    return "the type's name has " + std::to_string(options.type.size()) + " characters; use 1 to " +
           std::to_string(kMostName);
  }
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
  for (std::string fault :
       {range_fault("max_size", options.max_size, 1, kMostBytes),
        range_fault("depth", options.depth, 1, kMostQueued),
        range_fault("history", options.history, 0, options.depth),
        range_fault("held", options.held, 1, kMostQueued),
        range_fault("loans", options.loans, 1, kMostQueued),
        range_fault("publishers", options.publishers, 1, Options::kMostPublishers),
        range_fault("subscribers", options.subscribers, 1, kMostSubscribers)}) {
    if (!fault.empty()) {
      return fault;
    }
  }
  return {};
}

// Whether a second attempt may succeed after cleaning: half-made files of a killed process, or the
// memory of dead publishers, can make the first attempt fail.
bool cleaning_may_help(std::int32_t code)
{
  return code == takt_channel_failed || code == takt_channel_no_memory;
}

// The bytes of shared memory that are free.
std::uint64_t free_memory()
{
  struct statvfs status = {};
  return ::statvfs(kSharedMemory, &status) == 0 ? std::uint64_t{status.f_bavail} * status.f_frsize
                                                : UINT64_MAX;
}

std::string memory_words(Bell::Access access, const std::string & needed)
{
  const bool publishes = access == Bell::Access::ring;
  const std::string who = publishes ? "the publisher" : "the subscriber";
  const std::string remedy = publishes
                               ? "lower max_size, depth, history, held, loans or subscribers"
                               : "lower depth or held";
  const std::string there = std::string(kSharedMemory) + " has ";
  return (needed == "0" ? who + " could not get its memory, and " + there
                        : who + " needs " + needed + " bytes, and " + there) +
         std::to_string(free_memory()) + "; " + remedy + " on both sides, or make it larger";
}

// `words`: the port's last words.
Refused refused_by(std::int32_t code, Bell::Access access, const std::string & words)
{
  switch (code) {
    case takt_channel_incompatible:
      return {
        Refusal::incompatible, "the channel is there with " + words +
                                 "; give both sides the same options and the same takt"};
    case takt_channel_full:
      return {
        Refusal::full,
        "the channel has as many publishers or subscribers as its options allow; raise "
        "publishers or subscribers on both sides"};
    case takt_channel_denied:
      return {Refusal::other_user, "another user has files of this channel"};
    case takt_channel_no_memory:
      return {Refusal::no_memory, memory_words(access, words)};
    case takt_channel_invalid:
      return {
        Refusal::bad_options, "the name or the type has characters that a channel cannot have"};
    default:
      return {Refusal::failed, "the channel could not be opened (" + words + ")"};
  }
}

// Makes the folder. Another user may have made a folder of this name: then takt must not write
// there.
std::string folder_fault(const std::string & folder)
{
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return "cannot make the folder " + folder + ": " + std::strerror(errno);
  }
  struct stat status = {};
  constexpr mode_t kOthers = 077;
  const bool usable = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                      status.st_uid == ::geteuid() && (status.st_mode & kOthers) == 0;
  return usable ? "" : folder + " is not a folder that only this user can read; remove it";
}

// Removes what ended processes of the channel left, except the memory of the newest `kept`
// publishers. Call within a change.
void remove_dead(const Bell & bell, std::uint32_t kept)
{
  remove_half_made(bell.folder());
  takt_channel_clean(bell.folder().c_str(), bell.prefix().c_str(), kept);
}

}  // namespace

Denial denial_of(std::int32_t code) noexcept
{
  switch (code) {
    case takt_channel_ok:
      return Denial::none;
    case takt_channel_empty:
      return Denial::empty;
    case takt_channel_all_in_use:
      return Denial::all_in_use;
    case takt_channel_too_large:
      return Denial::too_large;
    case takt_channel_invalid:
      return Denial::not_loaned;
    default:
      return Denial::failed;
  }
}

takt_rt::Faults faults_of(const Options & options, const Refused & refused)
{
  takt_rt::Fault fault(refused.why);
  fault.place = "channel '" + options.name + "'";
  return {fault};
}

std::optional<Refused> open_port(
  const Options & options, Bell::Access access, Bell & bell,
  const std::function<std::int32_t(const takt_channel_shape &)> & create)
{
  if (!available()) {
    return Refused{
      Refusal::not_built,
      "this build of takt has no channels in shared memory: cargo 1.89 or newer was not found, or "
      "could not get its crates, when takt was built"};
  }
  if (std::string fault = option_fault(options); !fault.empty()) {
    return Refused{Refusal::bad_options, std::move(fault)};
  }
  // A robot that was switched off leaves all its channels: its first program frees their memory,
  // whichever of them it opens.
  static std::once_flag cleaned;
  std::call_once(cleaned, [] { clean(); });
  Refused refused;
  int error = 0;
  bell = Bell::open(options.name, access, refused.refusal, error);
  if (!bell) {
    refused.why =
      refused.refusal == Refusal::other_user
        ? "another user has this channel; a channel is of one user"
        : std::string("its page in shared memory cannot be opened: ") + std::strerror(error);
    return refused;
  }
  if (std::string fault = folder_fault(bell.folder()); !fault.empty()) {
    return Refused{Refusal::failed, std::move(fault)};
  }
  const std::string prefix = bell.prefix();
  const char * const root = bell.folder().c_str();
  if (bell.has_other_users()) {
    remove_dead(bell, kKept);
  }
  takt_channel_shape shape = {};
  shape.root = root;
  shape.prefix = prefix.c_str();
  shape.name = options.name.c_str();
  shape.type = options.type.c_str();
  shape.max_size = options.max_size;
  shape.depth = options.depth;
  shape.history = options.history;
  shape.held = options.held;
  shape.loans = options.loans;
  shape.publishers = options.publishers;
  shape.subscribers = options.subscribers;
  shape.kept = kKept;
  std::string words;
  const auto create_all = [&] {
    shape.free = free_memory();
    const std::int32_t code = create(shape);
    words = takt_channel_last_words();
    if (code == takt_channel_ok && !reserve_parts(bell.folder())) {
      words = "0";
      return static_cast<std::int32_t>(takt_channel_no_memory);
    }
    return code;
  };
  std::int32_t code = create_all();
  if (cleaning_may_help(code)) {
    remove_dead(bell, 0);
    code = create_all();
  }
  return code == takt_channel_ok ? std::nullopt : std::optional(refused_by(code, access, words));
}

void clean()
{
  Bell::clean();
}

}  // namespace takt_channel
