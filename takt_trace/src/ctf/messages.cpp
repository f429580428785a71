#include "messages.hpp"

#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

const Record & record_at(const std::vector<ProcessTrace> & processes, const RecordPlace & place)
{
  return processes[place.process].threads[place.thread].records[place.record];
}

}  // namespace

Messages::Messages(const std::vector<ProcessTrace> & processes, Handles & handles)
{
  for (const ProcessTrace & process : processes) {
    auto & of_process = messages_.emplace_back();
    for (const TracedThread & thread : process.threads) {
      OfThread & of_thread = of_process.emplace_back();
      for (std::size_t i = 0; i < thread.records.size(); ++i) {
        const RecordKind kind = thread.records[i].kind;
        if (kind == RecordKind::publish || kind == RecordKind::take) {
          of_thread.emplace(i, CtfMessage{handles.next(), thread.records[i].c, 0});
        }
      }
    }
  }
  const MessageFlows flows = message_flows(processes);
  for (const MessageFlow & flow : flows.joined) {
    join(flow, processes);
  }
  for (std::size_t process = 0; process < processes.size(); ++process) {
    for (std::size_t thread = 0; thread < messages_[process].size(); ++thread) {
      for (auto & [index, message] : messages_[process][thread]) {
        const Record & record = processes[process].threads[thread].records[index];
        if (record.kind == RecordKind::publish && message.source_time == 0) {
          message.source_time = saturating_add(record.time, processes[process].to_realtime);
        }
      }
    }
  }
  for (const MessageFlow & flow : flows.joined) {
    if (CtfMessage & take = at(flow.take); take.source_time == 0) {
      take.source_time = at(flow.publish).source_time;
    }
  }
}

void Messages::join(const MessageFlow & flow, const std::vector<ProcessTrace> & processes)
{
  CtfMessage & publish = at(flow.publish);
  CtfMessage & take = at(flow.take);
  take.published = publish.handle;
  if (publish.source_time == 0) {
    publish.source_time = take.source_time;
  }
  const auto & topics = processes[flow.publish.process].topics;
  const std::uint32_t topic = record_at(processes, flow.publish).id;
  if (topic < topics.size()) {
    topics_.emplace(
      std::pair(flow.take.process, record_at(processes, flow.take).id), topics[topic]);
  }
}

CtfMessage & Messages::at(const RecordPlace & place)
{
  return messages_[place.process][place.thread].at(place.record);
}

const CtfMessage & Messages::at(const RecordPlace & place) const
{
  return messages_[place.process][place.thread].at(place.record);
}

std::string Messages::topic_of(std::size_t process, std::uint32_t callback) const
{
  const auto found = topics_.find({process, callback});
  return found == topics_.end() ? std::string() : found->second;
}

}  // namespace takt_trace::detail
