#include "ctl/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace svc::ctl {
namespace {

TEST(Table, AlignsItsColumnsUnderAHeader) {
  std::ostringstream out;
  Table table(out, {{"ID", 4}, {"NAME", 6}, {"URL"}});
  EXPECT_EQ(out.str(), "") << "no header without a row";
  table.row({"1", "Zoë", "https://a.example"});
  table.row({"12345", "", "x"});
  EXPECT_EQ(out.str(),
            "ID    NAME    URL\n"
            "1     Zoë     https://a.example\n"
            "12345  -       x\n");
}

TEST(Table, PrintsNothingThatATerminalObeys) {
  std::ostringstream out;
  Table table(out, {{"ID", 2}, {"NAME"}});
  table.row({"1", "\x1b]0;owned\x07\n\xe2\x80\xae"});
  EXPECT_EQ(out.str(), "ID  NAME\n1   ?]0;owned???\n");
}

}  // namespace
}  // namespace svc::ctl
