#include "endpoints/api/customizations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/api_paths.h"
#include "embed/player_options.h"
#include "endpoints/body_fields.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "oauth/operation.h"

namespace svc::endpoints {
namespace {

constexpr base::Path kPath = base::paths::kCustomizations;

http::Response response_of(const media::Media& media, int status) {
  http::Response response = http::in_json(media::to_json(media.customizations), media.id.value());
  response.status = status;
  return response;
}

// "must be true or false" → "true or false"
std::string words_in_record(const embed::PlayerOption& option) {
  return words_of(option).substr(std::string_view("must be ").size());
}

// Null deletes an option. Other names are ignored: options of embed codes only, and options of
// other players.
library::CustomizationEdit read_edit(BodyFields& body) {
  library::CustomizationEdit edit;
  for (const embed::PlayerOption& option : embed::player_options()) {
    if (!option.is_customization() || !body.has(option.name)) continue;
    std::optional<media::OptionValue> value = body.scalar(option.name);
    if (!body.is_null(option.name) && (!value || !allows(option, *value)))
      body.refuse(option.name, words_of(option));
    edit.options.emplace(option.name, std::move(value));
  }
  return edit;
}

}  // namespace

Described Customizations::describe() {
  constexpr std::string_view kRecord = "Customizations";
  const auto fields = [](bool may_be_null) {
    std::vector<DescribedField> all;
    for (const embed::PlayerOption& option : embed::player_options()) {
      if (!option.is_customization()) continue;
      const Schema schema{embed::schema_of(option), words_in_record(option)};
      all.push_back({std::string(option.name), may_be_null ? or_null(schema) : schema, "", false});
    }
    return all;
  };
  const auto with_example = [&](std::string example) {
    std::vector<DescribedField> all = fields(true);
    std::ranges::find(all, "playerColor", &DescribedField::name)->example = std::move(example);
    return all;
  };
  ApiOperation get{.method = "GET",
                   .id = "getCustomizations",
                   .summary = "Read the options of a media's player"};
  get.about = "They apply where the embed code does not name the option.";
  get.needs = &oauth::kReadCatalog;
  get.has_tag = true;
  get.response = json_response(200, "The options that are set.", a_record(kRecord));
  get.refusals = {{404, std::string(kNoMedia)}};
  ApiOperation post = get;
  post.method = "POST";
  post.id = "replaceCustomizations";
  post.summary = "Replace the options of a media's player";
  post.about = "Options that the body does not name are deleted. Unknown ones are ignored.";
  post.needs = &oauth::kEdit;
  post.takes_condition = true;
  post.is_repeatable = true;
  post.body = {with_example(R"("54bbff")"), in_kib(kMaxRecordBody)};
  post.response.status = 201;
  ApiOperation put = post;
  put.method = "PUT";
  put.id = "editCustomizations";
  put.summary = "Change options of a media's player";
  put.about = "Options that the body does not name stay, and null deletes one.";
  put.is_repeatable = false;
  put.body = {with_example(R"("1e64f0")"), in_kib(kMaxRecordBody)};
  put.response.status = 200;
  ApiOperation remove{.method = "DELETE",
                      .id = "deleteCustomizations",
                      .summary = "Delete all options of a media's player"};
  remove.needs = &oauth::kEdit;
  remove.takes_condition = true;
  remove.response = {204, "None is set."};
  remove.refusals = get.refusals;
  return {{get, post, put, remove},
          {{std::string(kRecord), "Options of the player, with the types that were sent.",
            fields(false)}}};
}

loop::Task<http::Response> Customizations::answer_own(const http::Request& request,
                                                      const oauth::Issued& issued,
                                                      media::Media& media) {
  if (request.is_get_or_head()) co_return tagged(response_of(media, 200), request);
  // A POST checks its condition later, after the response that is kept for its Idempotency-Key.
  if (request.method != "POST" &&
      !http::may_change(conditions_of(request), media::to_json(media.customizations)))
    co_return overtaken();
  if (request.method == "DELETE") co_return co_await write(request, media, issued, nullptr);
  auto body = BodyFields::read(request);
  if (!body) co_return body.error();
  if (request.method != "POST") co_return co_await write(request, media, issued, &*body);
  loop::Task<http::Response> answering = write(request, media, issued, &*body);
  co_return co_await repeated_.answer(request, issued, *body, std::move(answering));
}

loop::Task<http::Response> Customizations::write(const http::Request& request,
                                                 const media::Media& media,
                                                 const oauth::Issued& issued, BodyFields* body) {
  const library::Condition condition = [&](const media::Media& each) {
    return http::may_change(conditions_of(request), media::to_json(each.customizations));
  };
  library::CustomizationEdit edit;
  const bool removes = body == nullptr;
  if (!removes) {
    edit = read_edit(*body);
    if (const auto refused = body->refused()) co_return *refused;
  }
  const bool posts = request.method == "POST";
  edit.replaces = removes || posts;
  const auto customized =
      co_await service_.customize(media.id, edit, condition, actor_of(request, issued));
  if (!customized) co_return refusal_of(customized.error(), "media");
  if (removes) co_return no_content(media.id.value());
  http::Response response = response_of(*customized, posts ? 201 : 200);
  if (posts) response.with("Location", site_.url(kPath, media.id.value()));
  co_return tagged(std::move(response), request);
}

}  // namespace svc::endpoints
