#include "recording/recorder.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "flow/clocks.hpp"
#include "takt_control/control_server.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_trace::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Status;

constexpr std::chrono::milliseconds kDrain{20};
constexpr std::uint32_t kMostRecordings = UINT32_MAX;
// Small, because many cores may have a witness, and each sees few stalls.
constexpr std::size_t kMostStalls = RecordingOptions::kLeastRecords;

std::int64_t clock_ns(clockid_t clock)
{
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string host_name()
{
  std::string name(256, '\0');
  ::gethostname(name.data(), name.size() - 1);
  name.resize(std::strlen(name.c_str()));
  return name;
}

bool names_a_literal(RecordKind kind)
{
  return kind == RecordKind::span_begin || kind == RecordKind::instant ||
         kind == RecordKind::counter || kind == RecordKind::slice;
}

// Set at the first record of a thread, and by `prepare_thread`. Its destructor notifies the
// recorder.
struct OwnThreadRing
{
  ThreadRing * ring = nullptr;
  ~OwnThreadRing();
};
thread_local ThreadRing * t_ring = nullptr;
thread_local OwnThreadRing t_own;
// `t_own` is destroyed; later events of this thread are not recorded
thread_local bool t_over = false;

OwnThreadRing::~OwnThreadRing()
{
  t_ring = nullptr;
  t_over = true;
  if (ring != nullptr) {
    ring->ended.store(true, std::memory_order_release);
  }
}

// True while the calling thread makes its ring. The guard may record that the ring's memory is
// allocated, on the same thread and with the recorder's mutex held.
thread_local bool t_making_ring = false;

ThreadRing & own_ring(const std::string & executor, std::size_t most_records = SIZE_MAX)
{
  if (t_ring == nullptr) {
    struct Making
    {
      Making() { t_making_ring = true; }
      ~Making() { t_making_ring = false; }
    };
    const Making making;
    t_ring = t_own.ring = &Recorder::instance().add_thread_ring(executor, most_records);
  }
  return *t_ring;
}

/// Null: it could not start; `warnings` has the reason.
std::unique_ptr<StallWitness> start_witness(Faults & warnings)
{
  constexpr const char * kMissing = "stalls of the host are not witnessed";
  try {
    auto witness = std::make_unique<StallWitness>(takt_rt::usable_cores(), record_stall);
    if (!witness->blind()) {
      return witness;
    }
    warnings.push_back(within(kMissing, *witness->blind()));
  } catch (const std::system_error & error) {  // the process may not have more threads
    warnings.push_back(takt_rt::within(kMissing, error.code().message()));
  }
  return nullptr;
}

Faults goes_on(Faults faults)
{
  for (takt_rt::Fault & fault : faults) {
    fault.text += "; the recording goes on";
  }
  return faults;
}

/// Null: no memory for a ring, so this thread is not recorded.
ThreadRing * known_ring(std::size_t most_records = SIZE_MAX) noexcept
{
  if (t_making_ring) {
    return nullptr;
  }
  try {
    return t_ring != nullptr ? t_ring : &own_ring({}, most_records);
  } catch (const std::exception &) {
    return nullptr;
  }
}

}  // namespace

void record(const Record & record) noexcept
{
  Recorder & recorder = Recorder::instance();
  if (!recorder.on() || t_over) {
    return;
  }
  if (ThreadRing * const ring = known_ring()) {
    recorder.store(*ring, record);
  }
}

void record_stall(const Stall & stall) noexcept
{
  Recorder & recorder = Recorder::instance();
  if (!recorder.on() || t_over) {
    return;
  }
  if (ThreadRing * const ring = known_ring(kMostStalls)) {
    const bool throttled = stall.source == Stall::Source::throttled;
    const auto core = static_cast<std::uint32_t>(stall.core);
    const std::int64_t end = takt_rt::to_ns(stall.end);
    recorder.store(
      *ring, {end, RecordKind::host_stall, core, takt_rt::to_ns(stall.certain_from), end,
              throttled ? 1 : 0});
  }
}

