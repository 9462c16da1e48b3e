#include "endpoints/uploads/received_upload.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace svc::endpoints {
namespace {

const std::string kNow = "2026-01-01T00:00:00Z";

ReceivedUpload received(const std::string& name, const std::string& description) {
  media::UploadForm form;
  form.media.name = name;
  form.media.description = description;
  form.file = {"f.mp4", 123, 456};
  return {std::string(64, 'd'), std::move(form)};
}

TEST(ReceivedUpload, IsReadAsItWasWritten) {
  for (const auto& [name, description] : {std::pair<std::string, std::string>{"A", ""},
                                          {"\"\\<>&\u2028日本", "a\r\n\tb</script>"},
                                          {std::string(2048, 'a'), std::string(8192, 'b')},
                                          {std::string(341, '<'), std::string(1365, '<')}}) {
    ReceivedUpload one = received(name, description);
    one.form->media.project = media::ProjectId::parse("prj1");
    one.form->media.visibility = media::Visibility::Private;
    const std::string text = one.to_text();
    EXPECT_LE(text.size(), 20U * 1024) << "nginx has a buffer for it";
    const auto read = ReceivedUpload::parse(text, kNow);
    ASSERT_TRUE(read && read->form) << name;
    EXPECT_EQ(read->digest, one.digest);
    EXPECT_EQ(read->form->media.name, name);
    EXPECT_EQ(read->form->media.description, description);
    EXPECT_EQ(read->form->media.project, one.form->media.project);
    EXPECT_EQ(read->form->media.visibility, one.form->media.visibility);
    EXPECT_EQ(read->form->media.created, kNow);
    EXPECT_EQ(read->form->file.name, "f.mp4");
    EXPECT_EQ(read->form->file.offset, 123U);
    EXPECT_EQ(read->form->file.length, 456U);
  }
}

TEST(ReceivedUpload, TellsWhyAnUploadIsRefused) {
  for (const auto& [status, field] : {std::pair<int, std::string_view>{415, "file"},
                                      {422, "name"},
                                      {422, "visibility"},
                                      {507, "file"}}) {
    const ReceivedUpload one{"d",
                             base::Refusal{ReceivedUpload::Problem{status, {field, "\"why\""}}}};
    const auto read = ReceivedUpload::parse(one.to_text(), kNow);
    ASSERT_TRUE(read && !read->form);
    EXPECT_EQ(read->form.error().status, status);
    EXPECT_EQ(read->form.error().problem.field, field);
    EXPECT_EQ(read->form.error().problem.words, "\"why\"");
  }
}

}  // namespace
}  // namespace svc::endpoints
