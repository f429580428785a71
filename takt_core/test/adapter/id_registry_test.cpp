// Ids are unique within a registry; the lowest free number is used again.
#include "takt_core/adapter/id_registry.hpp"

#include <gtest/gtest.h>

namespace takt_core::adapter
{
namespace
{

TEST(IdRegistry, NumbersCollisionsAndUsesFreeNumbersAgain)
{
  IdRegistry ids;
  EXPECT_EQ(ids.claim("/n:timer(1s)"), "/n:timer(1s)");
  EXPECT_EQ(ids.claim("/n:timer(1s)"), "/n:timer(1s)#2");
  EXPECT_EQ(ids.claim("/n:timer(1s)"), "/n:timer(1s)#3");
  ids.release("/n:timer(1s)#2");
  EXPECT_EQ(ids.claim("/n:timer(1s)"), "/n:timer(1s)#2");
  EXPECT_EQ(ids.claim("/n:timer(2s)"), "/n:timer(2s)");
}

}  // namespace
}  // namespace takt_core::adapter
