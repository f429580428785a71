#include "takt_trace/trace_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "takt_trace/chain_flow.hpp"

namespace takt_trace
{
namespace
{

using nlohmann::json;
using takt_rt::Faults;
using takt_rt::Result;

constexpr std::string_view kMagic = "TAKTTRC2";
constexpr std::string_view kFirstMagic = "TAKTTRC1";
constexpr std::uint32_t kNamesChunk = 1;
constexpr std::uint32_t kRecordsChunk = 2;
constexpr std::uint32_t kProcessChunk = 3;
constexpr std::size_t kChunkHead = 8;
constexpr std::uint32_t kMostNames = 256U << 20U;
constexpr std::size_t kRecordBytes = 40;
constexpr std::size_t kRecordsHead = 16;

template <typename Number>
void append(std::string & bytes, Number number)
{
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff));
  }
}

template <typename Number>
Number number_at(const std::string & bytes, std::size_t at)
{
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return static_cast<Number>(number);
}

std::string chunk(std::uint32_t type, const std::string & content)
{
  std::string bytes;
  append(bytes, type);
  append(bytes, static_cast<std::uint32_t>(content.size()));
  return bytes + content;
}

json callback_json(const TracedCallback & one)
{
  return {
    {"id", one.id},
    {"kind", one.kind},
    {"group", one.group},
    {"executor", one.executor},
    {"exclusive", one.exclusive}};
}

json chain_json(const TracedChain & one)
{
  return {
    {"name", one.name}, {"priority", one.priority}, {"deadline", one.deadline}, {"path", one.path}};
}

template <typename Thread>
json thread_json(const Thread & one)
{
  return {{"tid", one.tid}, {"name", one.name}, {"executor", one.executor}};
}

json clock_json(const RealtimeClock & clock)
{
  return {
    {"synchronised", clock.synchronised},
    {"max_error", clock.max_error},
    {"estimated_error", clock.estimated_error}};
}

/// The values of an object. A value of another kind counts as absent.
class Fields
{
public:
  explicit Fields(const json & object) : object_(object) {}

  std::string text(const char * key) const
  {
    const json * const value = find(key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  }
  std::int64_t number(const char * key, std::int64_t otherwise = 0) const
  {
    const json * const value = find(key);
    return value != nullptr && value->is_number_integer() ? value->get<std::int64_t>() : otherwise;
  }
  bool flag(const char * key, bool otherwise) const
  {
    const json * const value = find(key);
    return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
  }
  /// Null: no such object.
  const json * object(const char * key) const
  {
    const json * const value = find(key);
    return value != nullptr && value->is_object() ? value : nullptr;
  }
  template <typename Visit>
  void each(const char * key, const Visit & visit) const
  {
    if (const json * const value = find(key); value != nullptr && value->is_array()) {
      for (const json & one : *value) {
        visit(one);
      }
    }
  }

private:
  const json * find(const char * key) const
  {
    const auto found = object_.is_object() ? object_.find(key) : object_.end();
    return object_.is_object() && found != object_.end() ? &*found : nullptr;
  }

  const json & object_;
};

void add_texts(const Fields & from, const char * key, std::vector<std::string> & into)
{
  from.each(key, [&](const json & one) {
    into.push_back(one.is_string() ? one.get<std::string>() : std::string());
  });
}

void add_names(const json & object, LongTrace & trace)
{
  const Fields fields(object);
  trace.pid = fields.number("pid", trace.pid);
  trace.program = fields.text("program");
  trace.host = fields.text("host");
  trace.to_realtime = fields.number("to_realtime");
  trace.to_boottime = fields.number("to_boottime");
  if (const json * const clock = fields.object("realtime_clock")) {
    const Fields own(*clock);
    trace.realtime_clock = {
      own.flag("synchronised", false), own.number("max_error"), own.number("estimated_error")};
  }
  trace.began = fields.number("began");
  trace.ended = fields.number("ended");
  trace.witnessed = fields.flag("witnessed", false);
  fields.each("callbacks", [&](const json & one) {
    const Fields own(one);
    TracedCallback callback{
      own.text("id"), own.text("kind"), own.text("group"), own.text("executor")};
    callback.exclusive = own.flag("exclusive", true);
    trace.callbacks.push_back(std::move(callback));
  });
  fields.each("chains", [&](const json & one) {
    const Fields own(one);
    TracedChain chain;
    chain.name = own.text("name");
    chain.priority = static_cast<int>(own.number("priority"));
    chain.deadline = own.number("deadline");
    add_texts(own, "path", chain.path);
    trace.chains.push_back(std::move(chain));
  });
  add_texts(fields, "topics", trace.topics);
  add_texts(fields, "names", trace.names);
  fields.each("threads", [&](const json & one) {
    const Fields own(one);
    LongThread & thread = trace.threads.emplace_back();
    thread.tid = own.number("tid");
    thread.name = own.text("name");
    thread.executor = own.text("executor");
  });
}

bool is_kind(std::uint32_t kind)
{
  return kind >= 1 && kind <= kMostRecordKind;
}

/// Reads a trace piece by piece, so that chunks of unknown types and holes in a file take no
/// memory.
class Reader
{
public:
  /// `size`: nothing for a pipe.
  Reader(std::istream & in, std::optional<std::uint64_t> size)
  : in_(in),
    seeks_(size.has_value()),
    left_(size.value_or(std::numeric_limits<std::uint64_t>::max()))
  {
  }

