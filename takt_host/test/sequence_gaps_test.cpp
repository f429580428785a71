#include "takt_host/sequence_gaps.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace takt_host
{
namespace
{

Gid publisher(std::uint8_t n)
{
  Gid gid{};
  gid[3] = n;
  return gid;
}

std::uint64_t lost_of(const std::vector<std::uint64_t> & sequences)
{
  SequenceGaps gaps;
  for (const std::uint64_t sequence : sequences) {
    gaps.note(publisher(1), sequence);
  }
  return gaps.lost();
}

TEST(SequenceGaps, counts_what_is_missing_between_messages)
{
  EXPECT_EQ(lost_of({}), 0u);
  EXPECT_EQ(lost_of({7}), 0u);  // a late joiner has lost nothing
  EXPECT_EQ(lost_of({1, 2, 3}), 0u);
  EXPECT_EQ(lost_of({1, 4, 5, 8}), 4u);
  EXPECT_EQ(lost_of({1, 1001}), 999u);
}

TEST(SequenceGaps, takes_back_what_was_only_late)
{
  EXPECT_EQ(lost_of({1, 4, 2, 3, 5}), 0u);
  EXPECT_EQ(lost_of({1, 4, 3, 5}), 1u);
  EXPECT_EQ(lost_of({5, 4, 3, 6}), 0u);  // from before the beginning
}

TEST(SequenceGaps, ignores_duplicates_and_very_late_messages)
{
  EXPECT_EQ(lost_of({1, 2, 2, 3, 3}), 0u);
  std::vector<std::uint64_t> sequences{1, 201, 100, 202};
  EXPECT_EQ(lost_of(sequences), 199u);
}

TEST(SequenceGaps, notices_a_publisher_that_counts_anew)
{
  EXPECT_EQ(lost_of({500, 501, 1, 2, 3, 5}), 1u);
  EXPECT_EQ(lost_of({10, 11, 1, 2, 3, 5}), 1u);
}

TEST(SequenceGaps, keeps_publishers_apart_and_forgets_the_one_silent_for_longest)
{
  SequenceGaps gaps;
  for (std::uint8_t p = 0; p < SequenceGaps::kPublishers; ++p) {
    gaps.note(publisher(p), 100U * p + 1);
  }
  for (std::uint8_t p = 1; p < SequenceGaps::kPublishers; ++p) {
    gaps.note(publisher(p), 100U * p + 3);
  }
  EXPECT_EQ(gaps.lost(), SequenceGaps::kPublishers - 1);
  EXPECT_EQ(gaps.forgotten(), 0u);
  gaps.note(publisher(200), 1);  // replaces publisher 0
  EXPECT_EQ(gaps.forgotten(), 1u);
  gaps.note(publisher(1), 104);
  gaps.note(publisher(0), 50);
  EXPECT_EQ(gaps.lost(), SequenceGaps::kPublishers - 1);
}

TEST(SequenceGaps, follows_as_many_publishers_as_are_expected)
{
  for (const std::size_t publishers : {17u, 20u, 64u, 250u}) {
    SequenceGaps gaps;
    gaps.expect(publishers);
    for (std::uint64_t round = 0; round < 10; ++round) {
      for (std::size_t p = 0; p < publishers; ++p) {
        gaps.note(publisher(static_cast<std::uint8_t>(p)), 1 + 2 * round);
      }
    }
    EXPECT_EQ(gaps.lost(), 9 * publishers);
    EXPECT_EQ(gaps.forgotten(), 0u);
  }
}

}  // namespace
}  // namespace takt_host
