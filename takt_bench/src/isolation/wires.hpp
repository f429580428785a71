// Messages between the processes of one measurement: a pipe into each process.
//
// A pipe stands for the middleware only as far as a message costs a system call at either end and a thread
// of the receiving process that waits for it. It is no measure of DDS.
#ifndef TAKT_BENCH__SRC__ISOLATION__WIRES_HPP_
#define TAKT_BENCH__SRC__ISOLATION__WIRES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "takt_core/activation.hpp"

namespace takt_bench::isolation
{

/// A file descriptor that closes itself.
class Descriptor
{
public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor && other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor & operator=(Descriptor && other) noexcept
  {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  int get() const noexcept { return number_; }
  void close() noexcept;

private:
  int number_;
};

/// Both ends of a pipe. Throws std::system_error if the kernel refuses it.
struct Wire
{
  Descriptor read, write;
  static Wire make();
};

/// One message: the callback that it is for, and the activations that it carries.
struct Message
{
  static constexpr std::uint32_t kEnd = UINT32_MAX;  ///< as `target`: the receiver is to end

  struct Root
  {
    std::uint32_t callback;  ///< position in the model
    std::uint32_t instance;
    std::int64_t release_ns;
  };
  std::uint32_t target = kEnd;
  std::uint32_t count = 0;
  std::array<Root, takt_core::ActivationSet::kCapacity> roots{};
};

/// Writes the message whole. False if the other end is gone. Real-time safe but for a full pipe.
bool send(int to, const Message & message) noexcept;
/// Waits for a message. False at the end of the pipe.
bool receive(int from, Message & message) noexcept;

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__WIRES_HPP_
