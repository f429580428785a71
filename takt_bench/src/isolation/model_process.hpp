// One process of a system model: an executor with its callbacks, and the thread that receives
// messages of other processes.
//
// Lives in a child process that does nothing else. Set-up only, except for the threads that it
// starts.
#ifndef TAKT_BENCH__SRC__ISOLATION__MODEL_PROCESS_HPP_
#define TAKT_BENCH__SRC__ISOLATION__MODEL_PROCESS_HPP_

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "isolation/model_callback.hpp"
#include "isolation/plan_of_messages.hpp"
#include "isolation/setting.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/hosted_executor.hpp"

namespace takt_bench::isolation
{

/// The data of the other processes that one process needs.
struct Neighbours
{
  std::uint32_t own = 0;       ///< its number in PlanOfMessages::executors
  std::vector<Wire> & wires;   ///< one into each process
  std::vector<bool> receives;  ///< per process: true if others send it messages
};

class ModelProcess
{
public:
  ModelProcess(const Setting & setting, const PlanOfMessages & plan, Neighbours neighbours);
  ~ModelProcess();
  ModelProcess(const ModelProcess &) = delete;
  ModelProcess & operator=(const ModelProcess &) = delete;

  /// Makes the executor, the callbacks and the receiver.
  takt_rt::Faults prepare();

  /// Starts at `epoch`, measures from the end of the warm-up on, and returns the results. May
  /// block.
  takt_rt::Result<nlohmann::ordered_json> measure(takt_rt::Time epoch);

private:
  takt_rt::Faults add_callbacks();
  void connect();
  void receive_messages();
  takt_core::Executor & core() const { return *hosted_->core(); }
  takt_core::adapter::Placer & placer() const { return *hosted_->placer(); }
  nlohmann::ordered_json found(takt_rt::Time from, takt_rt::Time to) const;

  const Setting & setting_;
  const PlanOfMessages & plan_;
  Neighbours neighbours_;
  Roots roots_;
  std::vector<std::unique_ptr<ChainRecord>> chains_;       // null: the chain ends in another
                                                           // process
  std::vector<std::shared_ptr<ModelCallback>> callbacks_;  // by position; null: a callback of
                                                           // another process
  std::unique_ptr<takt_host::HostedExecutor> hosted_;
  std::atomic<pid_t> receiver_tid_{0};
  std::thread receiver_;
};

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__MODEL_PROCESS_HPP_
