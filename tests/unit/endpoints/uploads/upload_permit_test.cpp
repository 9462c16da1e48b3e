#include "endpoints/uploads/upload_permit.h"

#include <gtest/gtest.h>

#include <string>

#include "base/entropy.h"
#include "base/key_ring.h"

namespace svc::endpoints {
namespace {

TEST(UploadPermit, IsOfOneRequestAndOneKeyRing) {
  base::SystemEntropy entropy;
  const auto keys = base::KeyRing::parse("k1:" + std::string(64, '1') + "\n");
  const auto rotated =
      base::KeyRing::parse("k2:" + std::string(64, '2') + "\nk1:" + std::string(64, '1') + "\n");
  const auto others = base::KeyRing::parse("k1:" + std::string(64, '3') + "\n");
  const UploadPermit permit{{1001}, oauth::GrantId{std::string(32, 'a')}};
  const std::string sealed = permit.seal("id", *keys, entropy);
  for (const auto* ring : {&*keys, &*rotated}) {
    const auto opened = UploadPermit::open(sealed, "id", *ring);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->account, permit.account);
    EXPECT_EQ(opened->grant, permit.grant);
  }
  EXPECT_FALSE(UploadPermit::open(sealed, "other", *keys));
  EXPECT_FALSE(UploadPermit::open(sealed, "id", *others));
  EXPECT_FALSE(UploadPermit::open("", "id", *keys));
  EXPECT_FALSE(UploadPermit::open(permit.seal("", *keys, entropy), "", *keys));
  const UploadPermit of_form{{7}};
  const auto opened = UploadPermit::open(of_form.seal("id", *keys, entropy), "id", *keys);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->account, media::AccountId{7});
  EXPECT_FALSE(opened->grant);
}

}  // namespace
}  // namespace svc::endpoints
