#include "text/shell.h"

#include <gtest/gtest.h>

namespace svc::text {
namespace {

TEST(ShellWord, IsInQuotes) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b$c`d\\e\"f"), "'a b$c`d\\e\"f'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("it's \"$media\" `x` \\", Variables::Filled),
            "\"it's \\\"$media\\\" \\`x\\` \\\\\"");
}

}  // namespace
}  // namespace svc::text
