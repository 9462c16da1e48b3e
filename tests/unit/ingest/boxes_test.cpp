#include "ingest/boxes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "fakes/temporary_directory.h"

namespace svc::ingest {
namespace {

// A segment of which the disk took only a part was served as if it were whole.
TEST(Boxes, AFileThatIsCutOffIsNotWhole) {
  using namespace std::string_literals;
  const std::string small = "\0\0\0\x0cmoofabcd"s;
  const std::string large = "\0\0\0\1mdat\0\0\0\0\0\0\0\x12xy"s;
  struct Case {
    std::string_view name;
    std::string content;
    bool whole;
  };
  const fakes::TemporaryDirectory directory;
  for (const Case& c : {
           Case{"two boxes", small + large, true},
           Case{"nothing", "", false},
           Case{"cut off in a box", (small + large).substr(0, 29), false},
           Case{"cut off in a header", small + large.substr(0, 5), false},
           Case{"a size below that of the header", "\0\0\0\3moof"s, false},
           Case{"no boxes", "abcdefgh", false},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(has_whole_boxes(directory.write("file", c.content)), c.whole);
  }
  EXPECT_FALSE(has_whole_boxes(directory.path("missing")));
}

TEST(Boxes, TheLastFragmentDoesNotCountIfItsIndexIsCutOff) {
  using namespace std::string_literals;
  const std::string begin = "\0\0\0\x0cmoovabcd\0\0\0\x0cmoofabcd\0\0\0\x0cmdatabcd"s;
  struct Case {
    std::string_view name;
    std::string content;
    std::size_t length;
  };
  const fakes::TemporaryDirectory directory;
  for (const Case& c : {
           Case{"whole", begin, 36},
           Case{"cut off in the index", begin + "\0\0\0\x40moofabcd"s, 36},
           Case{"cut off in a header", begin + "\0\0\0"s, 36},
           Case{"cut off in the data", begin + "\0\0\0\x40mdatabcd"s, 48},
           Case{"no fragments", "\0\0\0\x0cmoovabcd\0\0\0"s, 15},
           Case{"no boxes", "abcdefghijkl", 12},
           Case{"nothing", "", 0},
       }) {
    SCOPED_TRACE(c.name);
    // In a multipart body.
    const std::string file = directory.write("file", "123" + c.content + begin);
    EXPECT_EQ(length_of_whole_fragments(file, 3, c.content.size()), c.length);
  }
}

}  // namespace
}  // namespace svc::ingest
