#include "takt_host/header_stamp.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace takt_host
{
namespace
{

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

// As rosidl's description of a type.
struct Text
{
  const char * data;
  std::size_t size;
};
struct Described
{
  struct Field
  {
    struct
    {
      std::uint8_t type_id;
      Text nested_type_name;
    } type;
  };
  struct
  {
    struct
    {
      const Field * data;
      std::size_t size;
    } fields;
  } type_description;
};
struct Type
{
  const Described * (*get_type_description_func)(const Type *);
};
struct TypeWithoutDescription
{
};

Text text(const char * words)
{
  return {words, std::string(words).size()};
}

template <std::uint8_t kind, bool header>
const Described * describe(const Type *)
{
  static const Described::Field field{
    {kind, text(header ? "std_msgs/msg/Header" : "builtin_interfaces/msg/Time")}};
  static const Described described{{{&field, 1}}};
  return &described;
}

const Described * describe_empty(const Type *)
{
  static const Described described{};
  return &described;
}

TEST(HeaderStamp, IsOfTypesWhoseFirstFieldIsAHeader)
{
  EXPECT_TRUE(begins_with_header(Type{describe<1, true>}));
  EXPECT_FALSE(begins_with_header(Type{describe<1, false>})) << "a stamp without a header";
  EXPECT_FALSE(begins_with_header(Type{describe<49, true>})) << "an array of headers";
  EXPECT_FALSE(begins_with_header(Type{describe_empty}));
  EXPECT_FALSE(begins_with_header(Type{nullptr}));
  EXPECT_FALSE(begins_with_header(TypeWithoutDescription{}));
}

TEST(HeaderStamp, LiesAtTheBeginningOfAMessage)
{
  const struct
  {
    std::int32_t seconds;
    std::uint32_t nanoseconds;
    double other;
  } message{-2, 500'000'000, 1.0};
  EXPECT_EQ(stamp_of_message(&message), takt_rt::from_ns(-1'500'000'000));
}

TEST(HeaderStamp, LiesBehindTheEncodingOfASerialisedMessage)
{
  const takt_rt::Time expected = takt_rt::from_ns(1'000'000'002);
  const auto encoded = [](std::uint8_t encoding, const Bytes & stamp) {
    Bytes bytes{0, encoding, 0, 0};
    bytes.insert(bytes.end(), stamp.begin(), stamp.end());
    return bytes;
  };
  for (const std::uint8_t little : {1, 7}) {  // CDR of version 1 and 2
    EXPECT_EQ(stamp_of_bytes(encoded(little, {1, 0, 0, 0, 2, 0, 0, 0})), expected) << +little;
    const auto big = static_cast<std::uint8_t>(little - 1);
    EXPECT_EQ(stamp_of_bytes(encoded(big, {0, 0, 0, 1, 0, 0, 0, 2})), expected) << +big;
  }
  EXPECT_EQ(stamp_of_bytes(encoded(1, {1, 0, 0, 0, 2, 0, 0})), takt_rt::kNever) << "too short";
  EXPECT_EQ(stamp_of_bytes(Bytes{}), takt_rt::kNever);
  // Lists of parameters and XML begin in other ways.
  EXPECT_EQ(stamp_of_bytes(encoded(3, {1, 0, 0, 0, 2, 0, 0, 0})), takt_rt::kNever);
  Bytes xml = encoded(1, {1, 0, 0, 0, 2, 0, 0, 0});
  xml[0] = '<';
  EXPECT_EQ(stamp_of_bytes(xml), takt_rt::kNever);
}

}  // namespace
}  // namespace takt_host
