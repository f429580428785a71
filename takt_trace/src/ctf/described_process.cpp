#include "described_process.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "callback_ids.hpp"
#include "takt_schedule/duration.hpp"
#include "texts.hpp"

namespace takt_trace::detail
{
namespace
{

/// The text between the brackets of an id; empty if there are none.
std::string_view in_brackets(std::string_view id)
{
  const std::size_t begin = id.find('(');
  const std::size_t end = id.rfind(')');
  const bool has = begin != std::string_view::npos && end != std::string_view::npos && begin < end;
  return has ? id.substr(begin + 1, end - begin - 1) : std::string_view();
}

CallbackKind kind_of(std::string_view name)
{
  constexpr std::pair<std::string_view, CallbackKind> kKinds[] = {
    {"timer", CallbackKind::timer},
    {"subscription", CallbackKind::subscription},
    {"service", CallbackKind::service},
    {"client", CallbackKind::client}};
  for (const auto & [known, kind] : kKinds) {
    if (name == known) {
      return kind;
    }
  }
  return CallbackKind::other;
}

std::int64_t period_in(std::string_view id)
{
  const auto period = takt_schedule::parse_duration(in_brackets(id));
  return period ? period->count() : 0;
}

std::vector<std::string> valid(const std::vector<std::string> & texts)
{
  std::vector<std::string> all;
  std::transform(texts.begin(), texts.end(), std::back_inserter(all), valid_utf8);
  return all;
}

class Describer
{
public:
  Describer(
    const LongTrace & trace, std::size_t number, const Messages & messages, Handles & handles)
  : trace_(trace),
    number_(number),
    messages_(messages),
    handles_(handles)
  {
  }

  DescribedProcess describe()
  {
    process_.trace = &trace_;
    for (const LongThread & thread : trace_.threads) {
      process_.threads.emplace_back(thread);
    }
    process_.began = began();
    process_.lanes = callback_lanes(process_.threads);
    process_.found = find_publishers(trace_, process_.threads);
    process_.topics = valid(trace_.topics);
    process_.names = valid(trace_.names);
    process_.context = handles_.next();
    for (std::uint32_t i = 0; i < trace_.callbacks.size(); ++i) {
      add_callback(i);
    }
    for (const auto & [callback, count] : process_.lanes.count) {
      add_callback(callback);
    }
    for (const FoundPublisher & publisher : process_.found.all) {
      add_publisher(publisher);
    }
    add_chains();
    return std::move(process_);
  }

private:
  std::int64_t began() const
  {
    std::int64_t first = std::max<std::int64_t>(trace_.began, 1);
    for (const ThreadView & view : process_.threads) {
      if (!view.times.empty()) {
        first = std::min(first, std::max<std::int64_t>(view.times.front(), 1));
      }
    }
    return first - 1;
  }

  void add_callback(std::uint32_t index)
  {
    const auto [entry, is_new] = process_.callbacks.try_emplace(index);
    if (!is_new) {
      return;
    }
    CtfCallback & callback = entry->second;
    if (index < trace_.callbacks.size()) {
      describe_callback(trace_.callbacks[index], callback);
      if (callback.kind == CallbackKind::subscription) {
        callback.subject = topic_of(index);
      }
    } else {
      callback.id = "callback " + std::to_string(index);
    }
    const auto lanes = process_.lanes.count.find(index);
    const std::uint32_t count = lanes == process_.lanes.count.end() ? 1 : lanes->second;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      callback.lanes.push_back(handles_.next());
    }
  }

  void describe_callback(const TracedCallback & traced, CtfCallback & callback)
  {
    callback.kind = kind_of(traced.kind);
    callback.id = valid_utf8(traced.id);
    callback.kind_name = valid_utf8(traced.kind);
    callback.group_name = valid_utf8(traced.group);
    callback.executor = valid_utf8(traced.executor);
    callback.exclusive = traced.exclusive;
    callback.subject = in_brackets(callback.id);
    callback.period = callback.kind == CallbackKind::timer ? period_in(callback.id) : 0;
    callback.node = node(callback.id);
    callback.group = group(callback);
    callback.handle = handles_.next();
    callback.rmw = handles_.next();
    callback.object = handles_.next();
  }

