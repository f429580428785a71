#include "bell.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "channel_files.hpp"
#include "takt_rt/futex.hpp"

namespace takt_channel
{
namespace
{

// Locks are on single bytes: one for the place of each publisher and of each subscriber, one for
// all users, and one for changes. Locks belong to the open file; the kernel drops them with its
// last descriptor.
constexpr off_t kSubscribers = 1 << 10;
constexpr off_t kUsers = 1 << 20;
constexpr off_t kChange = kUsers + 1;

bool lock(int file, short type, off_t byte, int command = F_OFD_SETLK)
{
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  int done = 0;
  do {
    done = ::fcntl(file, command, &range);
  } while (done != 0 && errno == EINTR);
  return done == 0;
}

bool is_locked_by_another(int file, off_t byte)
{
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte;
  range.l_len = 1;
  return ::fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

// Whether the file still has its name: a user that leaves removes the file, perhaps between our
// `open` and our lock.
bool has_name(int file)
{
  struct stat status = {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

bool is_ours(int file)
{
  struct stat status = {};
  return ::fstat(file, &status) == 0 && status.st_uid == ::geteuid();
}

// Opens the file of that name, and begins a change.
int open_for_change(const std::string & path, Refusal & refusal, int & error)
{
  for (;;) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
      error = errno;
      refusal = error == EACCES || error == EPERM ? Refusal::other_user : Refusal::failed;
      return -1;
    }
    if (!is_ours(file)) {
      refusal = Refusal::other_user;
      ::close(file);
      return -1;
    }
    if (!lock(file, F_WRLCK, kChange, F_OFD_SETLKW)) {
      error = errno;  // this kernel has no such locks, or no more
      refusal = Refusal::failed;
      ::close(file);
      return -1;
    }
    if (has_name(file)) {
      return file;
    }
    ::close(file);
  }
}

}  // namespace

Bell::Bell(Bell && other) noexcept
{
  *this = std::move(other);
}

Bell & Bell::operator=(Bell && other) noexcept
{
  std::swap(file_, other.file_);
  std::swap(page_, other.page_);
  std::swap(place_, other.place_);
  std::swap(listens_, other.listens_);
  std::swap(arrival_, other.arrival_);
  std::swap(seen_, other.seen_);
  std::swap(path_, other.path_);
  std::swap(folder_, other.folder_);
  return *this;
}

Bell::~Bell()
{
  if (file_ >= 0) {
    begin_change();
  }
  if (listens_) {
    write_listeners(locked_subscribers());
  }
  if (page_ != nullptr) {
    ::munmap(page_, sizeof(Page));
  }
  if (file_ < 0) {
    return;
  }
  if (!has_other_users()) {
    remove_parts(folder_);
    ::unlink(path_.c_str());
  }
  ::close(file_);
}

Bell Bell::open(const std::string & channel, Access access, Refusal & refusal, int & error)
{
  Bell bell;
  const std::string path = bell_path(channel);
  const int file = open_for_change(path, refusal, error);
  if (file < 0) {
    return bell;
  }
  bell.file_ = file;
  bell.path_ = path;
  bell.folder_ = folder_of(path);
  if (lock(file, F_WRLCK, kUsers)) {
    remove_parts(bell.folder_);
    ::ftruncate(file, 0);
  }
  // This lock cannot fail within a change.
  lock(file, F_RDLCK, kUsers);
  void * memory = MAP_FAILED;
  error = give_memory(file, sizeof(Page));
  if (error == 0) {
    const int protection = access == Access::ring ? PROT_READ | PROT_WRITE : PROT_READ;
    memory = ::mmap(nullptr, sizeof(Page), protection, MAP_SHARED | MAP_POPULATE, file, 0);
    error = memory == MAP_FAILED ? errno : 0;
  }
  if (memory == MAP_FAILED) {
    refusal = Refusal::no_memory;
    return bell;
  }
  bell.page_ = static_cast<Page *>(memory);
  return bell;
}

void Bell::clean()
{
  for (const std::string & path : bells_of_this_user()) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
      continue;
    }
    if (
      is_ours(file) && lock(file, F_WRLCK, kChange) && has_name(file) &&
      lock(file, F_WRLCK, kUsers)) {
      remove_parts(folder_of(path));
      ::unlink(path.c_str());
    }
    ::close(file);
  }
}

void Bell::begin_change() noexcept
{
  lock(file_, F_WRLCK, kChange, F_OFD_SETLKW);
}

void Bell::end_change() noexcept
{
  lock(file_, F_UNLCK, kChange);
}

std::string Bell::prefix() const
{
  return std::filesystem::path(folder_).filename().string() + "_";
}

bool Bell::has_other_users() const noexcept
{
  if (!lock(file_, F_WRLCK, kUsers)) {
    return true;
  }
  lock(file_, F_RDLCK, kUsers);
  return false;
}

