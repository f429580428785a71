#include <algorithm>
#include <bit>
#include <initializer_list>

#include "process_stream.hpp"
#include "stalls/host_stalls.hpp"
#include "texts.hpp"

namespace takt_trace::detail
{
namespace
{

class RecordWriter
{
public:
  RecordWriter(
    const DescribedProcess & process, std::size_t number, std::size_t thread,
    const Messages & messages, StreamWriter & stream)
  : process_(process),
    view_(process.threads[thread]),
    records_(view_.thread->records),
    lanes_(process.lanes.of_record[thread]),
    publishers_(process.found.of_publish[thread]),
    messages_(messages.all()),
    next_message_(messages.first_of(number, thread)),
    stream_(stream)
  {
  }

  void write()
  {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      time_ = view_.times[i];
      write_record(i, records_[i]);
    }
  }

private:
  void write(Event event, std::initializer_list<Value> values)
  {
    stream_.write(event, time_, values);
  }

  void write_record(std::size_t index, const Record & record)
  {
    switch (record.kind) {
      case RecordKind::run_start:
        start_run(index, record);
        break;
      case RecordKind::run_end:
        end_run(index, record);
        break;
      case RecordKind::kernel_wait:
        kernel_wait(record);
        break;
      case RecordKind::empty_take:
        if (callback(record).kind == CallbackKind::subscription) {
          write(Event::rmw_take, {callback(record).rmw, 0, 0, false});
        }
        write(Event::empty_take, {callback(record).lanes.front()});
        break;
      case RecordKind::exception:
        write(Event::exception, {callback(record).lanes.front()});
        break;
      case RecordKind::take:
        take(index, record);
        break;
      case RecordKind::publish:
        publish(record);
        break;
      case RecordKind::chain_end: {
        const CtfChain & chain = process_.chains.at(record.id);
        write(Event::chain_end, {chain.handle, chain.name, record.a});
        break;
      }
      case RecordKind::span_begin:
        write(Event::span_begin, {name(record)});
        break;
      case RecordKind::span_end:
        write(Event::span_end, {});
        break;
      case RecordKind::instant:
        write(Event::instant, {name(record)});
        break;
      case RecordKind::counter:
        write(Event::counter, {name(record), std::bit_cast<double>(record.a)});
        break;
      case RecordKind::slice:
        write(Event::slice, {name(record), record.a, record.b});
        break;
      case RecordKind::callback_state:
        write(
          Event::callback_state, {callback(record).lanes.front(), record.a, record.b, record.c});
        break;
      case RecordKind::parked:
        write(Event::parked, {callback(record).lanes.front()});
        break;
      case RecordKind::host_stall:
        write(Event::host_stall, {record.id, record.a, record.b, is_throttled(record)});
        break;
    }
  }

  void start_run(std::size_t index, const Record & record)
  {
    const CtfCallback & one = callback(record);
    const std::uint64_t handle = one.lanes[lanes_[index]];
    pick(index);
    if (one.is_of_ros()) {
      write(Event::callback_start, {handle, false});
    }
    write(Event::run_start, {handle, record.a, record.b, skipped_periods(record), core_of(record)});
  }

  void end_run(std::size_t index, const Record & record)
  {
    const CtfCallback & one = callback(record);
    const std::uint64_t handle = one.lanes[lanes_[index]];
    // Readers would pair an end without a start with another start.
    if (one.is_of_ros() && view_.others[index] != kNoRecord) {
      write(Event::callback_end, {handle});
    }
    write(Event::run_end, {handle, record.a, record.b});
  }

  void kernel_wait(const Record & record)
  {
    const auto switches = static_cast<std::uint64_t>(record.c);
    write(
      Event::kernel_wait,
      {callback(record).lanes.front(), record.a, record.b, switches >> 32, switches & 0xffffffff});
  }

  /// An executor picks a run before it takes the run's message. The run_start has the core of both.
  void pick(std::size_t start)
  {
    if (picked_ == start) {
      return;
    }
    picked_ = start;
    const Record started = records_[start];
    stream_.on_core(core_of(started));
    const CtfCallback & one = callback(started);
    if (one.kind != CallbackKind::timer && one.kind != CallbackKind::subscription) {
      return;
    }
    const std::size_t end = view_.others[start];
    const std::int64_t picked = end == kNoRecord ? time_ : std::min(records_[end].a, time_);
    stream_.write(Event::rclcpp_executor_execute, picked, {one.handle});
  }

  void take(std::size_t index, const Record & record)
  {
    const CtfCallback & one = callback(record);
    const CtfMessage message = messages_[next_message_++];
    std::uint64_t handle = one.lanes.front();
    if (const std::size_t start = start_after(index); start < records_.size()) {
      if (records_[start].id == record.id) {
        pick(start);
        handle = one.lanes[lanes_[start]];
      }
    }
    if (one.kind == CallbackKind::subscription) {
      write(Event::rmw_take, {one.rmw, message.handle, message.source_time, true});
      write(Event::rcl_take, {message.handle});
      write(Event::rclcpp_take, {message.handle});
    }
    write(Event::take, {handle, message.handle, message.published, record.a, record.b, record.c});
  }

  /// The next run_start on the thread.
  std::size_t start_after(std::size_t index)
  {
    if (next_start_ <= index) {
      const auto from = records_.begin() + static_cast<std::ptrdiff_t>(index) + 1;
      const auto found = std::find_if(from, records_.end(), [](const Record & record) {
        return record.kind == RecordKind::run_start;
      });
      next_start_ = found.index();
    }
    return next_start_;
  }

  void publish(const Record & record)
  {
    const CtfPublisher & publisher = process_.publishers[publishers_[next_publish_++]];
    const CtfMessage message = messages_[next_message_++];
    write(Event::rclcpp_publish, {message.handle});
    write(Event::rcl_publish, {publisher.handle, message.handle});
    write(Event::rmw_publish, {publisher.rmw, message.handle, message.source_time});
    write(Event::dds_write, {publisher.rmw, message.handle, message.source_time});
    write(Event::dds_bind_addr_to_stamp, {message.handle, message.source_time});
    write(Event::publish, {message.handle, publisher.topic, record.a, record.b, record.c});
  }

  const CtfCallback & callback(const Record & record) const
  {
    return process_.callbacks.at(record.id);
  }

  std::string name(const Record & record) const
  {
    return name_at(process_.names, record.id, "name");
  }

  const DescribedProcess & process_;
  const ThreadView & view_;
  const LongVector<Record> & records_;
  const LongVector<std::uint32_t> & lanes_;
  const LongVector<std::size_t> & publishers_;
  const LongVector<CtfMessage> & messages_;
  std::size_t next_message_;
  std::size_t next_publish_ = 0;  // of the thread
  StreamWriter & stream_;
  std::int64_t time_ = 0;
  std::size_t picked_ = kNoRecord;  // the run_start of the last run
  std::size_t next_start_ = 0;
};

}  // namespace

void write_records(
  const DescribedProcess & process, std::size_t number, std::size_t thread,
  const Messages & messages, StreamWriter & stream)
{
  RecordWriter(process, number, thread, messages, stream).write();
}

}  // namespace takt_trace::detail
