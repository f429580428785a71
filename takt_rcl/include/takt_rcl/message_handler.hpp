// A subscription's message objects and the user's function, behind one untyped interface.
//
// A lane is one concurrent run: an exclusive group has one, a reentrant group one per executor
// thread. The signature of the user's function decides its argument:
//
//     void(const Msg &)              one message object per lane, reused; nothing to return
//     void(std::shared_ptr<[const] Msg>), void(UniqueMessage<Msg>)
//                                    from a bounded pool, to keep as long as needed
//     void(std::unique_ptr<Msg>)     allocated for each message, because it cannot be returned
//     with SerializedMessage for Msg the bytes of the message (serialized_message.hpp), but no
//     std::unique_ptr
//
// each optionally followed by `const MessageInfo &`.
//
// A message by pointer (parcel.hpp) goes to the function as it is: `const Msg &` and
// `std::shared_ptr<const Msg>` read it in place, also with other subscriptions; a unique pointer
// and `std::shared_ptr<Msg>` get it if no other subscription has it, and a copy otherwise.
#ifndef TAKT_RCL__MESSAGE_HANDLER_HPP_
#define TAKT_RCL__MESSAGE_HANDLER_HPP_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt_rcl/detail/user_function.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rcl/memory/parcel.hpp"
#include "takt_rcl/message_info.hpp"

namespace takt_rcl
{

/// The message objects of one executor's runs. Destroyed before their handler.
class MessageLanes
{
public:
  virtual ~MessageLanes() = default;

  /// The buffer for the next message of `lane`. A take without a message leaves it for the next
  /// take.
  virtual void * message(std::uint32_t lane) = 0;
  /// The next message of `lane`, by pointer.
  virtual void put(std::uint32_t lane, detail::Parcel parcel) = 0;

  /// The message of `lane` that was taken last, or put: of the type of the handler, or a
  /// SerializedMessage.
  virtual const void * taken(std::uint32_t lane) const noexcept = 0;

  /// Calls the user's function with the message taken last, or put.
  virtual void deliver(std::uint32_t lane, const MessageInfo & info) = 0;
};

/// Holds the user's function. It lives as long as its subscription and all runs.
class MessageHandler
{
public:
  virtual ~MessageHandler() = default;

  /// Room for `lanes` concurrent runs of a history of `depth`. Set-up only; also while runs of
  /// earlier lanes are in progress.
  virtual std::unique_ptr<MessageLanes> make_lanes(std::uint32_t lanes, std::uint32_t depth) = 0;

  /// How the user's function uses its messages. Real-time safe.
  virtual detail::Use use() const noexcept = 0;
  /// The lanes' buffers are objects of SerializedMessage. Real-time safe.
  virtual bool serialized() const noexcept { return false; }
  /// Whether the function has its message only while it runs. Real-time safe.
  virtual bool reads_in_place() const noexcept { return false; }

  /// Number of messages that had to be allocated. Any thread. Real-time safe.
  std::uint64_t allocated() const noexcept { return allocated_.load(std::memory_order_relaxed); }

protected:
  std::atomic<std::uint64_t> allocated_{0};
};

namespace detail
{

template <typename F, typename Argument>
inline constexpr bool takes =
  std::is_invocable_v<F &, Argument> || std::is_invocable_v<F &, Argument, const MessageInfo &>;

/// Whether the function takes messages of type `Msg` in any way.
template <typename F, typename Msg>
inline constexpr bool takes_message =
  takes<F, const Msg &> || takes<F, std::shared_ptr<Msg>> || takes<F, UniqueMessage<Msg>> ||
  takes<F, std::unique_ptr<Msg>>;

template <typename F, typename Argument>
void call(F & function, Argument && argument, const MessageInfo & info)
{
  if constexpr (std::is_invocable_v<F &, Argument, const MessageInfo &>) {
    call_user(function, std::forward<Argument>(argument), info);
  } else {
    call_user(function, std::forward<Argument>(argument));
  }
}

/// For `const Msg &`.
template <typename Msg, typename F>
class ReusingHandler final : public MessageHandler
{
public:
  explicit ReusingHandler(F function) : function_(std::move(function)) {}

