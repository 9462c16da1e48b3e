#include "base/fields.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace svc::base {
namespace {

struct Inner {
  int width = 0;
  int height = 0;
};
struct Film {
  std::string name;
  std::optional<double> duration;
  Inner size;
  std::vector<Inner> sizes;
  bool is_ready = false;
  bool is_public = false;
};
static_assert(member_count<Inner>() == 2);
static_assert(member_count<Film>() == 6);

constexpr auto kFields =
    describe<Film>(Field{"name", &Film::name, 100}, Field{"duration", &Film::duration},
                   Field{"size", &Film::size}, Field{"sizes", &Film::sizes},
                   Field{"ready", &Film::is_ready}, Field{"public", &Film::is_public});
static_assert(!fields::are_different(Field{"ready", &Film::is_ready}, Field{"name", &Film::name},
                                     Field{"public", &Film::is_ready}));

TEST(FieldsTest, VisitsEachMemberInTheOrderOfTheTable) {
  const Film film{.name = "a", .duration = 1, .size = {}, .sizes = {}, .is_ready = true};
  std::string names;
  int flags = 0;
  for_each(kFields, [&](const auto& field) {
    names += std::string(field.name) + " ";
    if constexpr (std::is_same_v<decltype(field.member), bool Film::*>)
      flags += film.*field.member ? 1 : 0;
  });
  EXPECT_EQ(names, "name duration size sizes ready public ");
  EXPECT_EQ(flags, 1);
}

}  // namespace
}  // namespace svc::base
