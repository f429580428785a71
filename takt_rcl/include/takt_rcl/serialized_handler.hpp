// The handler of a subscription whose callback takes serialised messages: the signatures of
// message_handler.hpp with SerializedMessage in the place of the message.
#ifndef TAKT_RCL__SERIALIZED_HANDLER_HPP_
#define TAKT_RCL__SERIALIZED_HANDLER_HPP_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt_rcl/message_handler.hpp"
#include "takt_rcl/serialized_message.hpp"

namespace takt_rcl::detail
{

/// A pool whose buffers have their size from the start on.
class SerializedPool
{
public:
  using Pool = MessagePool<SerializedMessage>;

  /// Set-up only.
  SerializedPool(std::uint32_t messages, const SerializedBuffers & buffers);

  /// A message outside of the pool allocates. Never fails.
  Pool::Slot * acquire();

private:
  void prepare(SerializedMessage & message) const;

  const SerializedBuffers buffers_;
  const Pool::Owner pool_;
};

template <typename F>
class SerializedHandler final : public MessageHandler
{
public:
  SerializedHandler(F function, const SerializedBuffers & buffers, std::uint32_t extra)
  : function_(std::move(function)),
    buffers_(buffers),
    extra_(extra)
  {
  }

  std::unique_ptr<MessageLanes> make_lanes(std::uint32_t lanes, std::uint32_t depth) override
  {
    return std::make_unique<Lanes>(*this, lanes, lanes + (reads ? 0 : depth + extra_));
  }
  Use use() const noexcept override { return Use::reads; }
  bool serialized() const noexcept override { return true; }

private:
  using Pool = SerializedPool::Pool;
  static constexpr bool reads = takes<F, const SerializedMessage &>;
  static constexpr bool shares = takes<F, std::shared_ptr<SerializedMessage>>;
  static_assert(
    reads || shares || takes<F, UniqueMessage<SerializedMessage>>,
    "a callback takes const SerializedMessage &, a shared pointer or a UniqueMessage");

  class Lanes final : public MessageLanes
  {
  public:
    Lanes(SerializedHandler & handler, std::uint32_t lanes, std::uint32_t messages)
    : handler_(handler),
      pool_(messages, handler.buffers_),
      slots_(lanes, nullptr)
    {
    }
    ~Lanes() override
    {
      for (auto * const slot : slots_) {
        if (slot != nullptr) {
          Pool::release(slot);
        }
      }
    }
    void * message(std::uint32_t lane) override
    {
      if (slots_[lane] == nullptr) {
        slots_[lane] = pool_.acquire();
        if (!slots_[lane]->pooled()) {
          handler_.allocated_.fetch_add(1, std::memory_order_relaxed);
        }
      }
      return &slots_[lane]->message;
    }
    void put(std::uint32_t, Parcel) override {}  // none comes by pointer
    const void * taken(std::uint32_t lane) const noexcept override
    {
      return &slots_[lane]->message;
    }
    void deliver(std::uint32_t lane, const MessageInfo & info) override
    {
      SerializedMessage & message = slots_[lane]->message;
      if (message.take_growth()) {
        handler_.allocated_.fetch_add(1, std::memory_order_relaxed);
      }
      if constexpr (reads) {
        call<F, const SerializedMessage &>(handler_.function_, message, info);
      } else {
        auto * const slot = std::exchange(slots_[lane], nullptr);
        if constexpr (shares) {
          call<F, std::shared_ptr<SerializedMessage>>(handler_.function_, Pool::share(slot), info);
        } else {
          call<F, UniqueMessage<SerializedMessage>>(handler_.function_, Pool::unique(slot), info);
        }
      }
    }

  private:
    SerializedHandler & handler_;
    SerializedPool pool_;
    std::vector<Pool::Slot *> slots_;
  };

  F function_;
  const SerializedBuffers buffers_;
  const std::uint32_t extra_;
};

/// Whether the callback takes bytes, and no message of type `Msg`.
template <typename Function>
inline constexpr bool takes_serialized =
  takes<std::decay_t<Function>, const SerializedMessage &> ||
  takes<std::decay_t<Function>, std::shared_ptr<SerializedMessage>> ||
  takes<std::decay_t<Function>, UniqueMessage<SerializedMessage>>;

/// Set-up only.
template <typename Function>
std::unique_ptr<MessageHandler> make_serialized_handler(
  Function && function, const SerializedBuffers & buffers, std::uint32_t extra)
{
  return std::make_unique<SerializedHandler<std::decay_t<Function>>>(
    std::forward<Function>(function), buffers, extra);
}

}  // namespace takt_rcl::detail

#endif  // TAKT_RCL__SERIALIZED_HANDLER_HPP_
