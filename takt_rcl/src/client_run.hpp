// The core callback behind a client: listens, takes responses, gives them to their requests.
#ifndef CLIENT_RUN_HPP_
#define CLIENT_RUN_HPP_

#include <rcl/client.h>
#include <rcutils/error_handling.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "node_state.hpp"
#include "takt_core/adapter/hold.hpp"
#include "takt_core/executor.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_host/source_callback.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/pending_calls.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_rcl
{

/// Resources of a run in progress: outlive the handle.
struct ClientShared
{
  explicit ClientShared(std::shared_ptr<NodeState> n)
  : node(std::move(n)),
    rcl(rcl_get_zero_initialized_client())
  {
  }
  ~ClientShared()
  {
    std::lock_guard lock(rcl_mutex());
    if (rcl.impl != nullptr) {
      detail::ignore(rcl_client_fini(&rcl, node->rcl()));
    }
  }
  ClientShared(const ClientShared &) = delete;
  ClientShared & operator=(const ClientShared &) = delete;

  const std::shared_ptr<NodeState> node;
  rcl_client_t rcl;
  std::shared_ptr<PendingCalls> calls;
  std::string name;
  Gid gid{};
  std::int64_t last = 0;  // number of the last request; guarded by the mutex of the calls
  std::uint32_t history = 1;
  bool reliable = false;
  // Serialises the client's takes, also against a run in another executor that has not ended.
  takt_rt::PiMutex take_mutex;
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> unexpected{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<bool> logged{false};  // the first request without a place
  std::atomic<std::uint64_t> forgotten{0};
  std::atomic<std::uint64_t> failed_takes{0};
};

/// The core callback.
class ClientRun final : public takt_host::SourceCallback<ClientRun>
{
public:
  ClientRun(
    takt_core::CallbackOptions options, const std::shared_ptr<ClientShared> & shared,
    takt_core::Executor & executor, std::uint32_t lanes)
  : SourceCallback(
      std::move(options), executor, shared->history,
      {shared->reliable, false, takt_host::NamedBy::sequence, nullptr}),
    work_(std::make_shared<Work>(shared, lanes)),
    taken_(lanes)
  {
  }

  // The listener. Runs on a thread of the middleware or inside a send, with the middleware's locks
  // held: only counts and wakes.
  static void on_new_response(const void * self, std::size_t count)
  {
    const_cast<ClientRun *>(static_cast<const ClientRun *>(self))
      ->arrive(static_cast<std::uint32_t>(count));
  }

  // Responses have no key: middlewares number requests, and a gap between responses is not a loss.
  takt_host::Took take_message(takt_host::Taking & taking)
  {
    if (!begin(work_)) {
      return takt_host::Took::nothing;
    }
    takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::uint32_t lane = this->lane(taking.run());
    ClientShared & shared = *work_->shared;
    rmw_service_info_t info{};
    {
      // Outside of the lock, so that a waiting thread is at the ceiling too.
      const takt_core::MiddlewareCeilingScope ceiling;
      std::lock_guard lock(shared.take_mutex);
      const rcl_ret_t result =
        rcl_take_response_with_info(&shared.rcl, &info, work_->lanes->response(lane));
      if (result != RCL_RET_OK) {
        rcutils_reset_error();
        if (result == RCL_RET_CLIENT_TAKE_FAILED) {
          return takt_host::Took::nothing;
        }
        shared.failed_takes.fetch_add(1, std::memory_order_relaxed);
        return takt_host::Took::skipped;
      }
    }
    const std::int64_t number = info.request_id.sequence_number;
    taken_[lane] = {shared.calls->begin(number), number};
    if (!taken_[lane].call) {
      shared.unexpected.fetch_add(1, std::memory_order_relaxed);
      return takt_host::Took::skipped;
    }
    shared.taken.fetch_add(1, std::memory_order_relaxed);
    releasing.keep();
    return takt_host::Took::message;
  }

  void run(const takt_core::Run & run) override
  {
    const takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::uint32_t lane = this->lane(run);
    const Taken taken = taken_[lane];
    work_->shared->calls->finish(taken.call, work_->lanes->response(lane), taken.number);
  }

  void close() noexcept { work_.release(); }

private:
  struct Work
  {
    Work(std::shared_ptr<ClientShared> s, std::uint32_t count)
    : shared(std::move(s)),
      lanes(shared->calls->make_lanes(count))
    {
    }
    const std::shared_ptr<ClientShared> shared;
    const std::unique_ptr<ResponseLanes> lanes;
  };
  struct Taken
  {
    PendingCall call;
    std::int64_t number = 0;
  };

  std::uint32_t lane(const takt_core::Run & run) const noexcept
  {
    return taken_.size() == 1 ? 0 : run.lane;
  }

  takt_core::adapter::Hold<Work> work_;
  std::vector<Taken> taken_;  // one per lane
};

}  // namespace takt_rcl

#endif  // CLIENT_RUN_HPP_
