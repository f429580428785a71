#include "ctf/ctf.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "described_process.hpp"
#include "messages.hpp"
#include "metadata.hpp"
#include "process_stream.hpp"
#include "stream_writer.hpp"
#include "takt_trace/recording.hpp"
#include "texts.hpp"

namespace takt_trace
{
namespace
{

using detail::Uuid;

/// Makes unique file names without characters that are special in a path or a shell.
class FileNames
{
public:
  std::string add(const std::string & wanted)
  {
    std::string name;
    for (const char letter : wanted) {
      const bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                            (letter >= 'a' && letter <= 'z') || letter == '-' || letter == '.';
      name += is_plain ? letter : '_';
    }
    if (name.empty() || name.front() == '.') {
      name.insert(0, 1, '_');  // readers skip hidden files
    }
    std::string unique = name.substr(0, kLongest);
    for (int number = 2; !names_.insert(unique).second; ++number) {
      unique = name.substr(0, kLongest) + "-" + std::to_string(number);
    }
    return unique;
  }

private:
  static constexpr std::size_t kLongest = 200;

  std::set<std::string> names_;
};

std::string program_name(const std::string & path)
{
  return detail::valid_utf8(path.substr(path.rfind('/') + 1));
}

/// Writes the trace of one host.
class HostWriter
{
public:
  HostWriter(
    std::string folder, const std::string & host, const std::vector<LongTrace> & processes,
    const std::vector<std::size_t> & of_host, const OpenCtfFile & open)
  : folder_(std::move(folder)),
    processes_(processes),
    of_host_(of_host),
    open_(open),
    uuid_(uuid(host))
  {
    const std::int64_t to_realtime = processes[of_host.front()].to_realtime;
    open_file("metadata") << detail::ctf_metadata(uuid_, detail::valid_utf8(host), to_realtime);
  }

  void write(const detail::Messages & messages, detail::Handles & handles)
  {
    for (const std::size_t number : of_host_) {
      const auto process = detail::describe(processes_[number], number, messages, handles);
      const std::int64_t pid = process.trace->pid;
      detail::StreamWriter description =
        stream(std::to_string(pid), pid, pid, program_name(process.trace->program), 0);
      detail::write_description(process, description);
      description.finish();
      for (std::size_t thread = 0; thread < process.threads.size(); ++thread) {
        const LongThread & traced = *process.threads[thread].thread;
        detail::StreamWriter records = stream(
          std::to_string(pid) + "_" + std::to_string(traced.tid), pid, traced.tid,
          detail::valid_utf8(traced.name), traced.dropped);
        detail::write_records(process, number, thread, messages, records);
        records.finish();
      }
    }
  }

private:
  /// Equal traces get equal ids.
  Uuid uuid(const std::string & host) const
  {
    std::string facts = host;
    for (const std::size_t number : of_host_) {
      const LongTrace & process = processes_[number];
      facts += " " + std::to_string(process.pid) + " " + std::to_string(process.began) + " " +
               std::to_string(process.ended) + " " + std::to_string(process.to_realtime);
    }
    Uuid result{};
    for (std::size_t half = 0; half < 2; ++half) {
      facts += '.';
      const auto hash = static_cast<std::uint64_t>(
        fold(reinterpret_cast<const std::uint8_t *>(facts.data()), facts.size()));
      for (std::size_t i = 0; i < 8; ++i) {
        result[8 * half + i] = static_cast<std::uint8_t>(hash >> (8 * i));
      }
    }
    result[6] = static_cast<std::uint8_t>((result[6] & 0x0f) | 0x80);  // version 8: custom
    result[8] = static_cast<std::uint8_t>((result[8] & 0x3f) | 0x80);
    return result;
  }

  detail::StreamWriter stream(
    const std::string & file, std::int64_t pid, std::int64_t tid, std::string name,
    std::uint64_t dropped)
  {
    return {
      {uuid_, streams_++, pid, tid, std::move(name), dropped},
      [this, file]() -> std::ostream & { return open_file(file); }};
  }

  std::ostream & open_file(const std::string & name)
  {
    return open_(folder_ + "/" + names_.add(name));
  }

  const std::string folder_;
  const std::vector<LongTrace> & processes_;
  const std::vector<std::size_t> & of_host_;
  const OpenCtfFile & open_;
  const Uuid uuid_;
  FileNames names_;
  std::uint64_t streams_ = 0;
};

}  // namespace

void write_ctf_trace(const std::vector<LongTrace> & processes, const OpenCtfFile & open)
{
  std::map<std::string, std::vector<std::size_t>> hosts;
  for (std::size_t number = 0; number < processes.size(); ++number) {
    hosts[processes[number].host].push_back(number);
  }
  detail::Handles handles;
  const detail::Messages messages(processes, handles);
  FileNames folders;
  for (const auto & [host, of_host] : hosts) {
    std::string folder = folders.add(host.empty() ? "host" : host);
    HostWriter(std::move(folder), host, processes, of_host, open).write(messages, handles);
  }
}

std::vector<CtfFile> ctf_trace(const std::vector<ProcessTrace> & processes)
{
  std::vector<CtfFile> files;
  std::ostringstream out;
  const auto keep = [&] {
    if (!files.empty()) {
      files.back().content = std::exchange(out, std::ostringstream()).str();
    }
  };
  write_ctf_trace(borrowed(processes), [&](const std::string & path) -> std::ostream & {
    keep();
    files.push_back({path, {}});
    return out;
  });
  keep();
  return files;
}

}  // namespace takt_trace
