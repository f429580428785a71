// A middleware within a test: publishers with gids and numbered messages, one reader with a
// history, and a minimal source. Each twin breaks one promise.
#ifndef SOURCE__STAND_IN_HPP_
#define SOURCE__STAND_IN_HPP_

#include <cstdlib>
#include <deque>
#include <memory>
#include <utility>

#include "source/back_end.hpp"
#include "takt_host/source_callback.hpp"

namespace takt_host::test
{

enum class Twin
{
  none,
  takes_the_newest,          ///< takes the newest message, but reports the key of the oldest
  names_the_released,        ///< reports the key of the message for which the run was started
  hides_losses,              ///< numbers messages anew
  doubles_losses,            ///< reports gaps twice as wide
  overwrites_in_silence,     ///< does not announce a message that replaces another
  keeps_one_more,            ///< keeps one message more than the history claims to hold
  forgets_what_came_before,  ///< announces only messages that come after the join
  is_deaf_to_newcomers,      ///< ignores the first message of a late publisher
  announces_twice,
};

class StandIn final : public BackEnd
{
public:
  explicit StandIn(Twin twin = Twin::none)
  : twin_(twin),
    executor_(std::move(*takt_core::Executor::create()))
  {
  }

  void subscribe(std::uint32_t depth, bool reliable) override
  {
    depth_ = depth;
    reliable_ = reliable;
    open_ = true;
  }
  std::size_t add_publisher() override
  {
    publishers_.push_back({});
    publishers_.back().late = source_ != nullptr;
    return publishers_.size() - 1;
  }
  void publish(std::size_t publisher, std::uint64_t value) override
  {
    Publisher & from = publishers_[publisher];
    const takt_core::MessageKey key{{static_cast<std::uint8_t>(publisher + 1)}, ++from.sequence, 0};
    names[value] = key.name_by_sequence();
    if (!open_ || (twin_ == Twin::is_deaf_to_newcomers && std::exchange(from.late, false))) {
      return;
    }
    history_.push_back({value, key});
    const bool full = history_.size() > depth_ + (twin_ == Twin::keeps_one_more ? 1 : 0);
    if (full) {
      history_.pop_front();
    }
    if (source_ != nullptr && !(full && twin_ == Twin::overwrites_in_silence)) {
      source_->arrive(twin_ == Twin::announces_twice ? 2 : 1);
    }
  }
  void lose(std::size_t publisher, std::uint64_t count) override
  {
    publishers_[publisher].sequence += count;
  }
  void join() override
  {
    takt_core::CallbackOptions options;
    options.id = "/stand_in:sub(/numbers)";
    options.kind = takt_core::Kind::subscription;
    options.depth = depth_;
    source_ = std::make_shared<Subscription>(*this, std::move(options));
    if (!executor_->add(source_).ok()) {
      std::abort();
    }
    if (!history_.empty() && twin_ != Twin::forgets_what_came_before) {
      source_->arrive(static_cast<std::uint32_t>(history_.size()));
    }
  }
  void before_next_take(std::function<void()> function) override
  {
    before_take_ = std::move(function);
  }
  takt_core::Executor & executor() override { return *executor_; }
  const takt_core::Callback & callback() override { return *source_; }

private:
  struct Publisher
  {
    std::uint64_t sequence = 0;
    bool late = false;
    std::uint64_t told = 0;  // for twins: the last reported number
    std::uint64_t last = 0;
  };
  struct Message
  {
    std::uint64_t value;
    takt_core::MessageKey key;
  };

  class Subscription final : public SourceCallback<Subscription>
  {
  public:
    Subscription(StandIn & middleware, takt_core::CallbackOptions options)
    : SourceCallback(
        std::move(options), *middleware.executor_, middleware.depth_,
        {middleware.reliable_, true, NamedBy::sequence, nullptr}),
      middleware_(middleware)
    {
    }
    Took take_message(Taking & taking)
    {
      const auto message = middleware_.take(taking);
      value_ = message.value_or(0);
      return message ? Took::message : Took::nothing;
    }
    void run(const takt_core::Run & run) override
    {
      middleware_.got.push_back({value_, run.found});
    }

  private:
    StandIn & middleware_;
    std::uint64_t value_ = 0;
  };

  std::optional<std::uint64_t> take(Taking & taking)
  {
    const auto released = history_;
    if (before_take_) {
      std::exchange(before_take_, nullptr)();
    }
    if (history_.empty()) {
      return std::nullopt;
    }
    Message message = history_.front();
    if (twin_ == Twin::takes_the_newest) {
      message.value = history_.back().value;
      history_.pop_back();
    } else {
      history_.pop_front();
    }
    if (twin_ == Twin::names_the_released && !released.empty()) {
      message.key = released.front().key;
    }
    Publisher & from = publishers_[message.key.publisher[0] - 1];
    const std::uint64_t ahead =
      message.key.sequence - std::exchange(from.last, message.key.sequence);
    if (twin_ == Twin::hides_losses) {
      message.key.sequence = ++from.told;
    } else if (twin_ == Twin::doubles_losses) {
      from.told += 2 * ahead - 1;
      message.key.sequence = from.told;
    }
    taking.found(message.key);
    return message.value;
  }

  const Twin twin_;
  const std::unique_ptr<takt_core::Executor> executor_;
  std::uint32_t depth_ = 1;
  bool reliable_ = true;
  bool open_ = false;
  std::vector<Publisher> publishers_;
  std::deque<Message> history_;
  std::function<void()> before_take_;
  std::shared_ptr<Subscription> source_;
};

}  // namespace takt_host::test

#endif  // SOURCE__STAND_IN_HPP_
