// The core callback behind a service: listens, takes, serves.
#ifndef SERVICE_RUN_HPP_
#define SERVICE_RUN_HPP_

#include <rcl/service.h>
#include <rcutils/error_handling.h>
#include <rmw/rmw.h>

#include <algorithm>
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
#include "takt_host/audited_function.hpp"
#include "takt_host/source_callback.hpp"
#include "takt_rcl/error.hpp"
#include "takt_rcl/message_info.hpp"
#include "takt_rcl/request_handler.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_schedule/middlewares.hpp"

namespace takt_rcl
{

/// True if the middleware numbers the requests of each client separately: only then a gap in the
/// numbers is a loss. False for middlewares that takt does not know; some number all requests of a
/// process together. Real-time safe.
inline bool numbers_each_clients_requests() noexcept
{
  const auto * const used = takt_schedule::find_middleware(rmw_get_implementation_identifier());
  return used != nullptr && used->numbers_requests_by_client;
}

/// The resources of a run or of a pending response. They outlive the handle.
struct ServiceShared final : public ResponseSender
{
  ServiceShared(std::shared_ptr<NodeState> n, std::unique_ptr<RequestHandler> h)
  : node(std::move(n)),
    handler(std::move(h)),
    rcl(rcl_get_zero_initialized_service())
  {
  }
  ~ServiceShared() override
  {
    std::lock_guard lock(rcl_mutex());
    if (rcl.impl != nullptr) {
      detail::ignore(rcl_service_fini(&rcl, node->rcl()));
    }
  }

  bool send(const rmw_request_id_t & request, const void * response) noexcept override
  {
    rmw_request_id_t id = request;
    if (!ended.load(std::memory_order_acquire)) {
      const takt_core::MiddlewareCeilingScope ceiling;
      // rcl does not change the response.
      if (rcl_send_response(&rcl, &id, const_cast<void *>(response)) == RCL_RET_OK) {
        sent.fetch_add(1, std::memory_order_relaxed);
        return true;
      }
      rcutils_reset_error();
    }
    failed_responses.fetch_add(1, std::memory_order_relaxed);
    return false;
  }

  const std::shared_ptr<NodeState> node;
  const std::unique_ptr<RequestHandler> handler;
  rcl_service_t rcl;
  std::string name;
  std::uint32_t history = 1;
  bool reliable = false;
  std::uint32_t depth = 1;
  // Serialises the service's takes, also against a run in another executor that has not ended.
  takt_rt::PiMutex take_mutex;
  // A callback reports from it, perhaps longer than this object lives.
  const std::shared_ptr<takt_host::SequenceGaps> gaps = std::make_shared<takt_host::SequenceGaps>();
  std::atomic<bool> ended{false};  // the user's handle has
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> failed_responses{0};
  std::atomic<std::uint64_t> failed_takes{0};
};

/// The core callback.
class ServiceRun final : public takt_host::SourceCallback<ServiceRun>,
                         public takt_host::AuditedFunction
{
public:
  ServiceRun(
    takt_core::CallbackOptions options, const std::shared_ptr<ServiceShared> & shared,
    takt_core::Executor & executor, std::uint32_t lanes)
  : SourceCallback(
      std::move(options), executor, shared->history,
      {shared->reliable, numbers_each_clients_requests(), takt_host::NamedBy::sequence,
       shared->gaps}),
    service_(shared->name),
    work_(std::make_shared<Work>(shared, lanes)),
    requests_(lanes)
  {
  }

  /// The name of the service. Any thread; real-time safe.
  const std::string & service() const noexcept { return service_; }

  // The listener. Runs on a thread of the middleware or inside a send, with the middleware's locks
  // held: only counts and wakes.
  static void on_new_request(const void * self, std::size_t count)
  {
    const_cast<ServiceRun *>(static_cast<const ServiceRun *>(self))
      ->arrive(static_cast<std::uint32_t>(count));
  }

  takt_host::FunctionMemory function_memory() const override
  {
    return takt_host::function_in_block(work_->shared->handler.get(), work_->lanes.get());
  }

  takt_host::Took take_message(takt_host::Taking & taking)
  {
    if (!begin(work_)) {
      return takt_host::Took::nothing;
    }
    takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::uint32_t lane = this->lane(taking.run());
    ServiceShared & shared = *work_->shared;
    void * const request = work_->lanes->request(lane);
    rmw_service_info_t info{};
    {
      // Outside of the lock, so that a waiting thread is at the ceiling too.
      const takt_core::MiddlewareCeilingScope ceiling;
      std::lock_guard lock(shared.take_mutex);
      const rcl_ret_t result = rcl_take_request_with_info(&shared.rcl, &info, request);
      if (result != RCL_RET_OK) {
        rcutils_reset_error();
        if (result == RCL_RET_SERVICE_TAKE_FAILED) {
          return takt_host::Took::nothing;
        }
        shared.failed_takes.fetch_add(1, std::memory_order_relaxed);
        return takt_host::Took::skipped;
      }
      requests_[lane] = info.request_id;
      takt_core::MessageKey key;
      std::copy_n(info.request_id.writer_guid, key.publisher.size(), key.publisher.begin());
      key.sequence = static_cast<std::uint64_t>(info.request_id.sequence_number);
      taking.found(key);
    }
    shared.taken.fetch_add(1, std::memory_order_relaxed);
    releasing.keep();
    return takt_host::Took::message;
  }

  void run(const takt_core::Run & run) override
  {
    const takt_core::adapter::Hold<Work>::Releasing releasing(work_);
    const std::uint32_t lane = this->lane(run);
    work_->lanes->serve(lane, requests_[lane], work_->sender);
  }

  void close() noexcept { work_.release(); }

private:
  struct Work
  {
    Work(std::shared_ptr<ServiceShared> s, std::uint32_t count)
    : shared(std::move(s)),
      sender(shared),
      lanes(shared->handler->make_lanes(count))
    {
    }
    const std::shared_ptr<ServiceShared> shared;
    const std::shared_ptr<ResponseSender> sender;
    const std::unique_ptr<RequestLanes> lanes;  // destroyed before the handler
  };

  std::uint32_t lane(const takt_core::Run & run) const noexcept
  {
    return requests_.size() == 1 ? 0 : run.lane;
  }

  const std::string service_;
  takt_core::adapter::Hold<Work> work_;
  std::vector<rmw_request_id_t> requests_;  // one per lane
};

}  // namespace takt_rcl

#endif  // SERVICE_RUN_HPP_
