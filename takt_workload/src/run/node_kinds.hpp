// The kinds of nodes that publish. They behave as in the reference system.
#ifndef NODE_KINDS_HPP_
#define NODE_KINDS_HPP_

#include <deque>

#include "run/node_base.hpp"
#include "takt_rcl/join.hpp"

namespace takt_workload
{

/// Timer: reads the time, works if asked to, and publishes a message with only this node's entry.
template <typename Msg>
class Sensor final : public NodeBase<Msg>
{
public:
  Sensor(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : NodeBase<Msg>(graph, table, number, settings),
    output_(this->make_output(this->spec_.output)),
    worker_(this->make_worker(0))
  {
    this->make_timer([this] {
      const takt_rt::Time stamp = start_of_run();
      Msg & message = output_->message();
      store_result(message, (*worker_)());
      output_->publish(message, stamp, 0);
    });
  }

private:
  std::unique_ptr<Output<Msg>> output_;
  std::unique_ptr<Worker> worker_;
};

/// For each message: reads the time, works, copies the message's history, publishes. A transform
/// has one of these, an intersection several independent ones.
template <typename Msg>
class Transform final : public NodeBase<Msg>
{
public:
  Transform(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : NodeBase<Msg>(graph, table, number, settings)
  {
    for (std::uint32_t i = 0; i < this->spec_.inputs.size(); ++i) {
      Connection & own = connections_.emplace_back();
      own.worker = this->make_worker(i);
      this->template subscribe<const Msg &>(i, [&own](const Msg & input) { own.run(input); });
      own.output = this->make_output(this->spec_.inputs[i].output);
    }
  }

private:
  struct Connection
  {
    void run(const Msg & input) noexcept
    {
      const takt_rt::Time stamp = start_of_run();
      const std::uint64_t result = (*worker)();
      Msg & message = output->message();
      merge_history(message, input);
      store_result(message, result);
      output->publish(message, stamp, missed.note(input));
    }

    std::unique_ptr<Worker> worker;
    std::unique_ptr<Output<Msg>> output;
    MissedSamples missed;  // only an estimate in a reentrant group, as in the original
  };
  std::deque<Connection> connections_;
};

/// Keeps the newest message of each input. The message that completes the set starts the work. The
/// node publishes for all of them and drops them.
template <typename Msg>
class Fusion final : public NodeBase<Msg>
{
public:
  Fusion(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : NodeBase<Msg>(graph, table, number, settings),
    slots_(this->spec_.inputs.size()),
    missed_(this->spec_.inputs.size())
  {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      workers_.push_back(this->make_worker(i));
      this->template subscribe<std::shared_ptr<const Msg>>(i, [this, i](auto input) {
        const takt_rt::Time stamp = start_of_run();
        slots_[i].store(std::move(input));
        if (complete()) {
          fuse(stamp, *workers_[i]);
        }
      });
    }
    output_ = this->make_output(this->spec_.output);
  }

private:
  bool complete() const noexcept
  {
    for (const auto & slot : slots_) {
      if (!slot.has()) {
        return false;
      }
    }
    return true;
  }

  void fuse(takt_rt::Time stamp, Worker & worker) noexcept
  {
    const std::uint64_t result = worker();
    Msg & message = output_->message();
    std::uint32_t dropped = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      merge_history(message, slots_[i].get());
      dropped += missed_[i].note(slots_[i].get());
    }
    store_result(message, result);
    {
      const takt_rcl::JoinScope joined(slots_);
      output_->publish(message, stamp, dropped);
    }
    for (auto & slot : slots_) {
      slot.clear();
    }
  }

  std::vector<takt_rcl::Join<Msg>> slots_;
  std::vector<MissedSamples> missed_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Output<Msg>> output_;
};

/// Inputs only store messages. The timer reads the time, works, merges the stored messages, drops
/// them and publishes, even without stored messages. Its message carries only the timer's
/// activation: chains end at the slots. Otherwise the age of old data would count as urgency of the
/// new message.
template <typename Msg>
class Cyclic final : public NodeBase<Msg>
{
public:
  Cyclic(
    const Graph & graph, const CallbackTable & table, std::uint32_t number,
    const NodeSettings & settings)
  : NodeBase<Msg>(graph, table, number, settings),
    slots_(this->spec_.inputs.size()),
    missed_(this->spec_.inputs.size()),
    worker_(this->make_worker(this->spec_.inputs.size()))
  {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      this->template subscribe<std::shared_ptr<const Msg>>(
        i, [this, i](auto input) { slots_[i].store(std::move(input)); });
    }
    output_ = this->make_output(this->spec_.output);
    this->make_timer([this] { cycle(); });
  }

private:
  void cycle() noexcept
  {
    const takt_rt::Time stamp = start_of_run();
    const std::uint64_t result = (*worker_)();
    Msg & message = output_->message();
    std::uint32_t dropped = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].has()) {
        merge_history(message, slots_[i].get());
        dropped += missed_[i].note(slots_[i].get());
        slots_[i].clear();
      }
    }
    store_result(message, result);
    output_->publish(message, stamp, dropped);
  }

  std::vector<takt_rcl::Join<Msg>> slots_;
  std::vector<MissedSamples> missed_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<Output<Msg>> output_;
};

}  // namespace takt_workload

#endif  // NODE_KINDS_HPP_