void prepare_thread(const std::string & executor)
{
  own_ring(executor);
}

Recorder & Recorder::instance()
{
  static auto * const only = [] {
    static auto * const made = new Recorder;
    ::pthread_atfork(
      [] { made->before_fork(); }, [] { made->after_fork(); }, [] { made->in_child(); });
    return made;
  }();
  return *only;
}

void Recorder::store(ThreadRing & own, const Record & record) noexcept
{
  if (Ring * const ring = own.ring.load(std::memory_order_acquire)) {
    ring->push(record, overwrite_.load(std::memory_order_relaxed));
  }
}

ThreadRing & Recorder::add_thread_ring(const std::string & executor, std::size_t most_records)
{
  const std::lock_guard lock(mutex_);
  forget_ended();
  rings_.push_back(std::make_unique<ThreadRing>());
  ThreadRing & own = *rings_.back();
  own.tid = ::gettid();
  own.executor = executor;
  own.most_records = most_records;
  own.name = takt_rt::read_attributes().name;
  if (on()) {
    give_ring(own);
  }
  return own;
}

// Frees rings of ended threads: after a drain at once, in a flight recorder when the records are
// too old. Call it with `mutex_` held.
void Recorder::forget_ended()
{
  const bool flight = on() && options_.last;
  const std::int64_t from = flight ? takt_rt::to_ns(takt_rt::now()) - options_.last->count() : 0;
  std::erase_if(rings_, [&](const auto & own) {
    const Ring * const ring = own->ring.load();
    return own->ended.load(std::memory_order_acquire) &&
           (!on() || ring == nullptr || (flight && ring->newest().time < from));
  });
}

// Rings only grow, so all rings of a thread together are below twice the largest.
void Recorder::give_ring(ThreadRing & own)
{
  const std::size_t records = std::min(options_.records, own.most_records);
  if (own.rings.empty() || own.rings.back()->capacity() < records) {
    own.rings.push_back(std::make_unique<Ring>(records));
  }
  own.rings.back()->forget();
  own.number = UINT32_MAX;
  own.ring.store(own.rings.back().get(), std::memory_order_release);
}

std::uint32_t Recorder::add_callback(TracedCallback callback)
{
  const std::lock_guard lock(mutex_);
  auto & all = facts_.callbacks;
  const auto known = std::find_if(all.begin(), all.end(), [&](const TracedCallback & one) {
    return one.id == callback.id && one.executor == callback.executor &&
           one.group == callback.group && one.kind == callback.kind;
  });
  if (known != all.end()) {
    return static_cast<std::uint32_t>(known - all.begin());
  }
  all.push_back(std::move(callback));
  return static_cast<std::uint32_t>(all.size() - 1);
}

std::uint32_t Recorder::add_chain(TracedChain chain)
{
  const std::lock_guard lock(mutex_);
  auto & all = facts_.chains;
  // Readers take the last values of a name and path, so values that return are recorded again.
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const TracedChain & one) {
    return one.name == chain.name && one.path == chain.path;
  });
  // If the running recording has written the last values, append new ones. Otherwise replace them,
  // so that changes do not pile up.
  if (
    last != all.rend() &&
    (!on() || (last->deadline == chain.deadline && last->priority == chain.priority))) {
    *last = std::move(chain);
    return static_cast<std::uint32_t>(all.rend() - last - 1);
  }
  all.push_back(std::move(chain));
  return static_cast<std::uint32_t>(all.size() - 1);
}

