// Limits the memory for the records of a trace and for the lists that are made from them.
//
// While a `MemoryLimit` lives, each `LongVector` (long_vector.hpp) that its thread makes keeps only
// recently used pages in memory. The other pages are in a file without a name, which the system
// removes with the process.
#ifndef TAKT_TRACE__MEMORY_LIMIT_HPP_
#define TAKT_TRACE__MEMORY_LIMIT_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace takt_trace
{

/// The file for the pages cannot be made, read or written. `what()` is a sentence with the name of
/// the folder.
struct NoRoomForPages : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

namespace detail
{

/// The pages of several lists; those used last are in memory. One thread at a time.
class PagePool
{
public:
  /// Throws `NoRoomForPages` only when a page must be written to the file.
  PagePool(std::size_t bytes, std::size_t page_bytes, std::string folder);
  ~PagePool();
  PagePool(const PagePool &) = delete;
  PagePool & operator=(const PagePool &) = delete;

  std::size_t page_bytes() const noexcept { return page_bytes_; }
  /// The memory that sorting a list may take besides the pages.
  std::size_t sort_bytes() const noexcept { return bytes_ / 6; }
  /// Grows when pages leave the memory; then earlier addresses are invalid.
  const std::uint64_t & evictions() const noexcept { return evictions_; }

private:
  friend class Pages;
  static constexpr std::uint32_t kNoFrame = std::numeric_limits<std::uint32_t>::max();

  /// A page in memory.
  struct Frame
  {
    std::unique_ptr<std::byte[]> data{};
    class Pages * owner = nullptr;
    std::size_t page = 0;
    bool used = false;  // used since the clock hand passed
    bool dirty = false;
  };

  /// Gets memory for a page; writes other pages to the file if there is no room.
  std::uint32_t add_frame(Pages & owner, std::size_t page);
  void remove_frame(std::uint32_t frame);
  void evict_one();
  std::int64_t add_slot(std::size_t bytes);
  void remove_slot(std::int64_t slot, std::size_t bytes);
  void write(std::int64_t slot, const std::byte * data, std::size_t bytes);
  void read(std::int64_t slot, std::byte * data, std::size_t bytes);
  void open_file();
  [[noreturn]] void fail(const char * what, int error) const;

  const std::size_t bytes_;
  const std::size_t page_bytes_;
  const std::string folder_;
  std::size_t in_memory_ = 0;
  std::uint64_t evictions_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> free_frames_;
  std::size_t hand_ = 0;
  int file_ = -1;
  std::int64_t file_end_ = 0;
  std::map<std::size_t, std::vector<std::int64_t>> free_slots_;  // by bytes
};

/// The pages of one list. Addresses are valid until the next call for any list of the pool.
class Pages
{
public:
  Pages(std::shared_ptr<PagePool> pool, std::size_t page_bytes);
  ~Pages();
  Pages(const Pages &) = delete;
  Pages & operator=(const Pages &) = delete;

  /// The bytes of `page`, read from the file if needed. `page` must exist.
  const std::byte * read(std::size_t page);
  /// If `page` is one behind the last, makes it.
  std::byte * write(std::size_t page);

private:
  friend class PagePool;
  struct Place
  {
    std::uint32_t frame = PagePool::kNoFrame;
    std::int64_t slot = -1;  // place in the file; -1: none
  };

  std::byte * in_memory(std::size_t page);

  const std::shared_ptr<PagePool> pool_;
  const std::size_t page_bytes_;
  std::vector<Place> places_;
};

/// The pool of this thread's innermost limit; null: no limit. Does not allocate.
const std::shared_ptr<PagePool> & current_pool() noexcept;

}  // namespace detail

/// Applies to the thread that makes it; the same thread must destroy it. Set-up only: allocates.
/// Lists under it block on the file.
class MemoryLimit
{
public:
  static constexpr std::size_t kPageBytes = std::size_t{64} << 10;

  /// `bytes`: for pages; sorting takes up to a quarter more. `folder`: the place of the file, which
  /// is made if pages do not fit.
  MemoryLimit(std::size_t bytes, std::string folder, std::size_t page_bytes = kPageBytes);
  /// Ends the limit on this thread. Lists that were made under it keep their pages.
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit & operator=(const MemoryLimit &) = delete;

private:
  std::shared_ptr<detail::PagePool> before_;
};

}  // namespace takt_trace

#endif  // TAKT_TRACE__MEMORY_LIMIT_HPP_
