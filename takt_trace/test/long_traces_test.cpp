// All outputs made from traces are equal byte for byte, whether the records fit into memory or not.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ctf/ctf.hpp"
#include "flow/message_flow.hpp"
#include "model/trace_report.hpp"
#include "report/response_report.hpp"
#include "support/large_traces.hpp"
#include "support/random_traces.hpp"
#include "takt_trace/chain_accounts.hpp"
#include "takt_trace/chain_flow.hpp"
#include "takt_trace/trace_file.hpp"
#include "timeline/chrome.hpp"
#include "timeline/perfetto.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

namespace takt_trace::test
{
namespace
{

namespace fs = std::filesystem;
using Made = std::map<std::string, std::string>;  // outputs by name

std::string folder()
{
  return fs::temp_directory_path().string();
}

/// All outputs made from a file.
Made made_of(const std::string & path)
{
  auto traces = read_long_traces(path);
  EXPECT_TRUE(traces.ok());
  const auto text = [](const auto & write) {
    std::ostringstream out;
    write(out);
    return std::move(out).str();
  };
  Made made;
  made["takt"] = text([&](std::ostream & out) { write_traces(*traces, out, 7); });
  if (impossible_time(*traces).empty()) {
    made["model"] =
      trace_report(*traces).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const auto longest = longest_under_way(*traces);
  made["under way"] = longest ? std::to_string(longest->count()) : "none";
  add_chains_across_processes(*traces);
  made["perfetto"] = text([&](std::ostream & out) { write_perfetto_trace(*traces, out); });
  made["chrome"] = text([&](std::ostream & out) { write_chrome_trace(*traces, out); });
  std::map<std::string, std::ostringstream> files;
  write_ctf_trace(*traces, [&](const std::string & name) -> std::ostream & { return files[name]; });
  for (auto & [name, content] : files) {
    made["ctf " + name] = std::move(content).str();
  }
  made["report"] =
    response_report(*traces).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  const MessageFlows flows = message_flows(*traces);
  const Joinable whole = joinable(*traces, flows);
  made["joined"] = std::to_string(flows.joined.size()) + " " + std::to_string(whole.joined);
  for (const ChainAccount & one : chain_accounts(*traces)) {
    made["accounts"] +=
      one.chain.name + " " + (one.account ? std::to_string(one.account->missed) : one.why) + "\n";
  }
  return made;
}

/// Compares outputs made without a limit with outputs made under a limit of so few pages that most
/// of them leave the memory.
void compare(const std::string & path)
{
  const Made plain = made_of(path);
  for (const std::size_t pages : {6U, 60U}) {
    constexpr std::size_t kPage = 512;
    const MemoryLimit limit(pages * kPage, folder(), kPage);
    const Made limited = made_of(path);
    ASSERT_EQ(limited.size(), plain.size());
    for (const auto & [what, bytes] : plain) {
      ASSERT_TRUE(limited.contains(what)) << what;
      ASSERT_TRUE(limited.at(what) == bytes) << what << " differs";
    }
  }
}

class LongTraces : public testing::Test
{
protected:
  void SetUp() override
  {
    std::string name = folder() + "/takt_long_traces_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string written(const std::string & bytes) const
  {
    std::ofstream(folder_ + "/trace", std::ios::binary) << bytes;
    return folder_ + "/trace";
  }

  std::string large(std::int64_t periods) const
  {
    std::ofstream out(folder_ + "/trace", std::ios::binary);
    LargeTrace(periods).write(out);
    return folder_ + "/trace";
  }

  std::string folder_;
};

TEST_F(LongTraces, AnyRecordsGiveTheSameInLittleMemory)
{
  std::mt19937 random(seed());
  for (std::uint64_t round = 0; round < rounds(40); ++round) {
    AnyTraces any(random, round % 2 == 0);
    auto traces = any.next();
    // Short lists have no pages.
    for (ProcessTrace & trace : traces) {
      for (TracedThread & thread : trace.threads) {
        const std::vector<Record> once = thread.records;
        for (int i = 0; i < 12; ++i) {
          thread.records.insert(thread.records.end(), once.begin(), once.end());
        }
      }
    }
    compare(written(encode_traces(traces)));
    if (HasFatalFailure()) {
      FAIL() << "round " << round << ", TAKT_TEST_SEED=" << seed();
    }
  }
}

TEST_F(LongTraces, AProgramsTraceGivesTheSameInLittleMemory)
{
  compare(large(1200));
}

TEST_F(LongTraces, TheLargeTraceHasItsSize)
{
  const auto size = fs::file_size(large(3000));
  EXPECT_NEAR(static_cast<double>(size), 3000.0 * kBytesOfPeriod, 3000.0 * kBytesOfPeriod / 10);
}

struct Ended
{
  int code = -1;
  std::string errors;
};

/// Runs the program with `bytes` of address space, which must also hold all libraries of the
/// program.
Ended run_within(
  rlim_t bytes, const std::string & output, const std::vector<std::string> & arguments)
{
  const std::string errors = output + ".errors";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
    std::vector<char *> words{const_cast<char *>(TAKT_TRACE_PROGRAM)};
    for (const std::string & one : arguments) {
      words.push_back(const_cast<char *>(one.c_str()));
    }
    words.push_back(nullptr);
    if (
      std::freopen(errors.c_str(), "w", stderr) == nullptr ||
      std::freopen((output + ".out").c_str(), "w", stdout) == nullptr) {
      ::_exit(126);
    }
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  Ended ended;
  int status = 0;
  if (::waitpid(child, &status, 0) == child) {
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::ostringstream text;
  text << std::ifstream(errors).rdbuf();
  ended.errors = text.str();
  return ended;
}

TEST_F(LongTraces, EachCommandWorksWithLessMemoryThanTheRecordsTakeBesideTheProgram)
{
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes more address space than any limit";
  }
  constexpr rlim_t kLimit = rlim_t{48} << 20;
  const std::string trace = large(60'000);
  ASSERT_GT(fs::file_size(trace), kLimit - (rlim_t{12} << 20));
  for (const std::string format : {"takt", "perfetto", "chrome", "ctf"}) {
    const std::string output = folder_ + "/" + format;
    const Ended ended =
      run_within(kLimit, output, {"convert", trace, "-o", output, "--format", format});
    EXPECT_EQ(ended.code, 0) << format << ": " << ended.errors;
    EXPECT_EQ(ended.errors, "") << format;
    fs::remove_all(output);
  }
  const std::string report = folder_ + "/report", model = folder_ + "/model";
  EXPECT_EQ(run_within(kLimit, report, {"report", trace}).code, 0);
  EXPECT_EQ(run_within(kLimit, model, {"model", trace, "-o", model}).code, 0);
}

/// The largest memory of a child process that reads a trace and makes an output of it, in KiB.
long peak_of(const std::string & trace, const std::function<void(std::vector<LongTrace> &)> & make)
{
  const pid_t child = ::fork();
  if (child == 0) {
    const MemoryLimit limit(std::size_t{4} << 20, folder());
    auto traces = read_long_traces(trace);
    if (!traces.ok()) {
      ::_exit(1);
    }
    make(*traces);
    ::_exit(0);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss;
}

TEST_F(LongTraces, EightTimesTheTraceTakesNoMoreMemory)
{
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer keeps what is freed";
  }
  constexpr std::int64_t kPeriods = 12'000;
  constexpr long kMore = 3 << 10;
  const std::string one = folder_ + "/one", eight = folder_ + "/eight";
  for (const auto & [path, periods] : {std::pair(one, kPeriods), std::pair(eight, 8 * kPeriods)}) {
    std::ofstream out(path, std::ios::binary);
    LargeTrace(periods).write(out);
  }
  ASSERT_GT(fs::file_size(eight) - fs::file_size(one), std::size_t{16} * kMore << 10);
  using Traces = std::vector<LongTrace>;
  const std::map<std::string, std::function<void(Traces &, std::ostream &)>> kinds{
    {"takt", [](Traces & traces, std::ostream & out) { write_traces(traces, out); }},
    {"perfetto",
     [](Traces & traces, std::ostream & out) {
       add_chains_across_processes(traces);
       write_perfetto_trace(traces, out);
     }},
    {"chrome",
     [](Traces & traces, std::ostream & out) {
       add_chains_across_processes(traces);
       write_chrome_trace(traces, out);
     }},
    {"ctf",
     [](Traces & traces, std::ostream & out) {
       add_chains_across_processes(traces);
       write_ctf_trace(traces, [&](const std::string &) -> std::ostream & { return out; });
     }},
    {"report",
     [](Traces & traces, std::ostream & out) {
       add_chains_across_processes(traces);
       out << response_report(traces).dump();
     }},
    {"model", [](Traces & traces, std::ostream & out) {
       out << longest_under_way(traces).has_value() << trace_report(traces).dump();
     }}};
  for (const auto & [kind, make] : kinds) {
    const auto write = [&, &make = make](Traces & traces) {
      std::ofstream nowhere("/dev/null");
      make(traces, nowhere);
    };
    EXPECT_LT(peak_of(eight, write), peak_of(one, write) + kMore) << kind;
  }
}

TEST_F(LongTraces, WithoutRoomForPagesTheProgramNamesTheFolder)
{
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer takes more address space than any limit";
  }
  const std::string trace = large(60'000), nowhere = folder_ + "/nowhere";
  ::setenv("TMPDIR", nowhere.c_str(), 1);
  const Ended ended = run_within(rlim_t{48} << 20, folder_ + "/report", {"report", trace});
  ::unsetenv("TMPDIR");
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(
    ended.errors,
    "takt_trace: the trace does not fit into memory, and the file for what does not fit cannot be "
    "made in " +
      nowhere + ": No such file or directory\n");
}

}  // namespace
}  // namespace takt_trace::test
