// Answers the requests to the control socket. Any thread, one at a time; may block as long as
// set-up of an executor does.
#ifndef TAKT_CONTROL__SRC__REQUESTS_HPP_
#define TAKT_CONTROL__SRC__REQUESTS_HPP_

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "registered_threads.hpp"
#include "reply.hpp"
#include "set_values.hpp"
#include "takt_control/control_server.hpp"
#include "takt_control/frame.hpp"
#include "takt_core/executor.hpp"

namespace takt_control
{

/// Owners of executors add and remove them, and the socket's thread asks for answers in between.
class Requests
{
public:
  void add(const ExposedExecutor & executor) { executors_.push_back(executor); }
  void remove(const takt_core::Executor & executor);
  bool empty() const noexcept { return executors_.empty() && threads_.empty(); }
  void add(
    pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report)
  {
    threads_.add(tid, had, report);
  }
  void remove(pid_t tid) { threads_.remove(tid); }

  void handle(MessageType type, RequestHandler handler) { handlers_[type] = std::move(handler); }
  void answer_subscriptions(std::function<SubscriptionAnswer()> answer)
  {
    subscription_ = std::move(answer);
  }

  /// Call it in a child of fork. Abandons the records that a request of the parent may have been
  /// changing, without freeing them.
  void forget_changes();

  /// `payload` may hold any bytes.
  Reply answer(std::uint16_t type, const std::string & payload);

private:
  /// The state of an executor before a schedule was applied.
  struct Before
  {
    takt_core::Executor * executor = nullptr;
    takt_core::Reconfiguration configuration{};
    bool first = false;  ///< this apply made the executor's entry in `before_`
    std::string file{};
    SetValues::Changes set_values{};
    std::shared_ptr<const takt_schedule::Schedule> watched{};
  };
  /// The schedule that was applied last: the id that its client gave it, and the state before it.
  struct LastApply
  {
    std::string id;
    std::vector<Before> executors;
    bool says_watching = false;
  };

  Reply status() const;
  Reply apply(const std::string & payload);
  void note_applied(
    const takt_schedule::Schedule & schedule, std::string id, std::vector<Before> changed);
  Reply reset(const std::string & payload);
  Reply reset_all();
  Reply undo(const std::string & id);
  static bool restore(
    const ExposedExecutor & one, const takt_core::Reconfiguration & before,
    std::vector<takt_schedule::AppliedPart> & parts, takt_rt::Faults & faults);
  Reply set(const std::string & payload);
  Reply subscribe() const;

  std::vector<ExposedExecutor> executors_;
  RegisteredThreads threads_;
  std::map<MessageType, RequestHandler> handlers_;
  std::function<SubscriptionAnswer()> subscription_;
  std::map<const takt_core::Executor *, takt_core::Reconfiguration>
    before_;  ///< before the first `apply` or `set`
  SetValues set_values_;
  std::optional<LastApply> last_;
  /// By executor: the last applied schedule that has watch rules. Without an entry the rules from
  /// the start hold.
  std::map<const takt_core::Executor *, std::shared_ptr<const takt_schedule::Schedule>> watched_;
};

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__REQUESTS_HPP_
