// A message on its way from a publisher to subscriptions of the same process, by pointer.
#ifndef TAKT_RCL__MEMORY__PARCEL_HPP_
#define TAKT_RCL__MEMORY__PARCEL_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "takt_core/message_key.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl::detail
{

/// How a callback uses its messages.
enum class Use : std::uint8_t
{
  reads,  ///< `const Msg &` or `std::shared_ptr<const Msg>`: several callbacks may have one message
  owns,   ///< a unique pointer
  owns_shared  ///< `std::shared_ptr<Msg>`: the callback may change the message
};

/// Holds a message: alone, or with others who only read it. Move-only. All functions are real-time
/// safe, except that the end of an allocated message frees it.
class Parcel
{
public:
  Parcel() = default;
  ~Parcel() { clear(); }
  Parcel(Parcel && other) noexcept { *this = std::move(other); }
  Parcel & operator=(Parcel && other) noexcept
  {
    if (this != &other) {
      clear();
      shared_ = std::move(other.shared_);
      sole_ = other.sole_;
      owned_ = std::exchange(other.owned_, nullptr);
      in_slot_ = other.in_slot_;
      discard_ = other.discard_;
      key = other.key;
      info = other.info;
      before = other.before;
    }
    return *this;
  }

  /// `sole`: no other pointer to the message exists.
  template <typename Msg>
  static Parcel of(std::shared_ptr<Msg> message, bool sole) noexcept
  {
    Parcel result;
    result.shared_ = std::move(message);
    result.sole_ = sole;
    return result;
  }
  template <typename Msg>
  static Parcel of(typename MessagePool<Msg>::Unique message) noexcept
  {
    auto * const slot = message.get_deleter().slot;
    if (slot == nullptr) {
      return of(std::unique_ptr<Msg>(message.release()));
    }
    Parcel result;
    message.release();
    result.owned_ = slot;
    result.in_slot_ = true;
    result.discard_ = [](void * one) noexcept {
      MessagePool<Msg>::release(static_cast<typename MessagePool<Msg>::Slot *>(one));
    };
    return result;
  }
  template <typename Msg>
  static Parcel of(std::unique_ptr<Msg> message) noexcept
  {
    Parcel result;
    result.owned_ = message.release();
    result.discard_ = [](void * one) noexcept { delete static_cast<Msg *>(one); };
    return result;
  }

  bool empty() const noexcept { return shared_ == nullptr && owned_ == nullptr; }
  /// Only this parcel has the message.
  bool sole() const noexcept { return owned_ != nullptr || sole_; }
  /// Another parcel with the same shared message.
  Parcel another() const noexcept
  {
    Parcel result;
    result.shared_ = shared_;
    return result;
  }

  template <typename Msg>
  const Msg & read() const noexcept
  {
    if (owned_ == nullptr) {
      return *static_cast<const Msg *>(shared_.get());
    }
    return in_slot_ ? static_cast<const typename MessagePool<Msg>::Slot *>(owned_)->message
                    : *static_cast<const Msg *>(owned_);
  }
  /// Only of a shared message.
  template <typename Msg>
  std::shared_ptr<Msg> take_shared() noexcept
  {
    return std::static_pointer_cast<Msg>(std::move(shared_));
  }
  /// Only of an owned message.
  template <typename Msg>
  typename MessagePool<Msg>::Unique take_owned() noexcept
  {
    using Pool = MessagePool<Msg>;
    void * const owned = std::exchange(owned_, nullptr);
    if (in_slot_) {
      return Pool::unique(static_cast<typename Pool::Slot *>(owned));
    }
    return typename Pool::Unique(static_cast<Msg *>(owned), typename Pool::Deleter{});
  }
  bool owned() const noexcept { return owned_ != nullptr; }

  void clear() noexcept
  {
    shared_.reset();
    if (owned_ != nullptr) {
      discard_(std::exchange(owned_, nullptr));
    }
  }

  takt_core::MessageKey key{};  ///< names the message in takt's own records
  takt_core::MessageKey
    info{};  ///< as the subscription sees it: all messages of the publisher count
  /// Messages that the middleware had announced to the subscription before this one.
  std::uint64_t before = 0;

private:
  std::shared_ptr<void> shared_;
  bool sole_ = false;
  void * owned_ = nullptr;
  bool in_slot_ = false;
  void (*discard_)(void *) noexcept = nullptr;
};

/// Makes the parcels of one publish. Called once, with the publisher's mutex held.
class ParcelSource
{
public:
  /// For several callbacks, or one that only reads.
  virtual Parcel shared() = 0;
  /// For one callback that owns its message; `use` is not `reads`.
  virtual Parcel sole(Use use) = 0;

protected:
  ~ParcelSource() = default;
};

/// The messages that a publisher hands out.
class Stock
{
public:
  virtual ~Stock() = default;
  /// Reserves room for `messages` further messages at the same time. Set-up only.
  virtual void reserve(std::uint32_t messages) = 0;
  /// Ends a reservation. The room stays for later ones. Set-up only.
  virtual void give_back(std::uint32_t messages) noexcept = 0;
};

/// The slots of its pool only give room for control blocks.
struct NoMessage
{
};

/// A publisher's pools. Any thread. Real-time safe while the pools are not exhausted.
template <typename Msg>
class MessageStock final : public Stock
{
public:
  using Pool = MessagePool<Msg>;
  using ControlBlocks = MessagePool<NoMessage>;

  explicit MessageStock(std::uint32_t messages) { reserve(messages); }

  void reserve(std::uint32_t messages) override
  {
    std::lock_guard setting_up(set_up_);
    if (reserved_ + messages > capacity_) {
      rebuild(reserved_ + messages);
    }
    reserved_ += messages;
  }
  void give_back(std::uint32_t messages) noexcept override
  {
    std::lock_guard setting_up(set_up_);
    reserved_ -= messages;
  }

  /// Gives all messages, also later ones, the capacity of `prototype`. Set-up only.
  void prepare(const Msg & prototype)
  {
    std::lock_guard setting_up(set_up_);
    prototype_ = std::make_unique<const Msg>(prototype);
    rebuild(capacity_);
  }

  typename Pool::Slot * acquire()
  {
    std::lock_guard lock(mutex_);
    auto * const slot = pool_->acquire();
    count(slot->pooled());
    return slot;
  }
  std::shared_ptr<Msg> share(std::unique_ptr<Msg> message)
  {
    ControlBlocks::Slot * block = nullptr;
    {
      std::lock_guard lock(mutex_);
      block = blocks_->acquire();
    }
    count(block->pooled());
    return ControlBlocks::share(block, std::move(message));
  }

  /// Messages and control blocks that had to be allocated.
  std::uint64_t allocated() const noexcept { return allocated_.load(std::memory_order_relaxed); }

private:
  // With set_up_ held. Messages of the former pools end them.
  void rebuild(std::uint32_t capacity)
  {
    typename Pool::Owner pool(new Pool(capacity));
    typename ControlBlocks::Owner blocks(new ControlBlocks(capacity));
    if (prototype_ != nullptr) {
      fill(*pool, capacity);
    }
    std::lock_guard lock(mutex_);
    pool_.swap(pool);
    blocks_.swap(blocks);
    capacity_ = capacity;
  }
  void fill(Pool & pool, std::uint32_t capacity)
  {
    std::vector<typename Pool::Slot *> slots(capacity);
    for (auto & slot : slots) {
      slot = pool.acquire();
      slot->message = *prototype_;
    }
    for (auto * const slot : slots) {
      Pool::release(slot);
    }
  }
  void count(bool pooled) noexcept
  {
    if (!pooled) {
      allocated_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  std::mutex set_up_;
  std::unique_ptr<const Msg> prototype_;
  std::uint32_t reserved_ = 0;
  std::uint32_t capacity_ = 0;  // of the pools: the most that was reserved at once
  takt_rt::PiMutex mutex_;      // of the pointers
  typename Pool::Owner pool_;
  ControlBlocks::Owner blocks_;
  std::atomic<std::uint64_t> allocated_{0};
};

/// Of a message that the publisher's caller keeps: copies it once.
template <typename Msg>
class CopiedMessage final : public ParcelSource
{
public:
  CopiedMessage(MessageStock<Msg> & stock, const Msg & message) noexcept
  : stock_(stock),
    message_(message)
  {
  }
  Parcel shared() override { return Parcel::of(MessagePool<Msg>::share(copy()), false); }
  Parcel sole(Use use) override
  {
    if (use == Use::owns) {
      return Parcel::of<Msg>(MessagePool<Msg>::unique(copy()));
    }
    return Parcel::of(MessagePool<Msg>::share(copy()), true);
  }

private:
  typename MessagePool<Msg>::Slot * copy()
  {
    auto * const slot = stock_.acquire();
    slot->message = message_;
    return slot;
  }

  MessageStock<Msg> & stock_;
  const Msg & message_;
};

/// Of a message that the publisher's caller gives away.
template <typename Msg>
class GivenMessage final : public ParcelSource
{
public:
  using Unique = typename MessagePool<Msg>::Unique;

  GivenMessage(MessageStock<Msg> & stock, Unique message) noexcept
  : stock_(stock),
    message_(std::move(message))
  {
  }
  Parcel shared() override { return Parcel::of(share(), false); }
  Parcel sole(Use use) override
  {
    return use == Use::owns ? Parcel::of<Msg>(std::move(message_)) : Parcel::of(share(), true);
  }

private:
  std::shared_ptr<Msg> share()
  {
    auto * const slot = message_.get_deleter().slot;
    Msg * const message = message_.release();
    return slot != nullptr ? MessagePool<Msg>::share(slot)
                           : stock_.share(std::unique_ptr<Msg>(message));
  }

  MessageStock<Msg> & stock_;
  Unique message_;
};

}  // namespace takt_rcl::detail

#endif  // TAKT_RCL__MEMORY__PARCEL_HPP_
