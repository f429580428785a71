// Numbers in place of the addresses that ros2_tracing records.
#ifndef TAKT_TRACE__SRC__CTF__HANDLES_HPP_
#define TAKT_TRACE__SRC__CTF__HANDLES_HPP_

#include <cstdint>

namespace takt_trace::detail
{

/// Readers know things by their address alone, also those of several processes: no number comes twice.
class Handles
{
public:
  std::uint64_t next() noexcept { return last_ += 0x10; }

private:
  std::uint64_t last_ = 0x10000;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__HANDLES_HPP_