  std::uint64_t at() const noexcept { return at_; }
  std::uint64_t left() const noexcept { return left_; }
  const std::string & bytes() const noexcept { return bytes_; }

  /// Reads the next `count` bytes. False: there are fewer.
  bool read(std::size_t count)
  {
    if (count > left_) {
      return false;
    }
    bytes_.resize(count);
    in_.read(bytes_.data(), static_cast<std::streamsize>(count));
    at_ += count;
    left_ -= count;
    return in_.gcount() == static_cast<std::streamsize>(count);
  }
  void skip(std::uint64_t count)
  {
    const auto offset = static_cast<std::streamoff>(count);
    seeks_ ? in_.seekg(offset, std::ios::cur) : in_.ignore(offset);
    at_ += count;
    left_ -= count;
  }

private:
  std::istream & in_;
  const bool seeks_;
  std::uint64_t at_ = 0;
  std::uint64_t left_;
  std::string bytes_;
};

/// Adds records to one thread.
class ThreadFiller
{
public:
  void add(LongThread & thread, Record record)
  {
    LongVector<Record> & records = thread.records;
    if (record.kind == RecordKind::run_start) {
      name_takers(records, record.id);
    } else if (
      record.kind == RecordKind::run_end || record.kind == RecordKind::empty_take ||
      record.kind == RecordKind::exception) {
      first_take_.reset();  // the start of its run is lost
    } else if (record.kind == RecordKind::take && record.id == UINT32_MAX && !first_take_) {
      first_take_ = records.size();
    }
    records.push_back(record);
  }

  /// Removes the records from `size` on.
  void cut(LongThread & thread, std::size_t size)
  {
    while (thread.records.size() > size) {
      thread.records.pop_back();
    }
  }

private:
  /// A take is recorded before its run, which is the next one to start on the thread.
  void name_takers(LongVector<Record> & records, std::uint32_t callback)
  {
    for (std::size_t i = first_take_.value_or(records.size()); i < records.size(); ++i) {
      Record record = records[i];
      if (record.kind == RecordKind::take && record.id == UINT32_MAX) {
        record.id = callback;
        records.set(i, record);
      }
    }
    first_take_.reset();
  }

