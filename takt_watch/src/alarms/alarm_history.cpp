#include "alarms/alarm_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace takt_watch
{

namespace
{

constexpr std::size_t kMostListed = 16;

std::string subject_of(const Alarm & alarm)
{
  if (!alarm.chain.empty()) {
    return "chain " + alarm.chain;
  }
  return alarm.callback.empty() ? "executor " + alarm.executor : "callback " + alarm.callback;
}

}  // namespace

ProcessFacts process_facts()
{
  ProcessFacts facts;
  facts.pid = ::getpid();
  std::error_code error;
  facts.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) {
    facts.host = host.data();
  }
  const auto realtime = std::chrono::duration_cast<std::chrono::nanoseconds>(
    std::chrono::system_clock::now().time_since_epoch());
  facts.to_realtime = realtime.count() - takt_rt::to_ns(takt_rt::now());
  return facts;
}

void AlarmHistory::begin()
{
  const std::lock_guard lock(mutex_);
  counts_ = {};
}

void AlarmHistory::tell(
  const std::vector<Alarm> & alarms, const std::function<void(std::string, std::uint64_t)> & send)
{
  if (alarms.empty()) {
    return;
  }
  const ProcessFacts facts = process_facts();
  // Send with the mutex held. So each alarm is either in the answer to a subscription, or sent
  // after that answer.
  const std::lock_guard lock(mutex_);
  for (const Alarm & alarm : alarms) {
    const std::uint64_t sequence = next_++;
    std::string text = alarm_json(alarm, sequence, facts);
    Key key{alarm.kind, alarm.executor, alarm.callback, alarm.chain, alarm.thread};
    if (alarm.raised) {
      ++counts_.raised;
      active_[std::move(key)] = {
        text, {alarm.kind, alarm.executor, subject_of(alarm), alarm.time, sequence}};
    } else {
      ++counts_.cleared;
      active_.erase(key);
    }
    send(std::move(text), sequence);
  }
}

takt_control::SubscriptionAnswer AlarmHistory::subscription() const
{
  const std::lock_guard lock(mutex_);
  std::string text = "{\"alarms\":" + std::to_string(next_) + ",\"active\":[";
  bool first = true;
  for (const auto & [key, alarm] : active_) {
    text += (first ? "" : ",") + alarm.text;
    first = false;
  }
  return {text + "]}", next_};
}

AlarmHistory::Counts AlarmHistory::counts() const
{
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.active = active_.size();
  return counts;
}

std::vector<AlarmHistory::Active> AlarmHistory::active() const
{
  std::vector<Active> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto & [key, raised] : active_) {
      all.push_back(raised.told);
    }
  }
  std::sort(all.begin(), all.end(), [](const Active & a, const Active & b) {
    return a.sequence < b.sequence;
  });
  all.resize(std::min(all.size(), kMostListed));
  return all;
}

}  // namespace takt_watch
