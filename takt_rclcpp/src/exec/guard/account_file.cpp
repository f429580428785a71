#include "exec/guard/account_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

namespace takt_exec
{

using takt_rt::GuardAccount;
using takt_rt::GuardSite;

AccountFile::AccountFile(const std::filesystem::path & path)
{
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status
  {
  };
  if (
    file >= 0 && ::fstat(file, &status) == 0 &&
    status.st_size == static_cast<off_t>(sizeof(GuardAccount))) {
    memory_ = ::mmap(nullptr, sizeof(GuardAccount), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (file >= 0) {
    ::close(file);
  }
}

AccountFile::~AccountFile()
{
  if (memory_ != MAP_FAILED) {
    ::munmap(memory_, sizeof(GuardAccount));
  }
}

GuardAccount * AccountFile::get() const
{
  auto * const account = static_cast<GuardAccount *>(memory_);
  return memory_ == MAP_FAILED || account->magic != GuardAccount::kMagic ? nullptr : account;
}

std::vector<FileAddress> frames_of(const GuardAccount & account, const GuardSite & site)
{
  std::vector<FileAddress> stack;
  for (std::uint32_t f = 0; f < site.frame_count && f < GuardSite::kFrames; ++f) {
    const std::uint64_t object = site.frames[f] >> 48U;
    stack.push_back(
      {object < account.objects.size() ? text_of(account.objects[object].path) : "",
       site.frames[f] & 0xffff'ffff'ffffU});
  }
  return stack;
}

bool is_takts_own(const std::string & object)
{
  constexpr std::array<std::string_view, 8> kNames{
    "libtakt_core.so",    "libtakt_host.so",     "libtakt_trace.so",  "libtakt_watch.so",
    "libtakt_control.so", "libtakt_schedule.so", "libtakt_rclcpp.so", "libtakt_preload.so"};
  const std::string name = base_name(object);
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string base_name(const std::string & path)
{
  return path.substr(path.rfind('/') + 1);
}

}  // namespace takt_exec
