#include "takt_trace/memory_limit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace takt_trace
{
namespace detail
{
namespace
{

thread_local std::shared_ptr<PagePool> pool_of_thread;  // NOLINT: of the innermost limit

/// -1: see errno.
int file_without_name(const std::string & folder)
{
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) {
    return file;
  }
  // File systems refuse O_TMPFILE with various errors.
  std::string name = folder + "/takt-trace-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) {
    ::unlink(name.c_str());
  }
  return named;
}

}  // namespace

const std::shared_ptr<PagePool> & current_pool() noexcept
{
  return pool_of_thread;
}

PagePool::PagePool(std::size_t bytes, std::size_t page_bytes, std::string folder)
: bytes_(bytes),
  page_bytes_(page_bytes),
  folder_(folder.empty() ? std::string(".") : std::move(folder))
{
}

PagePool::~PagePool()
{
  if (file_ >= 0) {
    ::close(file_);
  }
}

std::uint32_t PagePool::add_frame(Pages & owner, std::size_t page)
{
  while (in_memory_ + owner.page_bytes_ > bytes_ && in_memory_ > 0) {
    evict_one();
  }
  if (free_frames_.empty()) {
    free_frames_.push_back(static_cast<std::uint32_t>(frames_.size()));
    frames_.emplace_back();
  }
  const std::uint32_t number = free_frames_.back();
  Frame & frame = frames_[number];
  frame.data = std::make_unique<std::byte[]>(owner.page_bytes_);
  free_frames_.pop_back();
  frame.owner = &owner;
  frame.page = page;
  frame.used = true;
  frame.dirty = false;
  in_memory_ += owner.page_bytes_;
  return number;
}

void PagePool::remove_frame(std::uint32_t number)
{
  Frame & frame = frames_[number];
  in_memory_ -= frame.owner->page_bytes_;
  frame.data.reset();
  frame.owner = nullptr;
  free_frames_.push_back(number);
  ++evictions_;
}

/// Evicts the first page from the clock hand on that was not used since the hand passed it.
void PagePool::evict_one()
{
  for (;; hand_ = (hand_ + 1) % frames_.size()) {
    Frame & frame = frames_[hand_ % frames_.size()];
    if (frame.owner == nullptr || std::exchange(frame.used, false)) {
      continue;
    }
    Pages::Place & place = frame.owner->places_[frame.page];
    if (frame.dirty) {
      if (place.slot < 0) {
        place.slot = add_slot(frame.owner->page_bytes_);
      }
      write(place.slot, frame.data.get(), frame.owner->page_bytes_);
    }
    place.frame = kNoFrame;
    remove_frame(static_cast<std::uint32_t>(hand_ % frames_.size()));
    return;
  }
}

std::int64_t PagePool::add_slot(std::size_t bytes)
{
  std::vector<std::int64_t> & free = free_slots_[bytes];
  if (!free.empty()) {
    const std::int64_t slot = free.back();
    free.pop_back();
    return slot;
  }
  const std::int64_t slot = file_end_;
  file_end_ += static_cast<std::int64_t>(bytes);
  return slot;
}

void PagePool::remove_slot(std::int64_t slot, std::size_t bytes)
{
  free_slots_[bytes].push_back(slot);
}

void PagePool::write(std::int64_t slot, const std::byte * data, std::size_t bytes)
{
  open_file();
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = ::pwrite(
      file_, data + done, bytes - done, static_cast<off_t>(slot) + static_cast<off_t>(done));
    if (count < 0 && errno != EINTR) {
      fail("written", errno);
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

void PagePool::read(std::int64_t slot, std::byte * data, std::size_t bytes)
{
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = ::pread(
      file_, data + done, bytes - done, static_cast<off_t>(slot) + static_cast<off_t>(done));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      fail("read", count == 0 ? EIO : errno);
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

void PagePool::open_file()
{
  if (file_ < 0) {
    file_ = file_without_name(folder_);
    if (file_ < 0) {
      fail("made", errno);
    }
  }
}

void PagePool::fail(const char * what, int error) const
{
  throw NoRoomForPages(
    "the trace does not fit into memory, and the file for what does not fit cannot be " +
    std::string(what) + " in " + folder_ + ": " + std::strerror(error));
}

Pages::Pages(std::shared_ptr<PagePool> pool, std::size_t page_bytes)
: pool_(std::move(pool)),
  page_bytes_(page_bytes)
{
}

Pages::~Pages()
{
  for (const Place & place : places_) {
    if (place.frame != PagePool::kNoFrame) {
      pool_->remove_frame(place.frame);
    }
    if (place.slot >= 0) {
      pool_->remove_slot(place.slot, page_bytes_);
    }
  }
}

std::byte * Pages::in_memory(std::size_t page)
{
  if (page == places_.size()) {
    places_.emplace_back();
  }
  if (places_[page].frame == PagePool::kNoFrame) {
    const std::uint32_t frame = pool_->add_frame(*this, page);
    places_[page].frame = frame;
    if (places_[page].slot >= 0) {
      pool_->read(places_[page].slot, pool_->frames_[frame].data.get(), page_bytes_);
    }
  }
  PagePool::Frame & frame = pool_->frames_[places_[page].frame];
  frame.used = true;
  return frame.data.get();
}

const std::byte * Pages::read(std::size_t page)
{
  return in_memory(page);
}

std::byte * Pages::write(std::size_t page)
{
  std::byte * const data = in_memory(page);
  pool_->frames_[places_[page].frame].dirty = true;
  return data;
}

}  // namespace detail

MemoryLimit::MemoryLimit(std::size_t bytes, std::string folder, std::size_t page_bytes)
: before_(std::move(detail::pool_of_thread))
{
  detail::pool_of_thread = std::make_shared<detail::PagePool>(bytes, page_bytes, std::move(folder));
}

MemoryLimit::~MemoryLimit()
{
  detail::pool_of_thread = std::move(before_);
}

}  // namespace takt_trace
