// The accounts of the guard (takt_rt/guard/account.hpp), as other processes read them.
#ifndef EXEC__GUARD__ACCOUNT_FILE_HPP_
#define EXEC__GUARD__ACCOUNT_FILE_HPP_

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "takt_rt/guard/account.hpp"

namespace takt_exec
{

/// The file of an account, mapped while the object lives. Set-up only; may block.
class AccountFile
{
public:
  explicit AccountFile(const std::filesystem::path & path);
  ~AccountFile();
  AccountFile(const AccountFile &) = delete;
  AccountFile & operator=(const AccountFile &) = delete;

  /// Null: the file is not an account, or its process has not yet written the account's head.
  takt_rt::GuardAccount * get() const;

private:
  void * memory_ = MAP_FAILED;
};

/// An address of code, as the symbols of its file have it.
struct FileAddress
{
  std::string object;  ///< the path; empty: unknown
  std::uint64_t offset = 0;
};

/// The stack of a place, innermost first.
std::vector<FileAddress> frames_of(
  const takt_rt::GuardAccount & account, const takt_rt::GuardSite & site);

/// True for libraries of takt that programs do not call themselves.
bool is_takts_own(const std::string & object);

/// Cuts the frames from the executor's call of the callback on.
template <typename Frame>
void cut_executor(std::vector<Frame> & frames)
{
  const auto end = std::find_if(
    frames.begin(), frames.end(), [](const Frame & frame) { return is_takts_own(frame.object); });
  if (end != frames.begin()) {
    frames.erase(end, frames.end());
  }
}

template <std::size_t kBytes>
std::string text_of(const std::array<char, kBytes> & bytes)
{
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), '\0')};
}

/// The path's last part.
std::string base_name(const std::string & path);

}  // namespace takt_exec

#endif  // EXEC__GUARD__ACCOUNT_FILE_HPP_