  std::unique_ptr<MessageLanes> make_lanes(std::uint32_t lanes, std::uint32_t) override
  {
    return std::make_unique<Lanes>(function_, lanes);
  }
  Use use() const noexcept override { return Use::reads; }
  bool reads_in_place() const noexcept override { return true; }

private:
  class Lanes final : public MessageLanes
  {
  public:
    Lanes(F & function, std::uint32_t lanes)
    : function_(function),
      messages_(std::make_unique<Msg[]>(lanes)),
      parcels_(lanes)
    {
    }
    void * message(std::uint32_t lane) override { return &messages_[lane]; }
    void put(std::uint32_t lane, Parcel parcel) override { parcels_[lane] = std::move(parcel); }
    const void * taken(std::uint32_t lane) const noexcept override
    {
      return parcels_[lane].empty() ? &messages_[lane] : &parcels_[lane].template read<Msg>();
    }
    void deliver(std::uint32_t lane, const MessageInfo & info) override
    {
      if (const Parcel parcel = std::move(parcels_[lane]); !parcel.empty()) {
        call<F, const Msg &>(function_, parcel.read<Msg>(), info);
      } else {
        call<F, const Msg &>(function_, messages_[lane], info);
      }
    }

  private:
    F & function_;
    const std::unique_ptr<Msg[]> messages_;
    std::vector<Parcel> parcels_;
  };

  F function_;
};

/// For pointers from a pool.
template <typename Msg, typename F, bool shared>
class PoolingHandler final : public MessageHandler
{
public:
  PoolingHandler(F function, std::uint32_t extra) : function_(std::move(function)), extra_(extra) {}

  std::unique_ptr<MessageLanes> make_lanes(std::uint32_t lanes, std::uint32_t depth) override
  {
    return std::make_unique<Lanes>(*this, lanes, depth + lanes + extra_);
  }
  Use use() const noexcept override
  {
    return !shared ? Use::owns : reads ? Use::reads : Use::owns_shared;
  }

private:
  using Pool = MessagePool<Msg>;
  static constexpr bool reads = takes<F, std::shared_ptr<const Msg>>;

  class Lanes final : public MessageLanes
  {
  public:
    Lanes(PoolingHandler & handler, std::uint32_t lanes, std::uint32_t capacity)
    : handler_(handler),
      pool_(new Pool(capacity)),
      slots_(lanes, nullptr),
      parcels_(lanes)
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
        slots_[lane] = pool_->acquire();
        if (!slots_[lane]->pooled()) {
          handler_.allocated_.fetch_add(1, std::memory_order_relaxed);
        }
      }
      return &slots_[lane]->message;
    }
    void put(std::uint32_t lane, Parcel parcel) override { parcels_[lane] = std::move(parcel); }
    const void * taken(std::uint32_t lane) const noexcept override
    {
      return parcels_[lane].empty() ? &slots_[lane]->message : &parcels_[lane].template read<Msg>();
    }
    void deliver(std::uint32_t lane, const MessageInfo & info) override
    {
      if (Parcel parcel = std::move(parcels_[lane]); !parcel.empty()) {
        if constexpr (reads) {
          call<F, std::shared_ptr<const Msg>>(
            handler_.function_, parcel.template take_shared<const Msg>(), info);
          return;
        }
        if constexpr (shared && !reads) {
          if (parcel.sole()) {
            call<F, std::shared_ptr<Msg>>(
              handler_.function_, parcel.template take_shared<Msg>(), info);
            return;
          }
        }
        if constexpr (!shared) {
          if (parcel.owned()) {
            call<F, UniqueMessage<Msg>>(
              handler_.function_, parcel.template take_owned<Msg>(), info);
            return;
          }
        }
        *static_cast<Msg *>(message(lane)) = parcel.template read<Msg>();
      }
      auto * const slot = std::exchange(slots_[lane], nullptr);
      if constexpr (shared) {
        call<F, std::shared_ptr<Msg>>(handler_.function_, Pool::share(slot), info);
      } else {
        call<F, UniqueMessage<Msg>>(handler_.function_, Pool::unique(slot), info);
      }
    }