  std::optional<std::size_t> first_take_;  // for the run that starts next
};

/// Returns no value if the file ends within the chunk, which is then ignored; an empty text if it
/// succeeds; otherwise a fault. `length`: of the chunk, whose content follows.
std::optional<std::string> add_records(
  Reader & reader, std::size_t length, LongTrace & trace, std::vector<ThreadFiller> & fillers)
{
  if (length < kRecordsHead || (length - kRecordsHead) % kRecordBytes != 0) {
    return "a chunk of records has " + std::to_string(length) + " bytes";
  }
  if (!reader.read(kRecordsHead)) {
    return std::nullopt;
  }
  const auto number = number_at<std::uint32_t>(reader.bytes(), 0);
  if (number >= trace.threads.size()) {
    return "records are of thread " + std::to_string(number) + ", which nothing names";
  }
  LongThread & thread = trace.threads[number];
  fillers.resize(trace.threads.size());
  const std::size_t before = thread.records.size();
  const auto dropped = number_at<std::uint64_t>(reader.bytes(), 8);
  constexpr std::size_t kPiece = 10'000 * kRecordBytes;
  for (std::size_t left = length - kRecordsHead; left > 0;) {
    const std::size_t piece = std::min(left, kPiece);
    left -= piece;
    if (!reader.read(piece)) {
      fillers[number].cut(thread, before);
      return std::nullopt;
    }
    const std::string & bytes = reader.bytes();
    for (std::size_t at = 0; at < piece; at += kRecordBytes) {
      const auto kind = number_at<std::uint32_t>(bytes, at + 12);
      if (is_kind(kind)) {
        fillers[number].add(
          thread,
          {number_at<std::int64_t>(bytes, at), static_cast<RecordKind>(kind),
           number_at<std::uint32_t>(bytes, at + 8), number_at<std::int64_t>(bytes, at + 16),
           number_at<std::int64_t>(bytes, at + 24), number_at<std::int64_t>(bytes, at + 32)});
      }
    }
  }
  thread.dropped = dropped;
  return std::string();
}

Faults no_trace(const std::string & why, std::uint64_t at)
{
  return {"this is no trace of takt: at byte " + std::to_string(at) + " " + why};
}

// A chain whose values changed occurs again: keeps one chain with the last values.
void merge_chains(LongTrace & trace)
{
  std::map<std::pair<std::string, std::vector<std::string>>, std::uint32_t> places;
  std::vector<TracedChain> chains;
  std::vector<std::uint32_t> place_of;
  for (TracedChain & chain : trace.chains) {
    const auto [known, is_new] =
      places.try_emplace({chain.name, chain.path}, static_cast<std::uint32_t>(chains.size()));
    place_of.push_back(known->second);
    if (is_new) {
      chains.push_back(std::move(chain));
    } else {
      chains[known->second] = std::move(chain);
    }
  }
  if (chains.size() != trace.chains.size()) {
    for (LongThread & thread : trace.threads) {
      for (std::size_t i = 0; i < thread.records.size(); ++i) {
        Record record = thread.records[i];
        if (record.kind == RecordKind::chain_end && record.id < place_of.size()) {
          record.id = place_of[record.id];
          thread.records.set(i, record);
        }
      }
    }
  }
  trace.chains = std::move(chains);
}

}  // namespace

std::string TraceEncoder::header()
{
  return std::string(kMagic);
}

template <typename Trace>
std::string TraceEncoder::new_names(const Trace & trace)
{
  json content{
    {"pid", trace.pid},
    {"program", trace.program},
    {"host", trace.host},
    {"to_realtime", trace.to_realtime},
    {"to_boottime", trace.to_boottime},
    {"began", trace.began},
    {"ended", trace.ended}};
  if (trace.realtime_clock) {
    content["realtime_clock"] = clock_json(*trace.realtime_clock);
  }
  if (trace.witnessed) {
    content["witnessed"] = true;
  }
  const std::string facts = content.dump(-1, ' ', false, json::error_handler_t::replace);
  const auto add = [&](
                     const char * key, const auto & all, std::size_t & told, const auto & as_json) {
    for (; told < all.size(); ++told) {
      content[key].push_back(as_json(all[told]));
    }
  };
  const auto text = [](const std::string & one) { return json(one); };
  add("callbacks", trace.callbacks, callbacks_, callback_json);
  add("chains", trace.chains, chains_, chain_json);
  add("topics", trace.topics, topics_, text);
  add("names", trace.names, names_, text);
  add("threads", trace.threads, threads_, [](const auto & one) { return thread_json(one); });
  const std::string told = content.dump(-1, ' ', false, json::error_handler_t::replace);
  const bool is_new = told != facts || facts != facts_;
  facts_ = facts;
  return is_new ? chunk(kNamesChunk, told) : std::string();
}

std::string TraceEncoder::names(const ProcessTrace & trace)
{
  return new_names(trace);
}

std::string TraceEncoder::names(const LongTrace & trace)
{
  return new_names(trace);
}

std::string TraceEncoder::records(
  std::uint32_t thread, std::uint64_t dropped, std::span<const Record> records)
{
  std::string content;
  content.reserve(kRecordsHead + kRecordBytes * records.size());
  append(content, thread);
  append(content, std::uint32_t{0});
  append(content, dropped);
  for (const Record & record : records) {
    append(content, record.time);
    append(content, record.id);
    append(content, std::uint32_t{static_cast<std::uint8_t>(record.kind)});
    append(content, record.a);
    append(content, record.b);
    append(content, record.c);
  }
  return chunk(kRecordsChunk, content);
}

