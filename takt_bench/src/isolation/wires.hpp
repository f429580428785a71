// Messages between the processes of one measurement: a pipe into each process.
//
// A pipe replaces the middleware. It has two properties of a middleware: a message costs a system
// call at each end, and a thread of the receiving process waits for it. It does not measure DDS.
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

/// One message: its receiving callback, and the activations that it carries.
struct Message
{
  static constexpr std::uint32_t kEnd = UINT32_MAX;  ///< as `target`: the receiver ends

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

/// Writes the whole message. False if the other end is closed. Real-time safe while the pipe is not
/// full.
bool send(int to, const Message & message) noexcept;
/// Waits for a message. False at the end of the pipe.
bool receive(int from, Message & message) noexcept;

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__WIRES_HPP_