  private:
    PoolingHandler & handler_;
    const typename Pool::Owner pool_;
    std::vector<typename Pool::Slot *> slots_;
    std::vector<Parcel> parcels_;
  };

  F function_;
  const std::uint32_t extra_;
};

/// For `std::unique_ptr<Msg>`.
template <typename Msg, typename F>
class AllocatingHandler final : public MessageHandler
{
public:
  explicit AllocatingHandler(F function) : function_(std::move(function)) {}

  std::unique_ptr<MessageLanes> make_lanes(std::uint32_t lanes, std::uint32_t) override
  {
    return std::make_unique<Lanes>(*this, lanes);
  }
  Use use() const noexcept override { return Use::owns; }

private:
  class Lanes final : public MessageLanes
  {
  public:
    Lanes(AllocatingHandler & handler, std::uint32_t lanes)
    : handler_(handler),
      messages_(lanes),
      parcels_(lanes)
    {
    }
    void * message(std::uint32_t lane) override
    {
      if (messages_[lane] == nullptr) {
        messages_[lane] = std::make_unique<Msg>();
        handler_.allocated_.fetch_add(1, std::memory_order_relaxed);
      }
      return messages_[lane].get();
    }
    void put(std::uint32_t lane, Parcel parcel) override { parcels_[lane] = std::move(parcel); }
    const void * taken(std::uint32_t lane) const noexcept override
    {
      return parcels_[lane].empty() ? messages_[lane].get() : &parcels_[lane].template read<Msg>();
    }
    void deliver(std::uint32_t lane, const MessageInfo & info) override
    {
      if (Parcel parcel = std::move(parcels_[lane]); !parcel.empty()) {
        if (parcel.owned()) {
          auto owned = parcel.template take_owned<Msg>();
          if (owned.get_deleter().slot == nullptr) {
            call<F, std::unique_ptr<Msg>>(
              handler_.function_, std::unique_ptr<Msg>(owned.release()), info);
            return;
          }
          *static_cast<Msg *>(message(lane)) = *owned;
        } else {
          *static_cast<Msg *>(message(lane)) = parcel.template read<Msg>();
        }
      }
      call<F, std::unique_ptr<Msg>>(handler_.function_, std::move(messages_[lane]), info);
    }

  private:
    AllocatingHandler & handler_;
    std::vector<std::unique_ptr<Msg>> messages_;
    std::vector<Parcel> parcels_;
  };

  F function_;
};

}  // namespace detail

/// The handler for the signature of `function`. `extra`: messages in the pool beyond the history's
/// depth and the concurrent runs, for callbacks that keep some. Set-up only.
template <typename Msg, typename Function>
std::unique_ptr<MessageHandler> make_message_handler(Function && function, std::uint32_t extra)
{
  using F = std::decay_t<Function>;
  if constexpr (detail::takes<F, const Msg &>) {
    return std::make_unique<detail::ReusingHandler<Msg, F>>(std::forward<Function>(function));
  } else if constexpr (detail::takes<F, std::shared_ptr<Msg>>) {
    return std::make_unique<detail::PoolingHandler<Msg, F, true>>(
      std::forward<Function>(function), extra);
  } else if constexpr (detail::takes<F, UniqueMessage<Msg>>) {
    return std::make_unique<detail::PoolingHandler<Msg, F, false>>(
      std::forward<Function>(function), extra);
  } else {
    static_assert(
      detail::takes<F, std::unique_ptr<Msg>>,
      "a subscription's callback takes const Msg &, a shared, a unique or a UniqueMessage pointer");
    return std::make_unique<detail::AllocatingHandler<Msg, F>>(std::forward<Function>(function));
  }
}

}  // namespace takt_rcl

#endif  // TAKT_RCL__MESSAGE_HANDLER_HPP_
