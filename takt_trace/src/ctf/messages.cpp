#include "messages.hpp"

#include <algorithm>

#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

Record record_at(const std::vector<LongTrace> & processes, const RecordPlace & place)
{
  return processes[place.process].threads[place.thread].records[place.record];
}

}  // namespace

Messages::Messages(const std::vector<LongTrace> & processes, Handles & handles)
{
  for (std::size_t process = 0; process < processes.size(); ++process) {
    auto & firsts = firsts_.emplace_back();
    for (std::size_t thread = 0; thread < processes[process].threads.size(); ++thread) {
      firsts.push_back(messages_.size());
      const auto & records = processes[process].threads[thread].records;
      for (std::size_t i = 0; i < records.size(); ++i) {
        const Record record = records[i];
        if (record.kind == RecordKind::publish || record.kind == RecordKind::take) {
          messages_.push_back({{process, thread, i}, handles.next(), record.c, 0});
        }
      }
    }
    firsts.push_back(messages_.size());
  }
  const MessageFlows flows = message_flows(processes);
  for (const MessageFlow flow : flows.joined) {
    join(flow, processes);
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    CtfMessage message = messages_[i];
    if (message.source_time == 0) {
      const Record record = record_at(processes, message.place);
      if (record.kind == RecordKind::publish) {
        message.source_time =
          saturating_add(record.time, processes[message.place.process].to_realtime);
        messages_.set(i, message);
      }
    }
  }
  for (const MessageFlow flow : flows.joined) {
    const std::size_t index = index_of(flow.take);
    if (CtfMessage take = messages_[index]; take.source_time == 0) {
      take.source_time = messages_[index_of(flow.publish)].source_time;
      messages_.set(index, take);
    }
  }
}

void Messages::join(const MessageFlow & flow, const std::vector<LongTrace> & processes)
{
  const std::size_t publish_index = index_of(flow.publish), take_index = index_of(flow.take);
  CtfMessage publish = messages_[publish_index];
  CtfMessage take = messages_[take_index];
  take.published = publish.handle;
  messages_.set(take_index, take);
  if (publish.source_time == 0 && take.source_time != 0) {
    publish.source_time = take.source_time;
    messages_.set(publish_index, publish);
  }
  const auto & topics = processes[flow.publish.process].topics;
  const std::uint32_t topic = record_at(processes, flow.publish).id;
  if (topic < topics.size()) {
    topics_.emplace(
      std::pair(flow.take.process, record_at(processes, flow.take).id), topics[topic]);
  }
}

std::size_t Messages::index_of(const RecordPlace & place) const
{
  const auto & firsts = firsts_[place.process];
  const auto begin = messages_.begin();
  const auto found = std::partition_point(
    begin + static_cast<std::ptrdiff_t>(firsts[place.thread]),
    begin + static_cast<std::ptrdiff_t>(firsts[place.thread + 1]),
    [&](const CtfMessage & one) { return one.place.record < place.record; });
  return found.index();
}

std::string Messages::topic_of(std::size_t process, std::uint32_t callback) const
{
  const auto found = topics_.find({process, callback});
  return found == topics_.end() ? std::string() : found->second;
}

}  // namespace takt_trace::detail
