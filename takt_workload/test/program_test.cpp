// The class that starts the programs under test. It must not hang, whatever a program writes to
// either stream.
#include "program.hpp"

namespace takt_workload
{

// Writes more than a pipe holds, as a sanitizer's report may.
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
