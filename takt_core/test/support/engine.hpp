// One interface for the scheduler under a virtual clock and for executors on real threads. The
// conformance suite uses it.
#ifndef SUPPORT__ENGINE_HPP_
#define SUPPORT__ENGINE_HPP_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "journal.hpp"
#include "seam.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::test
{

/// How threads and callbacks are arranged.
enum class Shape
{
  single,
  pool,
  partitioned,
  following,
  isolated  ///< each group has threads of its own: one, or two if it is reentrant
};

struct Setting
{
  Order order = Order::fifo;
  Shape shape = Shape::single;
  bool real = false;
};

std::string to_string(Shape shape);
std::string to_string(const Setting & setting);
std::uint32_t thread_count(Shape shape);

/// The binding of callback number `i` of a workload in this setting. In the shape `partitioned` the
/// callbacks get one thread each, by turns; if the order allows overlapping sets, every fourth one
/// gets a pair.
Binding binding_for(const Setting & setting, std::size_t i);

class Engine
{
public:
  virtual ~Engine() = default;

  virtual Status add(const std::shared_ptr<Probe> & probe, const Binding & binding) = 0;
  virtual void remove(Probe & probe) = 0;
  virtual Status bind(Probe & probe, ThreadMask threads) = 0;
  virtual Status set_priority(Probe & probe, std::optional<int> priority) = 0;
  /// Announces messages and counts them at the probe.
  virtual void ready(Probe & probe, std::uint32_t count = 1) = 0;
  /// Opens the gate.
  virtual void start() = 0;
  /// Continues until `done` returns true. False: it never will (no callback is ready any more, or
  /// on real threads a minute passed, which only guards against hanging).
  virtual bool run_until(const std::function<bool()> & done) = 0;
  virtual void stop() = 0;
  /// Cancels from several threads at once, checks that the spin ends, and starts again. False: not
  /// supported.
  virtual bool cancel_and_restart() { return false; }
  /// The number of user exceptions that were counted so far.
  virtual std::uint64_t exceptions() const { return 0; }
  /// Runs on for a while, so that a wrong start can happen.
  virtual void let_pass() = 0;
  /// As `let_pass`, before `start`.
  virtual void let_pass_closed() = 0;
  virtual Scheduler & scheduler() = 0;
};

/// An engine under a virtual clock; `maker` inserts a broken twin.
std::unique_ptr<Engine> make_virtual_engine(
  const Setting & setting, const SeamMaker & maker = plain_seam);

/// An engine on an executor's own threads. Null if following threads are requested and not allowed
/// here.
std::unique_ptr<Engine> make_real_engine(
  const Setting & setting, const std::function<void(ExecutorOptions &)> & change = {});

inline std::unique_ptr<Engine> make_engine(const Setting & setting)
{
  return setting.real ? make_real_engine(setting) : make_virtual_engine(setting);
}

}  // namespace takt_core::test

#endif  // SUPPORT__ENGINE_HPP_
