// Numbers that replace the addresses of ros2_tracing.
#ifndef TAKT_TRACE__SRC__CTF__HANDLES_HPP_
#define TAKT_TRACE__SRC__CTF__HANDLES_HPP_

#include <cstdint>

namespace takt_trace::detail
{

/// Readers know objects only by address, even in several processes, so each number is unique.
class Handles
{
public:
  std::uint64_t next() noexcept { return last_ += 0x10; }

private:
  std::uint64_t last_ = 0x10000;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__HANDLES_HPP_
