// Frames in streams cut at any place, and among other bytes.
#include "takt_control/frame.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace takt_control
{
namespace
{

std::uint64_t rounds(std::uint64_t slice)
{
  const char * const factor = std::getenv("TAKT_TEST_ROUNDS");
  return slice * (factor != nullptr ? std::strtoull(factor, nullptr, 10) : 1);
}

std::uint32_t seed()
{
  const char * const text = std::getenv("TAKT_TEST_SEED");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 1;
}

/// All frames in `bytes`, fed in pieces of `piece` bytes.
std::vector<Frame> decode(FrameDecoder & decoder, const std::string & bytes, std::size_t piece)
{
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    for (std::string_view rest = std::string_view(bytes).substr(at, piece); !rest.empty();) {
      rest.remove_prefix(decoder.feed(rest));
      while (auto frame = decoder.next()) {
        frames.push_back(std::move(*frame));
      }
    }
  }
  return frames;
}

TEST(Frame, ComesOutAsItWentInHoweverItIsCut)
{
  const std::string stream = encode(MessageType::apply, "{\"id\": 1}") +
                             encode(MessageType::answer, "") +
                             encode(MessageType::error, std::string(1000, 'x'));
  const std::vector<Frame> expected{
    {kProtocolVersion, 1, "{\"id\": 1}"},
    {kProtocolVersion, 100, ""},
    {kProtocolVersion, 101, std::string(1000, 'x')}};
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameDecoder decoder;
    ASSERT_EQ(decode(decoder, stream, piece), expected) << piece;
    EXPECT_FALSE(decoder.half_open());
  }
}

TEST(Frame, TheHeaderIsAsDocumented)
{
  EXPECT_EQ(encode(MessageType::error, "ab"), std::string("takt\1\0e\0\2\0\0\0ab", 14));
}

TEST(Frame, GarbageBreaksTheDecoderAtItsFirstByte)
{
  FrameDecoder decoder;
  EXPECT_EQ(decoder.feed("tak"), 3U);
  EXPECT_TRUE(decoder.half_open());
  EXPECT_FALSE(decoder.broken());
  EXPECT_EQ(decoder.feed("e and more"), 10U);
  EXPECT_TRUE(decoder.broken());
  EXPECT_FALSE(decoder.half_open());
  // The broken decoder rejects a correct frame, too.
  decoder.feed(encode(MessageType::apply, "{}"));
  EXPECT_FALSE(decoder.next().has_value());
}

TEST(Frame, LengthsHaveABound)
{
  FrameDecoder largest;
  const std::string bytes = encode(MessageType::apply, std::string(kMostPayload, 'x'));
  EXPECT_EQ(decode(largest, bytes, 4096).size(), 1U);
  FrameDecoder decoder;
  std::string header = encode(MessageType::apply, "");
  header[10] = 1;  // 65536
  header[8] = 1;   // and one
  decoder.feed(header);
  EXPECT_EQ(decoder.fault(), "a frame of 65537 bytes is longer than 65536");
}

TEST(Frame, UnknownVersionsAndTypesAreFramesToo)
{
  std::string bytes = encode(static_cast<MessageType>(999), "new");
  bytes[4] = 7;
  FrameDecoder decoder;
  decoder.feed(bytes);
  EXPECT_EQ(decoder.next(), (Frame{7, 999, "new"}));
}

TEST(Frame, NoBytesMakeItHoldMoreThanAFrame)
{
  std::mt19937 random(seed());
  FrameDecoder decoder;
  std::uint64_t frames = 0;
  for (std::uint64_t round = 0; round < rounds(100'000); ++round) {
    std::string bytes = encode(MessageType::apply, std::string(random() % 300, 'x'));
    for (auto i = random() % 3; i > 0; --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    frames += decode(decoder, bytes, 1 + random() % bytes.size()).size();
    ASSERT_LE(decoder.held(), 2 * (kMostPayload + kHeaderBytes)) << "TAKT_TEST_SEED=" << seed();
    if (decoder.broken() || random() % 50 == 0) {
      decoder = FrameDecoder();
    }
  }
  EXPECT_GT(frames, rounds(100'000) / 10);
}

}  // namespace
}  // namespace takt_control
