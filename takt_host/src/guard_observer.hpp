// Tells the guard which callback runs on an executor's thread.
#ifndef GUARD_OBSERVER_HPP_
#define GUARD_OBSERVER_HPP_

#include <cstdint>
#include <deque>
#include <memory>

#include "takt_core/number_table.hpp"
#include "takt_core/observer.hpp"
#include "takt_rt/guard/guard.hpp"

namespace takt_host
{

/// A callback's scope begins after its take, with the user's function, and ends with it.
class GuardObserver : public takt_core::Observer
{
public:
  /// Null: the guard is not there, or does not watch executors. Set-up only.
  static std::shared_ptr<GuardObserver> make();

  explicit GuardObserver(const takt_rt::GuardInterface & library) : library_(library) {}

  void on_added(const takt_core::Callback & callback) override;
  void on_removed(const takt_core::Callback & callback) override;
  void on_thread(std::uint32_t thread, const takt_rt::AttributeReport & report) override;
  void on_start(const takt_core::Run & run, takt_rt::Time start) noexcept override;
  void on_end(const takt_core::Run & run, takt_rt::Time end) noexcept override;

private:
  const takt_rt::GuardInterface & library_;
  takt_core::NumberTable<const std::uint32_t> names_;  // the guard's number of each callback
  std::deque<std::uint32_t>
    numbers_;  // what `names_` points to; grows with the callbacks that ever were
};

}  // namespace takt_host

#endif  // GUARD_OBSERVER_HPP_
