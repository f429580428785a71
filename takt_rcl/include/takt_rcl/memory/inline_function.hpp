// A function object that is kept in place: storing a small one allocates nothing.
#ifndef TAKT_RCL__MEMORY__INLINE_FUNCTION_HPP_
#define TAKT_RCL__MEMORY__INLINE_FUNCTION_HPP_

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "takt_rcl/detail/user_function.hpp"

namespace takt_rcl
{

template <typename Signature, std::size_t room = 64>
class InlineFunction;

/// Movable, perhaps empty. A callable larger than `room` bytes is allocated. Not synchronised.
template <typename... Arguments, std::size_t room>
class InlineFunction<void(Arguments...), room>
{
public:
  InlineFunction() = default;
  /// Real-time safe if the callable fits into `room` and its move is real-time safe.
  template <
    typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, InlineFunction>>>
  InlineFunction(F && function)  // NOLINT: converts as std::function does
  {
    using G = std::decay_t<F>;
    if constexpr (fits<G>) {
      ::new (static_cast<void *>(room_)) G(std::forward<F>(function));
      verbs_ = &kVerbs<G>;
    } else {
      using Large = Allocated<G>;
      ::new (static_cast<void *>(room_)) Large{std::make_unique<G>(std::forward<F>(function))};
      verbs_ = &kVerbs<Large>;
    }
  }
  InlineFunction(InlineFunction && other) noexcept { take(other); }
  InlineFunction & operator=(InlineFunction && other) noexcept
  {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~InlineFunction() { reset(); }

  explicit operator bool() const noexcept { return verbs_ != nullptr; }
  /// Only if not empty.
  void operator()(Arguments... arguments)
  {
    verbs_->call(room_, std::forward<Arguments>(arguments)...);
  }
  void reset() noexcept
  {
    if (verbs_ != nullptr) {
      std::exchange(verbs_, nullptr)->end(room_);
    }
  }

private:
  struct Verbs
  {
    void (*call)(void * self, Arguments... arguments);
    void (*move)(void * to, void * from) noexcept;  // ends `from`
    void (*end)(void * self) noexcept;
  };
  template <typename G>
  struct Allocated
  {
    std::unique_ptr<G> function;
    void operator()(Arguments... arguments)
    {
      detail::call_user(*function, std::forward<Arguments>(arguments)...);
    }
  };

  template <typename G>
  static constexpr bool fits =
    sizeof(G) <= room &&
    alignof(G) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<G>;
  template <typename G>
  static constexpr Verbs kVerbs{
    [](void * self, Arguments... arguments) {
      detail::call_user(*static_cast<G *>(self), std::forward<Arguments>(arguments)...);
    },
    [](void * to, void * from) noexcept {
      ::new (to) G(std::move(*static_cast<G *>(from)));
      static_cast<G *>(from)->~G();
    },
    [](void * self) noexcept { static_cast<G *>(self)->~G(); }};

  void take(InlineFunction & other) noexcept
  {
    if (other.verbs_ != nullptr) {
      other.verbs_->move(room_, other.room_);
      verbs_ = std::exchange(other.verbs_, nullptr);
    }
  }

  alignas(std::max_align_t) unsigned char room_[room];
  const Verbs * verbs_ = nullptr;
};

}  // namespace takt_rcl

#endif  // TAKT_RCL__MEMORY__INLINE_FUNCTION_HPP_