std::string TraceEncoder::next_process()
{
  return chunk(kProcessChunk, {});
}

void write_traces(
  const std::vector<LongTrace> & processes, std::ostream & out, std::size_t chunk_records)
{
  out << TraceEncoder::header();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    TraceEncoder encoder;
    out << (i == 0 ? std::string() : TraceEncoder::next_process());
    out << encoder.names(processes[i]);
    for (std::uint32_t thread = 0; thread < processes[i].threads.size(); ++thread) {
      const LongThread & one = processes[i].threads[thread];
      std::size_t next = 0;
      do {  // a thread without records has a chunk, too, with its number of dropped records
        std::vector<Record> piece;
        for (; piece.size() < chunk_records && next < one.records.size(); ++next) {
          piece.push_back(one.records[next]);
        }
        out << TraceEncoder::records(thread, one.dropped, piece);
      } while (next < one.records.size() && out);
    }
  }
}

void write_traces(
  const std::vector<ProcessTrace> & processes, std::ostream & out, std::size_t chunk_records)
{
  write_traces(borrowed(processes), out, chunk_records);
}

std::string encode_traces(const std::vector<ProcessTrace> & processes)
{
  std::ostringstream out;
  write_traces(processes, out);
  return std::move(out).str();
}

namespace
{

Result<std::vector<LongTrace>> decode(std::istream & in, std::optional<std::uint64_t> size)
{
  Reader reader(in, size);
  if (!reader.read(kMagic.size()) || (reader.bytes() != kMagic && reader.bytes() != kFirstMagic)) {
    return no_trace("it does not begin with " + std::string(kMagic), 0);
  }
  std::vector<LongTrace> traces(1);
  std::vector<ThreadFiller> fillers;  // for the last of the traces, by thread
  while (reader.read(kChunkHead)) {
    const auto type = number_at<std::uint32_t>(reader.bytes(), 0);
    const auto length = number_at<std::uint32_t>(reader.bytes(), 4);
    const std::uint64_t begin = reader.at();
    // The process ended while it wrote, or a hole begins: no chunk has the type 0.
    if (length > reader.left() || type == 0) {
      break;
    }
    if (type == kNamesChunk) {
      if (length > kMostNames) {
        return no_trace("a chunk of names has " + std::to_string(length) + " bytes", begin);
      }
      if (!reader.read(length)) {
        break;
      }
      const json content = json::parse(reader.bytes(), nullptr, false);
      if (!content.is_object()) {
        return no_trace("a chunk of names is no JSON object", begin);
      }
      add_names(content, traces.back());
    } else if (type == kRecordsChunk) {
      const auto wrong = add_records(reader, length, traces.back(), fillers);
      if (!wrong) {
        break;
      }
      if (!wrong->empty()) {
        return no_trace(*wrong, begin);
      }
    } else {
      if (type == kProcessChunk) {
        traces.emplace_back();
        fillers.clear();
      }
      reader.skip(length);
    }
  }
  for (LongTrace & trace : traces) {
    merge_chains(trace);
    keep_first_ends(trace);
  }
  return traces;
}

}  // namespace

Result<std::vector<ProcessTrace>> decode_traces(const std::string & bytes)
{
  std::istringstream in(bytes);
  const auto traces = decode(in, bytes.size());
  if (!traces) {
    return traces.faults();
  }
  return in_memory(*traces);
}

Result<std::vector<LongTrace>> read_long_traces(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Faults{path + " cannot be read: " + std::strerror(errno)};
  }
  std::error_code error;
  std::optional<std::uint64_t> size;
  if (std::filesystem::is_regular_file(path, error)) {
    size = std::filesystem::file_size(path, error);
  }
  auto traces = decode(file, size);
  if (!traces) {
    Faults faults;
    for (const auto & fault : traces.faults()) {
      faults.push_back(takt_rt::within(path, fault));
    }
    return faults;
  }
  return traces;
}

Result<std::vector<ProcessTrace>> read_traces(const std::string & path)
{
  const auto traces = read_long_traces(path);
  if (!traces) {
    return traces.faults();
  }
  return in_memory(*traces);
}

}  // namespace takt_trace
