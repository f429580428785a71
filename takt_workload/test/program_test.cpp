// What starts the programs under test: it must not hang, whatever they write where.
#include "program.hpp"

namespace takt_workload
{

// More than a pipe holds, as a sanitizer's report may be.
const std::vector<std::string> kLoud{
  "/bin/sh", "-c", "head -c 200000 /dev/zero | tr '\\0' e >&2; echo done"};

TEST(ProgramUnderTest, MayWriteMuchToStandardErrorBeforeItEnds)
{
  Program program(kLoud);
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.output, "done\n");
  EXPECT_EQ(program.errors, std::string(200'000, 'e'));
}

TEST(ProgramUnderTest, MayWriteMuchToStandardErrorBeforeWhatIsWaitedFor)
{
  Program program(kLoud);
  EXPECT_TRUE(program.wait_for("done"));
  EXPECT_FALSE(program.wait_for("more"));
  EXPECT_EQ(program.finish(), 0);
  EXPECT_EQ(program.errors.size(), 200'000u);
}

}  // namespace takt_workload
