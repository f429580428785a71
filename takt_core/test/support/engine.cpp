#include "engine.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace takt_core::test
{

using takt_rt::may_use_realtime;
using takt_rt::Policy;

std::string to_string(Shape shape)
{
  switch (shape) {
    case Shape::single:
      return "single";
    case Shape::pool:
      return "pool";
    case Shape::partitioned:
      return "partitioned";
    case Shape::following:
      return "following";
    case Shape::isolated:
      return "isolated";
  }
  return {};
}

std::string to_string(const Setting & setting)
{
  return std::string(takt_core::to_string(setting.order)) + "_" + to_string(setting.shape) +
         (setting.real ? "_real" : "_virtual");
}

std::uint32_t thread_count(Shape shape)
{
  return shape == Shape::single || shape == Shape::isolated ? 1 : 3;
}

Binding binding_for(const Setting & setting, std::size_t i)
{
  Binding binding;
  binding.priority = 1 + static_cast<int>(i % 3);
  binding.publishes_last = i % 2 == 1;
  if (setting.shape == Shape::partitioned) {
    const ThreadMask pairs = has_windows(setting.order) ? 0 : 0b011;
    binding.threads = i % 4 == 3 && pairs != 0 ? pairs : ThreadMask{1} << (i % 3);
  }
  return binding;
}

namespace
{

class VirtualEngine final : public Engine
{
public:
  VirtualEngine(const Setting & setting, const SeamMaker & maker)
  : world_(Kernel::own, 0, Looks::when_woken)
  {
    SchedulerOptions options;
    options.thread_urgencies.assign(thread_count(setting.shape), 0);
    options.order = setting.order;
    world_.add_executor(options, maker);
  }

  Status add(const std::shared_ptr<Probe> & probe, const Binding & binding) override
  {
    probe->cost = Duration(1000 * (1 + probe->number() % 7));
    return world_.add(probe, binding);
  }
  void remove(Probe & probe) override { world_.seam().remove(probe); }
  Status bind(Probe & probe, ThreadMask threads) override
  {
    return world_.seam().bind(probe, threads);
  }
  Status set_priority(Probe & probe, std::optional<int> priority) override
  {
    return world_.seam().set_priority(probe, priority);
  }
  void ready(Probe & probe, std::uint32_t count) override
  {
    probe.announced.fetch_add(count);
    world_.seam().ready(probe, count, world_.now());
    if (!started_ && world_.seam().gate_missing()) {
      world_.step(world_.now() + std::chrono::hours(1));
    }
  }
  void start() override
  {
    started_ = true;
    world_.step(world_.now() + std::chrono::hours(1));
  }
  bool run_until(const std::function<bool()> & done) override
  {
    const Time horizon = world_.now() + std::chrono::hours(1);
    while (!done()) {
      if (!world_.step(horizon)) {
        return false;
      }
    }
    return true;
  }
  void stop() override {}
  void let_pass() override { world_.run_until(world_.now() + std::chrono::seconds(1)); }
  void let_pass_closed() override {}
  Scheduler & scheduler() override { return world_.scheduler(); }

private:
  VirtualExecutors world_;
  bool started_ = false;
};

class RealEngine final : public Engine
{
public:
  RealEngine(ExecutorOptions options, Shape shape) : shape_(shape)
  {
    auto created = Executor::create(std::move(options));
    if (!created.ok()) {
      throw std::runtime_error(to_string(created.faults().front()));
    }
    executor_ = std::move(*created);
  }
  ~RealEngine() override { stop(); }

  Status add(const std::shared_ptr<Probe> & probe, const Binding & binding) override
  {
    probe->group().allow_across_priorities();
    if (shape_ == Shape::isolated) {
      Isolation isolation;
      isolation.threads = probe->group().exclusive() ? 1 : 2;
      if (const Status status = executor_->isolate(probe->group(), isolation); !status.ok()) {
        return status;
      }
    }
    return executor_->add(probe, binding);
  }
  void remove(Probe & probe) override { executor_->remove(probe); }
  Status bind(Probe & probe, ThreadMask threads) override
  {
    return change(probe, [&](Binding & binding) { binding.threads = threads; });
  }
  Status set_priority(Probe & probe, std::optional<int> priority) override
  {
    return change(probe, [&](Binding & binding) { binding.priority = priority; });
  }
  void ready(Probe & probe, std::uint32_t count) override
  {
    probe.announced.fetch_add(count);
    executor_->ready(probe, count);
  }
  void start() override
  {
    const Status status = executor_->start();
    if (!status.ok()) {
      throw std::runtime_error(to_string(status.faults().front()));
    }
  }
  bool run_until(const std::function<bool()> & done) override
  {
    const Time guard = now() + std::chrono::minutes(1);
    while (!done()) {
      if (now() > guard) {
        return false;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
  }
  void stop() override
  {
    if (executor_->running()) {
      executor_->cancel();
      executor_->wait();
    }
  }
  bool cancel_and_restart() override
  {
    std::thread other([this] { executor_->cancel(); });
    executor_->cancel();
    other.join();
    executor_->wait();
    start();
    return true;
  }
  std::uint64_t exceptions() const override { return executor_->exceptions(); }
  void let_pass() override { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  void let_pass_closed() override { let_pass(); }
  Scheduler & scheduler() override { return executor_->scheduler(); }

private:
  Status change(Probe & probe, const std::function<void(Binding &)> & how)
  {
    const std::shared_ptr<Callback> callback = executor_->find(probe.id());
    const auto binding = executor_->scheduler_of(probe).binding(probe);
    if (callback == nullptr || !binding) {
      return binding.faults();
    }
    Binding changed = *binding;
    how(changed);
    return executor_->reconfigure({.callbacks = {{callback, changed}}}).faults();
  }

  const Shape shape_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::unique_ptr<Engine> make_virtual_engine(const Setting & setting, const SeamMaker & maker)
{
  return std::make_unique<VirtualEngine>(setting, maker);
}

std::unique_ptr<Engine> make_real_engine(
  const Setting & setting, const std::function<void(ExecutorOptions &)> & change)
{
  ExecutorOptions options;
  options.order = setting.order;
  options.threads.resize(thread_count(setting.shape));
  if (setting.shape == Shape::following) {
    if (!may_use_realtime(10)) {
      return nullptr;
    }
    for (ExecutorThreadOptions & thread : options.threads) {
      thread.follow = true;
      thread.attributes.policy = Policy::fifo;
      thread.attributes.priority = 10;
    }
  }
  if (change) {
    change(options);
  }
  return std::make_unique<RealEngine>(std::move(options), setting.shape);
}

}  // namespace takt_core::test