bool Bell::take_place(std::uint64_t publisher, std::size_t most)
{
  for (std::size_t i = 0; i < most; ++i) {
    if (lock(file_, F_WRLCK, static_cast<off_t>(i))) {
      place_ = i;
      // A reader between these stores sees no publisher in the place and skips it. At its next look
      // the publisher is new to the reader, so all messages of the publisher count.
      page_->places[i].publisher.store(0, std::memory_order_release);
      page_->places[i].next.store(0, std::memory_order_release);
      page_->places[i].newest.store(0, std::memory_order_relaxed);
      page_->places[i].publisher.store(publisher, std::memory_order_release);
      return true;
    }
  }
  return false;
}

bool Bell::subscriber_came() noexcept
{
  const std::uint64_t others = locked_subscribers();
  if (std::countr_one(others) == kMostSubscribers) {
    return false;
  }
  place_ = static_cast<std::size_t>(std::countr_one(others));
  listens_ = true;
  // The port has seen all present publishers. Lock the place last: before that, no publisher reads
  // it.
  note_seen(publishers());
  lock(file_, F_WRLCK, kSubscribers + static_cast<off_t>(place_));
  write_listeners(others | std::uint64_t{1} << place_);
  const std::uint32_t count = subscribers() + 1;
  (void)!::pwrite(file_, &count, sizeof count, offsetof(Page, subscribers));
  return true;
}

// A bit for the place of each other subscriber that lives.
std::uint64_t Bell::locked_subscribers() const noexcept
{
  std::uint64_t locked = 0;
  for (std::size_t i = 0; i < kMostSubscribers; ++i) {
    if (is_locked_by_another(file_, kSubscribers + static_cast<off_t>(i))) {
      locked |= std::uint64_t{1} << i;
    }
  }
  return locked;
}

std::size_t Bell::living_subscribers() const noexcept
{
  return static_cast<std::size_t>(std::popcount(locked_subscribers()));
}

std::size_t Bell::living_publishers() const noexcept
{
  std::size_t living = 0;
  for (std::size_t i = 0; i < Options::kMostPublishers; ++i) {
    living += is_locked_by_another(file_, static_cast<off_t>(i)) ? 1 : 0;
  }
  return living;
}

// Writes the bits of all listeners to the file, as `note_seen` does. A publisher that reads the old
// bits has published before, so the subscriber's first look finds its message. Bits of killed
// subscribers stay until another subscriber comes or leaves; each costs a wake-up of no thread.
void Bell::write_listeners(std::uint64_t listeners) noexcept
{
  (void)!::pwrite(file_, &listeners, sizeof listeners, offsetof(Page, listeners));
}

// Writes to the file, because a subscriber's mapping is read-only.
void Bell::note_seen(std::uint32_t count) noexcept
{
  seen_ = count;
  const auto offset = static_cast<off_t>(offsetof(Page, seen) + place_ * sizeof count);
  (void)!::pwrite(file_, &count, sizeof count, offset);
}

bool Bell::seen_by_all() const noexcept
{
  for (std::size_t i = 0; i < kMostSubscribers; ++i) {
    const std::uint32_t seen = page_->seen[i].load(std::memory_order_acquire);
    if (
      static_cast<std::int32_t>(seen - arrival_) < 0 &&
      is_locked_by_another(file_, kSubscribers + static_cast<off_t>(i))) {
      return false;
    }
  }
  return true;
}

void Bell::ring() noexcept
{
  // The fence orders the message before the look for listeners.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint64_t rest = page_->listeners.load(std::memory_order_seq_cst);
  for (; rest != 0; rest &= rest - 1) {
    std::atomic<std::uint32_t> & word = page_->words[std::countr_zero(rest)];
    word.fetch_add(1, std::memory_order_seq_cst);
    takt_rt::futex_wake_shared(word, 1);
  }
}

std::uint64_t Bell::published_since(Standings & last) const noexcept
{
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Page::Place & place = page_->places[i];
    const std::uint64_t publisher = place.publisher.load(std::memory_order_acquire);
    const std::uint64_t next = place.next.load(std::memory_order_acquire);
    const std::int64_t newest = place.newest.load(std::memory_order_relaxed);
    if (publisher == 0 || publisher != place.publisher.load(std::memory_order_acquire)) {
      continue;  // a publisher is taking the place, and rings later
    }
    const std::uint64_t before = publisher == last[i].publisher ? last[i].next : 0;
    if (next >= before) {
      count += next - before;
      last[i] = {publisher, next, newest};
    }
  }
  return count;
}

std::vector<Standing> Bell::standings() const
{
  std::vector<Standing> all;
  for (const Page::Place & place : page_->places) {
    const std::uint64_t publisher = place.publisher.load(std::memory_order_acquire);
    if (publisher != 0) {
      all.push_back({publisher, place.next.load(std::memory_order_acquire), 0});
    }
  }
  return all;
}

}  // namespace takt_channel