  /// The topic in the id, unless the user named the callback otherwise.
  std::string topic_of(std::uint32_t index) const
  {
    const std::string & id = process_.callbacks.at(index).id;
    if (const std::string_view topic = topic_in(id); !topic.empty()) {
      return std::string(topic);
    }
    const std::string joined = valid_utf8(messages_.topic_of(number_, index));
    return joined.empty() ? std::string(in_brackets(id)) : joined;
  }

  std::uint64_t node(const std::string & id)
  {
    if (id.find(':') == std::string::npos) {
      return 0;
    }
    const std::string full(node_in(id));
    CtfNode & node = process_.nodes[full];
    if (node.handle == 0) {
      node.handle = handles_.next();
      node.rmw = handles_.next();
      const std::size_t slash = full.rfind('/');
      const bool has_space = slash != std::string::npos && slash > 0;
      node.name = slash == std::string::npos ? full : full.substr(slash + 1);
      node.space = has_space ? full.substr(0, slash) : "/";
    }
    return node.handle;
  }

  std::uint64_t group(const CtfCallback & callback)
  {
    const auto key = std::pair(callback.executor, callback.group_name);
    const auto [entry, is_new] = groups_.try_emplace(key);
    if (is_new) {
      entry->second = handles_.next();
      process_.groups.push_back(
        {entry->second, executor(callback.executor).collector, callback.exclusive});
    }
    return entry->second;
  }

  const CtfExecutor & executor(const std::string & name)
  {
    CtfExecutor & executor = process_.executors[name];
    if (executor.handle == 0) {
      executor.handle = handles_.next();
      executor.collector = handles_.next();
      const auto threads = std::count_if(
        trace_.threads.begin(), trace_.threads.end(),
        [&](const LongThread & thread) { return valid_utf8(thread.executor) == name; });
      executor.type = threads > 1 ? "multi_threaded_executor" : "single_threaded_executor";
    }
    return executor;
  }

  void add_publisher(const FoundPublisher & found)
  {
    CtfPublisher & publisher = process_.publishers.emplace_back();
    publisher.handle = handles_.next();
    publisher.rmw = handles_.next();
    const auto node = process_.nodes.find(valid_utf8(found.node));
    publisher.node = node == process_.nodes.end() ? 0 : node->second.handle;
    publisher.gid = found.gid != 0 ? static_cast<std::uint64_t>(found.gid) : publisher.rmw;
    publisher.topic = name_at(process_.topics, found.topic, "topic");
  }

  void add_chains()
  {
    for (std::uint32_t i = 0; i < trace_.chains.size(); ++i) {
      const TracedChain & traced = trace_.chains[i];
      CtfChain & chain = process_.chains[i];
      chain = {handles_.next(), valid_utf8(traced.name), {}};
      for (const std::string & callback : traced.path) {
        chain.path += (chain.path.empty() ? "" : " -> ") + valid_utf8(callback);
      }
    }
    for (const ThreadView & view : process_.threads) {
      for (const Record & record : view.thread->records) {
        if (record.kind == RecordKind::chain_end) {
          CtfChain & chain = process_.chains[record.id];
          if (chain.handle == 0) {
            chain = {handles_.next(), "chain " + std::to_string(record.id), {}};
          }
        }
      }
    }
  }

  const LongTrace & trace_;
  const std::size_t number_;
  const Messages & messages_;
  Handles & handles_;
  DescribedProcess process_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> groups_;  // by executor, name
};

}  // namespace

DescribedProcess describe(
  const LongTrace & trace, std::size_t number, const Messages & messages, Handles & handles)
{
  return Describer(trace, number, messages, handles).describe();
}

}  // namespace takt_trace::detail
