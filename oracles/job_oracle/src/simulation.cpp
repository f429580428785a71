#include "simulation.hpp"

#include <algorithm>
#include <utility>

namespace job_oracle
{

namespace
{

std::size_t at(int index)
{
  return static_cast<std::size_t>(index);
}

}  // namespace

Simulation::Simulation(const Model & model, Situation & situation, Watcher & watcher)
: model_(model),
  situation_(situation),
  watcher_(watcher),
  cores_(model.cores, model.context_switch, situation),
  waiting_(model.tasks.size()),
  runs_(model.threads.size()),
  ways_of_(model.tasks.size()),
  holder_(model.groups.size(), kNone),
  roots_(model.tasks.size())
{
  for (const Thread & thread : model.threads) {
    cores_.add(thread.cores, thread.priority);
  }
  for (const Other & other : model.others) {
    cores_.add(other.cores, other.priority);
  }
  for (int to = 0; to < static_cast<int>(model.tasks.size()); ++to) {
    waiting(to).of_topics.resize(task(to).topics.size());
    waiting(to).kept.resize(task(to).topics.size());
    for (int topic = 0; topic < static_cast<int>(task(to).topics.size()); ++topic) {
      for (const Link & link : task(to).topics[at(topic)]) {
        ways_of_[at(link.from)].push_back(ways_.size());
        ways_.push_back({to, topic, &link, 0, {}});
      }
    }
  }
  for (int chain = 0; chain < static_cast<int>(model.chains.size()); ++chain) {
    roots_[at(model.chains[at(chain)].path.front())].push_back(chain);
  }
}

void Simulation::run()
{
  for (int index = 0; index < static_cast<int>(model_.tasks.size()); ++index) {
    if (task(index).source) {
      const Time nominal = situation_.first(index);
      push({nominal + situation_.late(index, true), 0, Event::What::source, index, nominal, 0});
    }
  }
  for (int other = 0; other < static_cast<int>(model_.others.size()); ++other) {
    push({situation_.first_of_other(other), 0, Event::What::other, other, 0, 0});
  }
  while (true) {
    const Time time = std::min(cores_.next(now_), events_.empty() ? kNever : events_.top().time);
    if (time > model_.duration) {
      break;
    }
    cores_.pass(time - now_);
    now_ = time;
    instant();
  }
  for (std::size_t thread = 0; thread < runs_.size(); ++thread) {
    if (runs_[thread].phase > Phase::looks) {
      watcher_.on_left(runs_[thread].message.job, model_.duration);
    }
  }
  for (const Waiting & one : waiting_) {
    for (const Message & message : one.messages) {
      watcher_.on_left(message.job, model_.duration);
    }
  }
}

void Simulation::push(Event event)
{
  event.tie = situation_.any_order() ? situation_.chance().next() : ++ties_;
  if (situation_.any_order() && is_punctual(event)) {
    // Beside each other: the same for all of the thread.
    constexpr std::uint64_t kThreads = 1024;
    event.tie = Chance(
                  static_cast<std::uint64_t>(event.time) * kThreads +
                  static_cast<std::uint64_t>(task(event.whose).threads.front()))
                  .next();
  }
  events_.push(event);
}

// Of a timer of one thread that is never late.
bool Simulation::is_punctual(const Event & event) const
{
  return event.what == Event::What::source && task(event.whose).source->timer &&
         task(event.whose).source->jitter == 0 && task(event.whose).threads.size() == 1;
}

// Whether both expire at once: timers of a thread that are due at the same instant.
bool Simulation::together(const Event & one, const Event & other) const
{
  return one.time == other.time && is_punctual(one) && is_punctual(other) &&
         task(one.whose).threads == task(other.whose).threads;
}

// What has got all of its time has ended, whatever comes at the same instant.
void Simulation::instant()
{
  for (int core = 0; core < cores_.cores(); ++core) {
    complete(core);
  }
  std::optional<Event> last;
  while (!events_.empty() && events_.top().time <= now_) {
    const bool at_once = last && together(*last, events_.top());
    if (situation_.any_order() && !at_once && situation_.chance().one_in(2)) {
      settle();
    }
    const Event event = events_.top();
    events_.pop();
    handle(event);
    last = event;
  }
  settle();
}

void Simulation::complete(int core)
{
  const int thread = cores_.running(core);
  while (cores_.running(core) != kNone && cores_.done(core)) {
    if (!is_executor(thread)) {
      cores_.sleep(thread);
      return;
    }
    if (run_of(thread).phase <= Phase::looks) {
      return;
    }
    step(thread);
  }
}

void Simulation::settle()
{
  bool again = true;
  while (again) {
    again = false;
    for (int core = 0; core < cores_.cores(); ++core) {
      again = cores_.choose() || again;
      const int thread = cores_.running(core);
      if (thread == kNone || !cores_.done(core)) {
        continue;
      }
      again = true;
      if (is_executor(thread) && run_of(thread).phase == Phase::looks) {
        step(thread);
      }
      complete(core);
    }
  }
}

void Simulation::handle(const Event & event)
{
  switch (event.what) {
    case Event::What::source: {
      const Time next = event.nominal + task(event.whose).source->period;
      const Time late = next + situation_.late(event.whose, false);
      push({std::max(late, now_), 0, Event::What::source, event.whose, next, 0});
      expire(event.whose, event.nominal);
      return;
    }
    case Event::What::other: {
      const int thread = static_cast<int>(model_.threads.size()) + event.whose;
      const Other & other = model_.others[at(event.whose)];
      cores_.add_left(thread, other.time);
      cores_.wake(thread);
      push({now_ + other.period, 0, Event::What::other, event.whose, 0, 0});
      return;
    }
    case Event::What::message:
      break;
  }
  // Events of one instant come in any order, messages of one publisher do not.
  std::deque<Message> & under_way = ways_[event.way].under_way;
  Message message = std::move(under_way.front());
  under_way.pop_front();
  arrive(event.whose, std::move(message));
}

void Simulation::expire(int index, Time nominal)
{
  Waiting & of = waiting(index);
  if (now_ < situation_.start(task(index).process)) {
    return;  // a message from outside, for a process that does not run yet
  }
  if (task(index).source->timer) {
    // Its next expiry is the first one on its grid after its last start.
    if (of.expired || (of.started && nominal <= *of.started)) {
      return;
    }
    of.expired = true;
  }
  Message message;
  message.job = {index, Part::none, true, nominal, now_, nominal};
  for (const int chain : roots_[at(index)]) {
    message.tokens.push_back({chain, 0, nominal});
  }
  of.messages.push_back(std::move(message));
  offer(index);
}

void Simulation::arrive(int index, Message message)
{
  const Task & of = task(index);
  if (now_ < situation_.start(of.process)) {
    return;  // nobody listens yet
  }
  message.job.task = index;
  message.job.part = Part::none;
  message.job.of_source = false;
  message.job.release = now_;
  if (of.join != Join::all) {
    waiting(index).messages.push_back(std::move(message));
    offer(index);
    return;
  }
  auto & topics = waiting(index).of_topics;
  topics[at(message.topic)].push_back(std::move(message));
  if (std::any_of(topics.begin(), topics.end(), [](const auto & topic) { return topic.empty(); })) {
    return;
  }
  Message joined = std::move(topics.front().front());
  joined.job.release = now_;
  for (std::size_t topic = 0; topic < topics.size(); ++topic) {
    if (topic > 0) {
      const Message & other = topics[topic].front();
      joined.job.source = std::max(joined.job.source, other.job.source);
      joined.tokens.insert(joined.tokens.end(), other.tokens.begin(), other.tokens.end());
    }
    topics[topic].pop_front();
  }
  waiting(index).messages.push_back(std::move(joined));
  offer(index);
}

void Simulation::send(const Message & message, Time source)
{
  for (const std::size_t way : ways_of_[at(message.job.task)]) {
    Way & along = ways_[way];
    Message sent;
    sent.job.source = source;
    sent.topic = along.topic;
    for (const Token & token : message.tokens) {
      const std::vector<int> & path = model_.chains[at(token.chain)].path;
      if (token.place + 1 < path.size() && path[token.place + 1] == along.to) {
        sent.tokens.push_back({token.chain, token.place + 1, token.release});
      }
    }
    // Messages of one publisher do not overtake each other.
    along.last = std::max(along.last, now_ + situation_.under_way(*along.link));
    if (along.last == now_ && along.under_way.empty()) {
      arrive(along.to, std::move(sent));
      continue;
    }
    along.under_way.push_back(std::move(sent));
    push({along.last, 0, Event::What::message, along.to, 0, way});
  }
}

}  // namespace job_oracle