Result<RecordingStart> Recorder::start(const RecordingOptions & options)
{
  const std::lock_guard lifecycle(lifecycle_);
  if (on()) {
    return Faults{"this process records a trace already; end it with takt trace stop"};
  }
  const std::size_t least = RecordingOptions::kLeastRecords, most = RecordingOptions::kMostRecords;
  if (options.records < least || options.records > most) {
    return Faults{
      "a ring holds " + std::to_string(least) + " to " + std::to_string(most) +
      " records, and not " + std::to_string(options.records)};
  }
  if (options.last && *options.last <= takt_rt::Duration::zero()) {
    return Faults{"the flight recorder keeps a time above zero"};
  }
  RecordingStart begun;
  auto witness = options.stalls ? start_witness(begun.warnings) : nullptr;
  const takt_core::RunCostsWanted::Costs costs{options.cpu_times, options.kernel};
  // Before the lock: it locks a mutex of its own, which a fork locks, too.
  auto wanted = std::make_unique<takt_core::RunCostsWanted>(costs);
  const std::lock_guard lock(mutex_);
  options_ = options;
  std::error_code error;
  facts_.pid = ::getpid();
  facts_.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  facts_.host = host_name();
  facts_.to_realtime = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
  facts_.to_boottime = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
  facts_.realtime_clock = realtime_clock();
  facts_.ended = 0;
  facts_.witnessed = witness != nullptr;
  facts_.threads.clear();
  encoder_ = TraceEncoder();
  written_ = {};
  dropped_of_ended_ = 0;
  failed_ = Status();
  forget_ended();
  for (const auto & own : rings_) {
    give_ring(*own);
  }
  if (!options.last) {
    auto path = new_file(file_);
    if (!path) {
      return path.faults();
    }
    path_ = std::move(*path);
  }
  end_ = false;
  recordings_ = recordings_ % kMostRecordings + 1;
  costs_.store(costs, std::memory_order_relaxed);
  overwrite_.store(options.last.has_value(), std::memory_order_relaxed);
  if (!options.last) {
    thread_ = std::make_unique<std::thread>([this] { drain_until_told(); });
  }
  facts_.began = takt_rt::to_ns(takt_rt::now());
  witness_ = std::move(witness);
  wanted_ = std::move(wanted);
  number_.store(recordings_, std::memory_order_release);
  begun.threads = rings_.size();
  return begun;
}

Result<RecordingFile> Recorder::stop()
{
  const std::lock_guard lifecycle(lifecycle_);
  if (!on()) {
    return Faults{"this process records no trace; begin one with takt trace start"};
  }
  return options_.last ? stop_flight() : stop_file();
}

Result<RecordingFile> Recorder::stop_file()
{
  witness_.reset();  // while recording, so that it still reports a stall in progress
  std::int64_t ended = 0;
  {
    const std::lock_guard lock(mutex_);
    ended = takt_rt::to_ns(takt_rt::now());  // the recording is complete until here
    number_.store(0, std::memory_order_release);
    costs_.store({}, std::memory_order_relaxed);
    wanted_.reset();
    end_ = true;
  }
  told_.notify_all();
  if (const auto thread = std::move(thread_)) {
    thread->join();
  }
  const std::lock_guard io(io_);
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    facts_.ended = ended;
    bytes = drained();
    std::vector<Record> none;
    bytes += named(none);  // records the time of the end
  }
  append(bytes);
  ::close(std::exchange(file_, -1));
  return RecordingFile{path_, written_.records, written_.dropped, failed_.faults()};
}

// The records are only in memory until this call: if they cannot be written, the recording goes on.
Result<RecordingFile> Recorder::stop_flight()
{
  const std::lock_guard io(io_);
  int file = -1;
  {
    const std::lock_guard lock(mutex_);
    auto path = new_file(file);
    if (!path) {
      return goes_on(path.faults());
    }
    path_ = std::move(*path);
  }
  const bool witnessed = witness_ != nullptr;
  witness_.reset();
  const std::uint32_t recording = number();
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    facts_.ended = takt_rt::to_ns(takt_rt::now());
    number_.store(0, std::memory_order_release);
    bytes = last_ones();
  }
  const Status status = write(file, path_, bytes);
  ::close(file);
  if (status.ok()) {
    costs_.store({}, std::memory_order_relaxed);
    wanted_.reset();
    return RecordingFile{path_, written_.records, written_.dropped, {}};
  }
  ::unlink(path_.c_str());
  Faults unseen;
  witness_ = witnessed ? start_witness(unseen) : nullptr;
  const std::lock_guard lock(mutex_);
  facts_.ended = 0;
  number_.store(recording, std::memory_order_release);
  for (const auto & own : rings_) {  // for threads that were added meanwhile
    if (own->ring.load() == nullptr) {
      give_ring(*own);
    }
  }
  return goes_on(status.faults());
}

