#include "takt_control/control_server.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "alarm_queue.hpp"
#include "control_socket.hpp"
#include "requests.hpp"
#include "takt_rt/environment.hpp"

namespace takt_control
{
namespace
{

using takt_rt::variable;

/// The server of this process.
class Server
{
public:
  takt_rt::Status add(const ExposedExecutor & executor)
  {
    const std::lock_guard lifecycle(lifecycle_);
    change([&] { requests_.add(executor); });
    takt_rt::Status opened = open();
    if (!opened.ok()) {
      change([&] { requests_.remove(*executor.executor); });
    }
    return opened;
  }

  takt_rt::Status add(
    pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report)
  {
    const std::lock_guard lifecycle(lifecycle_);
    change([&] { requests_.add(tid, had, report); });
    takt_rt::Status opened = open();
    if (!opened.ok()) {
      change([&] { requests_.remove(tid); });
    }
    return opened;
  }

  void handle(MessageType type, RequestHandler handler)
  {
    change([&] { requests_.handle(type, std::move(handler)); });
  }

  void answer_subscriptions(std::function<SubscriptionAnswer()> answer)
  {
    change([&] { requests_.answer_subscriptions(std::move(answer)); });
  }

  // Takes no lock of the server, because a handler of a request in progress may call it.
  void tell(std::string payload, std::optional<std::uint64_t> sequence)
  {
    AlarmQueue * const alarms = alarms_.load(std::memory_order_acquire);
    if (alarms != nullptr && alarms->of_this_process()) {
      alarms->put(std::move(payload), sequence);
    }
  }

  void remove(const takt_core::Executor & executor)
  {
    const std::lock_guard lifecycle(lifecycle_);
    bool last = false;
    change([&] {
      requests_.remove(executor);
      last = requests_.empty();
    });
    if (last) {
      end_socket();
    }
  }

  void close()
  {
    const std::lock_guard lifecycle(lifecycle_);
    end_socket();
  }

  // Handlers of fork. Another thread may be in a request or in set-up at that time. fork waits only
  // for `changing_`, because a request may take long and a child must not wait for a lock that a
  // thread of its parent holds.

  void before_fork() { changing_.lock(); }
  void after_fork() { changing_.unlock(); }
  void in_child()
  {
    std::construct_at(&lifecycle_);
    std::construct_at(&mutex_);
    requests_.forget_changes();
    changing_.unlock();
  }

private:
  // Waits for a request in progress.
  template <typename Change>
  void change(const Change & change)
  {
    const std::lock_guard lock(mutex_);
    const std::lock_guard changing(changing_);
    change();
  }

  // Call with `lifecycle_` held.
  void end_socket()
  {
    std::unique_ptr<ControlSocket> ended;
    {
      const std::lock_guard changing(changing_);
      ended = std::move(socket_);
    }
  }

  // Call with `lifecycle_` held.
  takt_rt::Status open()
  {
    if (socket_ != nullptr && owner_ == ::getpid()) {
      return {};
    }
    end_socket();  // the parent's socket, if this is a child of fork
    auto opened = ControlSocket::open(
      runtime_folder(),
      [this](std::uint16_t type, const std::string & payload) {
        const std::lock_guard lock(mutex_);
        return requests_.answer(type, payload);
      },
      alarm_queue());
    if (!opened.ok()) {
      return opened.faults();
    }
    const std::lock_guard changing(changing_);
    socket_ = std::move(opened.value());
    owner_ = ::getpid();
    return {};
  }

  // Call with `lifecycle_` held. Each process keeps its queue for good, because threads may be
  // about to use it.
  AlarmQueue & alarm_queue()
  {
    AlarmQueue * queue = alarms_.load();
    if (queue == nullptr || !queue->of_this_process()) {
      const std::lock_guard changing(changing_);
      queue = queues_.emplace_back(std::make_unique<AlarmQueue>()).get();
      alarms_.store(queue, std::memory_order_release);
    }
    return *queue;
  }

  std::mutex lifecycle_;
  std::mutex mutex_;     // held during a request
  std::mutex changing_;  // held during a change, which is short; fork waits for it
  Requests requests_;
  std::vector<std::unique_ptr<AlarmQueue>> queues_;  // the last one is this process's
  std::atomic<AlarmQueue *> alarms_{nullptr};
  std::unique_ptr<ControlSocket> socket_;
  pid_t owner_ = 0;
};

// Never destroyed: an executor may be exposed as long as any code of the program runs.
Server & server()
{
  static auto * const only = [] {
    static auto * const made = new Server;
    ::pthread_atfork(
      [] { made->before_fork(); }, [] { made->after_fork(); }, [] { made->in_child(); });
    return made;
  }();
  return *only;
}

class Exposed final : public Exposure
{
public:
  explicit Exposed(const takt_core::Executor & executor) : executor_(executor) {}
  ~Exposed() override { server().remove(executor_); }
  Exposed(const Exposed &) = delete;
  Exposed & operator=(const Exposed &) = delete;

private:
  const takt_core::Executor & executor_;
};

// Exposed threads have no Exposure that would remove the socket. A destructor of the library
// removes it, because it runs after the destructors of the program's own objects.
std::atomic<bool> g_threads_exposed{false};
__attribute__((destructor)) void close_at_the_end()
{
  if (g_threads_exposed.load()) {
    server().close();
  }
}

}  // namespace

std::string runtime_folder()
{
  if (std::string named = variable("TAKT_RUNTIME_DIR"); !named.empty()) {
    return named;
  }
  if (const std::string session = variable("XDG_RUNTIME_DIR"); !session.empty()) {
    return session + "/takt";
  }
  return "/tmp/takt-" + std::to_string(::geteuid());
}

takt_rt::Result<std::unique_ptr<Exposure>> expose(ExposedExecutor executor)
{
  if (variable("TAKT_CONTROL") == "none") {
    return std::unique_ptr<Exposure>();
  }
  if (const takt_rt::Status added = server().add(executor); !added.ok()) {
    return added.faults();
  }
  return std::unique_ptr<Exposure>(std::make_unique<Exposed>(*executor.executor));
}

takt_rt::Status expose_thread(
  pid_t tid, const takt_rt::ThreadAttributes & had, const takt_rt::AttributeReport & report)
{
  if (variable("TAKT_CONTROL") == "none") {
    return {};
  }
  g_threads_exposed.store(true);
  return server().add(tid, had, report);
}

void handle_requests(MessageType type, RequestHandler handler)
{
  server().handle(type, std::move(handler));
}

void set_subscription_answer(std::function<SubscriptionAnswer()> answer)
{
  server().answer_subscriptions(std::move(answer));
}

void tell_subscribers(std::string payload, std::optional<std::uint64_t> sequence)
{
  server().tell(std::move(payload), sequence);
}

}  // namespace takt_control
