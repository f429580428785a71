// One run of a system, job by job.
//
// The rules are in README.md. Nothing here knows any analysis.
#ifndef JOB_ORACLE__SIMULATION_HPP_
#define JOB_ORACLE__SIMULATION_HPP_

#include <deque>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "cores.hpp"
#include "model.hpp"
#include "situation.hpp"

namespace job_oracle
{

/// One run of a task.
struct Job
{
  int task = kNone;
  Part part = Part::none;
  bool of_source = false;  ///< released by the task's own source, at `nominal`
  Time nominal = 0;
  Time release = 0;  ///< its timer expired, or its message arrived
  Time source = 0;   ///< nominal release of the source that it comes from
};

class Watcher
{
public:
  virtual ~Watcher() = default;
  virtual void on_end(const Job & job, Time end) = 0;
  virtual void on_chain_end(int chain, Time release, Time end) = 0;
  /// A job that is not over when the run is.
  virtual void on_left(const Job & job, Time now) = 0;
};

class Simulation
{
public:
  /// Keeps references.
  Simulation(const Model & model, Situation & situation, Watcher & watcher);
  void run();

private:
  /// An activation of a chain on its way.
  struct Token
  {
    int chain = kNone;
    std::size_t place = 0;  // on its path
    Time release = 0;
  };
  /// What starts a run.
  struct Message
  {
    Job job;
    int topic = kNone;
    std::vector<Token> tokens;
  };
  enum class State
  {
    none,
    queued,  // threads may take it
    parked   // its group is another's
  };
  struct Waiting
  {
    State state = State::none;
    std::deque<Message> messages;
    std::vector<std::deque<Message>> of_topics;      // Join::all
    std::vector<std::optional<Message>> kept;        // Join::newest
    std::vector<std::pair<int, std::size_t>> sends;  // tasks and links_
    int running = 0;
    bool taking = false;
    bool expired = false;  // its timer, and no run has begun since
    std::optional<Time> started;
  };
  enum class Phase
  {
    sleeps,
    looks,
    dispatches,
    takes,
    works,
    publishes,
    goes_on  // works on, after publishing
  };
  struct Run
  {
    Phase phase = Phase::sleeps;
    Message message;
    Time passes = 0;  // the nominal release that the responses of the receivers count from
    bool publishes = true;
    Time before = 0, after = 0;  // work, with publishing between
  };
  struct Way
  {
    int to = kNone;
    int topic = kNone;
    const Link * link = nullptr;
    Time last = 0;  // arrival
    std::deque<Message> under_way;
  };
  struct Event
  {
    enum class What
    {
      source,
      other,
      message
    };
    Time time = 0;
    std::uint64_t tie = 0;
    What what = What::source;
    int whose = kNone;
    Time nominal = 0;
    std::size_t way = 0;  // of ways_
    bool operator>(const Event & other) const
    {
      return std::tie(time, tie) > std::tie(other.time, other.tie);
    }
  };

  const Task & task(int index) const { return model_.tasks[static_cast<std::size_t>(index)]; }
  Waiting & waiting(int index) { return waiting_[static_cast<std::size_t>(index)]; }
  Run & run_of(int thread) { return runs_[static_cast<std::size_t>(thread)]; }
  bool is_executor(int thread) const { return thread < static_cast<int>(model_.threads.size()); }

  void push(Event event);
  void instant();
  bool is_punctual(const Event & event) const;
  bool together(const Event & one, const Event & other) const;
  void settle();
  void complete(int core);
  void handle(const Event & event);
  void expire(int index, Time nominal);

  void arrive(int index, Message message);
  void offer(int index);
  void enqueue(int index);
  bool before(int one, int other);
  bool reentrant(const Task & of) const;
  void wake_for(int index);
  void pass_on();

  void step(int thread);
  void look(int thread);
  void begin(int thread, int index);
  void take(Run & run);
  void send(const Message & message, Time source);
  void finish(int thread);
  void leave(int index);

  const Model & model_;
  Situation & situation_;
  Watcher & watcher_;
  Cores cores_;
  Time now_ = 0;
  std::uint64_t ties_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Waiting> waiting_;
  std::vector<Run> runs_;
  std::vector<Way> ways_;
  std::vector<std::vector<std::size_t>> ways_of_;
  std::vector<int> holder_;              // of each group; kNone: free
  std::vector<std::vector<int>> roots_;  // chains that begin with each task
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__SIMULATION_HPP_
