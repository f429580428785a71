// A function object as std::function, which never allocates: it holds the callable inside, up to
// `Capacity` bytes.
//
// A larger callable does not compile. Move-only, so that callables that cannot be copied fit, too.
#ifndef TAKT_RT__MEMORY__INPLACE_FUNCTION_HPP_
#define TAKT_RT__MEMORY__INPLACE_FUNCTION_HPP_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace takt_rt
{

template <typename Signature, std::size_t Capacity = 48>
class InplaceFunction;

/// One thread at a time. No function allocates; calls are as real-time safe as the callable. A call
/// of an empty function ends the process with a message.
template <typename Return, typename... Arguments, std::size_t Capacity>
class InplaceFunction<Return(Arguments...), Capacity>
{
public:
  InplaceFunction() noexcept = default;

  template <
    typename Callable, typename Stored = std::decay_t<Callable>,
    typename = std::enable_if_t<
      !std::is_same_v<Stored, InplaceFunction> &&
      std::is_invocable_r_v<Return, Stored &, Arguments...>>>
  InplaceFunction(Callable && callable)  // NOLINT: implicit as std::function
  {
    static_assert(
      sizeof(Stored) <= Capacity, "the callable is larger than the function's Capacity");
    static_assert(
      alignof(Stored) <= alignof(std::max_align_t), "the callable's alignment is unusual");
    static_assert(
      std::is_nothrow_move_constructible_v<Stored>, "a move of the callable must not throw");
    new (bytes_) Stored(std::forward<Callable>(callable));
    call_ = [](std::byte * bytes, Arguments... arguments) -> Return {
      if constexpr (std::is_void_v<Return>) {
        std::invoke(of<Stored>(bytes), std::forward<Arguments>(arguments)...);
      } else {
        return std::invoke(of<Stored>(bytes), std::forward<Arguments>(arguments)...);
      }
    };
    manage_ = [](std::byte * bytes, std::byte * to) noexcept {
      if (to != nullptr) {
        new (to) Stored(std::move(of<Stored>(bytes)));
      }
      of<Stored>(bytes).~Stored();
    };
  }

  InplaceFunction(InplaceFunction && other) noexcept { take(other); }
  InplaceFunction & operator=(InplaceFunction && other) noexcept
  {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  InplaceFunction(const InplaceFunction &) = delete;
  InplaceFunction & operator=(const InplaceFunction &) = delete;
  ~InplaceFunction() { clear(); }

  /// False: empty.
  explicit operator bool() const noexcept { return manage_ != nullptr; }

  Return operator()(Arguments... arguments)
  {
    return call_(bytes_, std::forward<Arguments>(arguments)...);
  }

private:
  using Call = Return (*)(std::byte *, Arguments...);
  /// Moves the callable to the second place, if there is one, and destroys it.
  using Manage = void (*)(std::byte *, std::byte *) noexcept;

  template <typename Stored>
  static Stored & of(std::byte * bytes) noexcept
  {
    return *std::launder(reinterpret_cast<Stored *>(bytes));
  }
  [[noreturn]] static Return call_nothing(std::byte *, Arguments...)
  {
    std::fputs("takt_rt::InplaceFunction: call of an empty function\n", stderr);
    std::abort();
  }

  void take(InplaceFunction & other) noexcept
  {
    if (other.manage_ != nullptr) {
      other.manage_(other.bytes_, bytes_);
      call_ = std::exchange(other.call_, &call_nothing);
      manage_ = std::exchange(other.manage_, nullptr);
    }
  }
  void clear() noexcept
  {
    if (manage_ != nullptr) {
      manage_(bytes_, nullptr);
      call_ = &call_nothing;
      manage_ = nullptr;
    }
  }

  Call call_ = &call_nothing;
  Manage manage_ = nullptr;
  alignas(std::max_align_t) std::byte bytes_[Capacity];
};

}  // namespace takt_rt

#endif  // TAKT_RT__MEMORY__INPLACE_FUNCTION_HPP_