Result<RecordingFile> Recorder::snapshot()
{
  const std::lock_guard lifecycle(lifecycle_);
  const std::lock_guard io(io_);
  int file = -1;
  std::string path;
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    if (!on()) {
      return Faults{"this process records no trace; begin one with takt trace start"};
    }
    auto made = new_file(file);
    if (!made) {
      return goes_on(made.faults());
    }
    path = std::move(*made);
    bytes = options_.last ? last_ones() : drained();
  }
  Status status;
  if (!options_.last) {
    append(bytes);
    status = failed_;
    std::error_code error;
    if (status.ok()) {
      std::filesystem::copy_file(
        path_, path, std::filesystem::copy_options::overwrite_existing, error);
    }
    if (error) {
      status = Faults{"cannot copy the trace to " + path + ": " + error.message()};
    }
  } else {
    status = write(file, path, bytes);
  }
  ::close(file);
  if (!status.ok()) {
    ::unlink(path.c_str());
    return options_.last ? goes_on(status.faults()) : status.faults();
  }
  return RecordingFile{path, written_.records, written_.dropped, {}};
}

// Runs on an ordinary thread.
void Recorder::drain_until_told()
{
  takt_rt::ThreadAttributes attributes;
  attributes.name = "takt_trace";
  attributes.policy = takt_rt::Policy::other;
  static_cast<void>(takt_rt::apply(attributes));
  for (;;) {
    std::string bytes;
    {
      std::unique_lock lock(mutex_);
      if (told_.wait_for(lock, kDrain, [this] { return end_; })) {
        return;
      }
    }
    const std::lock_guard io(io_);
    {
      const std::lock_guard lock(mutex_);
      bytes = drained();
    }
    append(bytes);
  }
}

// Appends to the file of the recording. After a failure nothing more is written, so the file ends
// with the last whole part.
void Recorder::append(const std::string & bytes)
{
  if (!failed_.ok()) {
    return;
  }
  const off_t whole = ::lseek(file_, 0, SEEK_CUR);
  failed_ = write(file_, path_, bytes);
  if (!failed_.ok() && whole >= 0) {
    static_cast<void>(::ftruncate(file_, whole));
  }
}

// Other threads may record and drain meanwhile. Does not wait for locks that are held while a file
// is written.
void Recorder::before_fork()
{
  mutex_.lock();
  topics_.before_fork();
}

void Recorder::after_fork()
{
  topics_.after_fork();
  mutex_.unlock();
}

// A child has no draining thread, and the file belongs to its parent.
void Recorder::in_child()
{
  std::construct_at(&lifecycle_);
  std::construct_at(&io_);
  std::construct_at(&told_);
  std::construct_at(&failed_);
  number_.store(0);
  costs_.store({});
  wanted_.reset();
  static_cast<void>(thread_.release());  // the thread is the parent's
  static_cast<void>(witness_.release());
  after_fork();
}

// Call it with `mutex_` held.
std::string Recorder::drained()
{
  std::string bytes;
  std::vector<Record> records;
  for (const auto & own : rings_) {
    const bool ended = own->ended.load(std::memory_order_acquire);
    records.clear();
    if (Ring * const ring = own->ring.load()) {
      ring->take(records);
      written_.records += records.size();
    }
    if (!records.empty()) {
      add_thread(*own);
      bytes += named(records);
      bytes += TraceEncoder::records(own->number, own->rings.back()->dropped(), records);
    }
    if (ended) {
      dropped_of_ended_ += own->rings.empty() ? 0 : own->rings.back()->dropped();
      own->tid = 0;
    }
  }
  std::erase_if(rings_, [](const auto & own) { return own->tid == 0; });
  written_.dropped = dropped_of_ended_;
  for (const auto & own : rings_) {
    written_.dropped += own->rings.empty() ? 0 : own->rings.back()->dropped();
  }
  return bytes;
}

