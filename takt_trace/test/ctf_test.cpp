// Files, packets and the text of CTF. takt_cli/tests/test_ctf.py tests the content of events, with
// its own reader.
#include "ctf/ctf.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/random_traces.hpp"
#include "support/traces.hpp"

namespace takt_trace::test
{
namespace
{

std::uint64_t number_at(const std::string & bytes, std::size_t at, std::size_t size)
{
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
  }
  return number;
}

struct SeenPacket
{
  std::string uuid;
  std::uint64_t stream = 0, begin = 0, end = 0, discarded = 0;
};

/// The packets of a stream; a gap between them is a failure.
std::vector<SeenPacket> packets_of(const std::string & stream)
{
  std::vector<SeenPacket> packets;
  for (std::size_t at = 0; at < stream.size();) {
    EXPECT_EQ(number_at(stream, at, 4), 0xc1fc1fc1U);
    SeenPacket packet{stream.substr(at + 4, 16), number_at(stream, at + 24, 8)};
    packet.begin = number_at(stream, at + 32, 8);
    packet.end = number_at(stream, at + 40, 8);
    EXPECT_LE(packet.begin, packet.end);
    EXPECT_LE(packets.empty() ? 0 : packets.back().end, packet.begin);
    EXPECT_EQ(number_at(stream, at + 48, 8), number_at(stream, at + 56, 8));  // sizes of content
                                                                              // and packet
    EXPECT_EQ(number_at(stream, at + 64, 8), packets.size());
    packet.discarded = number_at(stream, at + 72, 8);
    const std::uint64_t size = number_at(stream, at + 56, 8) / 8;
    EXPECT_GE(size, 84U);
    packets.push_back(packet);
    at += std::max<std::uint64_t>(size, 84);
    EXPECT_LE(at, stream.size());
  }
  return packets;
}

bool is_metadata(const CtfFile & file)
{
  return file.path.ends_with("/metadata");
}

TEST(Ctf, AnyRecordsMakePacketsOneAfterTheOther)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, true);
  for (std::uint64_t round = 0; round < rounds(1000); ++round) {
    std::set<std::string> paths;
    std::set<std::pair<std::string, std::uint64_t>> streams;
    for (const CtfFile & file : ctf_trace(traces.next())) {
      ASSERT_TRUE(paths.insert(file.path).second) << file.path;
      if (is_metadata(file)) {
        ASSERT_TRUE(file.content.starts_with("/* CTF 1.8 */\n"));
        continue;
      }
      const auto packets = packets_of(file.content);
      ASSERT_FALSE(packets.empty()) << file.path;
      ASSERT_TRUE(streams.emplace(packets[0].uuid, packets[0].stream).second) << file.path;
      ASSERT_EQ(packets[0].discarded, 0U);
      ASSERT_FALSE(::testing::Test::HasFailure())
        << "round " << round << ", TAKT_TEST_SEED=" << seed();
    }
  }
}

TEST(Ctf, TheSameTraceIsWrittenAlike)
{
  std::mt19937 random(seed());
  AnyTraces traces(random, false);
  for (std::uint64_t round = 0; round < rounds(100); ++round) {
    const auto processes = traces.next();
    const auto one = ctf_trace(processes);
    const auto other = ctf_trace(processes);
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].path, other[i].path);
      ASSERT_EQ(one[i].content, other[i].content);
    }
  }
}

TEST(Ctf, AHostIsAFolderAndAThreadAFile)
{
  ProcessTrace one = process_of({{instant(5, 0)}, {instant(6, 0)}, {}});
  ProcessTrace other = process_of({{instant(5, 0)}});
  other.host = "there";
  std::set<std::string> paths;
  for (const CtfFile & file : ctf_trace({one, other, one})) {
    paths.insert(file.path);
  }
  EXPECT_EQ(
    paths, (std::set<std::string>{
             "here/metadata", "here/100", "here/100_100", "here/100_101", "here/100-2",
             "here/100_100-2", "here/100_101-2", "there/metadata", "there/100", "there/100_100"}));
}

TEST(Ctf, NoHostLeadsOutOfTheFolder)
{
  for (const char * const host : {"", ".", "..", "../..", "/etc", ".hidden", "a/b", "a\nb"}) {
    ProcessTrace process = process_of({{instant(5, 0)}});
    process.host = host;
    for (const CtfFile & file : ctf_trace({process})) {
      const std::string folder = file.path.substr(0, file.path.find('/'));
      EXPECT_EQ(std::count(file.path.begin(), file.path.end(), '/'), 1) << file.path;
      EXPECT_FALSE(folder.empty() || folder.front() == '.') << file.path;
      EXPECT_EQ(folder.find('\n'), std::string::npos) << file.path;
    }
  }
}

TEST(Ctf, TheMetadataQuoteTheHostAndHaveTheOffsetOfTheClock)
{
  ProcessTrace process = process_of({});
  process.host = "a\"b\\c\nd";
  process.to_realtime = 1'700'000'000'000'000'007;
  const std::string text = ctf_trace({process}).at(0).content;
  EXPECT_NE(text.find("  hostname = \"a\\\"b\\\\c?d\";\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  offset = 1700000000000000007;\n"), std::string::npos) << text;
  process.to_realtime = -5;
  EXPECT_NE(ctf_trace({process}).at(0).content.find("  offset = 0;\n"), std::string::npos);
}

TEST(Ctf, OfNoProcessThereIsNoFile)
{
  EXPECT_TRUE(ctf_trace({}).empty());
}

}  // namespace
}  // namespace takt_trace::test