// Call it with `mutex_` held. Keeps ended threads as long as their records are recent.
std::string Recorder::last_ones()
{
  const std::int64_t now = takt_rt::to_ns(takt_rt::now());
  std::int64_t from = std::max(facts_.began, now - options_.last->count());
  std::vector<std::vector<Record>> all(rings_.size());
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const Ring * const ring = rings_[i]->ring.load();
    // A witness's short ring loses old stalls; do not cut executor threads to the same time.
    const bool is_short = rings_[i]->most_records < options_.records;
    if (ring != nullptr && ring->copy_last(all[i]) && !all[i].empty() && !is_short) {
      from = std::max(from, all[i].front().time);
    }
  }
  encoder_ = TraceEncoder();
  facts_.threads.clear();
  written_ = {};
  std::string bytes;
  const std::int64_t began = std::exchange(facts_.began, from);
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    std::erase_if(all[i], [&](const Record & record) { return record.time < from; });
    const bool old = rings_[i]->ended.load(std::memory_order_acquire) && all[i].empty();
    if (all[i].empty()) {
      rings_[i]->tid = old ? 0 : rings_[i]->tid;
      continue;
    }
    rings_[i]->number = UINT32_MAX;
    add_thread(*rings_[i]);
    written_.records += all[i].size();
    bytes += named(all[i]);
    bytes += TraceEncoder::records(rings_[i]->number, 0, all[i]);
  }
  std::vector<Record> none;
  bytes = TraceEncoder::header() + named(none) + bytes;
  facts_.began = began;
  std::erase_if(rings_, [](const auto & own) { return own->tid == 0; });
  return bytes;
}

// The names in the records, written before them. Call it with `mutex_` held.
std::string Recorder::named(std::vector<Record> & records)
{
  for (Record & record : records) {
    if (!names_a_literal(record.kind)) {
      continue;
    }
    const auto * const text = reinterpret_cast<const char *>(record.c);
    auto known = literals_.find(text);
    if (known == literals_.end()) {
      const auto next = static_cast<std::uint32_t>(facts_.names.size());
      const auto [name, is_new] = names_.try_emplace(text, next);
      if (is_new) {
        facts_.names.emplace_back(text);
      }
      known = literals_.emplace(text, name->second).first;
    }
    record.id = known->second;
    record.c = 0;
  }
  facts_.topics = topics_.names();
  return encoder_.names(facts_);
}

void Recorder::add_thread(ThreadRing & own)
{
  if (own.number != UINT32_MAX) {
    return;
  }
  own.number = static_cast<std::uint32_t>(facts_.threads.size());
  TracedThread thread;
  thread.tid = own.tid;
  thread.name = own.name;
  thread.executor = own.executor;
  facts_.threads.push_back(std::move(thread));
}

// Only this user can read it.
Result<std::string> Recorder::new_file(int & file)
{
  const std::string folder =
    options_.folder.empty() ? takt_control::runtime_folder() : options_.folder;
  for (;;) {
    const std::string path =
      folder + "/" + std::to_string(::getpid()) + "-" + std::to_string(++files_) + ".takttrace";
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
      if (!options_.last) {
        const Status begun = write(file, path, TraceEncoder::header());
        if (!begun.ok()) {
          ::close(std::exchange(file, -1));
          ::unlink(path.c_str());
          return begun.faults();
        }
      }
      return path;
    }
    if (errno != EEXIST) {
      return Faults{"cannot make the trace " + path + ": " + std::strerror(errno)};
    }
  }
}

Status Recorder::write(int file, const std::string & path, const std::string & bytes)
{
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return Faults{"cannot write the trace " + path + ": " + std::strerror(errno)};
    }
    done += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace takt_trace::detail
