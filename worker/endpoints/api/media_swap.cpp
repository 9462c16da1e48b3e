#include "endpoints/api/media_swap.h"

#include <string>
#include <string_view>
#include <utility>

#include "endpoints/body_fields.h"
#include "endpoints/media_response.h"
#include "http/api_error.h"
#include "oauth/operation.h"

namespace svc::endpoints {
namespace {

constexpr std::string_view kReplacement = "replacement_media_id";

// Accepts any text: the account does not have a media with an impossible id.
std::string any_replacement(const std::string&) { return ""; }

}  // namespace

Described MediaSwap::describe() {
  ApiOperation put{.method = "PUT", .id = "swapMedia", .summary = "Replace the files of a media"};
  put.about =
      "The media gets the files of the other one, which is deleted. It keeps its id, name, embed "
      "codes, captions and customizations.";
  put.needs = &oauth::kEdit;
  put.has_tag = true;
  put.takes_condition = true;
  put.body = {
      {{std::string(kReplacement), text_schema(),
        "The id of a ready media of the account, of the same type.", true, R"("$replacement")"}},
      in_kib(kMaxRecordBody)};
  put.response = json_response(200, "The media.", a_record(kMediaRecord));
  put.refusals = {{404, std::string(kNoMedia)}, {409, "The media cannot get other files now."}};
  return {{put}};
}

// A refusal because of a condition comes before those of the body, but not if the body shows that
// the media was swapped already.
loop::Task<http::Response> MediaSwap::answer_own(const http::Request& request,
                                                 const oauth::Issued& issued,
                                                 media::MediaWithProject& found) {
  const library::Condition condition = [&](const media::Media& media) {
    return !conditions_of(request).any() ||
           may_change(request, media_json(site_, media, found.project, 1));
  };
  const bool is_wanted = condition(found.media);
  auto body = BodyFields::read(request);
  if (!body) co_return is_wanted ? body.error() : overtaken();
  const std::string replacement = body->required_text(kReplacement, any_replacement);
  if (auto refused = body->refused()) co_return is_wanted ? *std::move(refused) : overtaken();
  const auto swapped =
      co_await service_.swap(found.media.id, replacement, condition, actor_of(request, issued));
  if (swapped) {
    std::string json = media_json(site_, *swapped, found.project, 1);
    const auto with = with_signed_files(*swapped, issued);
    if (!with) co_return tagged(media_response(*swapped, std::move(json)), request);
    const std::string shown = media_json(site_, *with, found.project, 1);
    co_return tagged(media_response(*swapped, shown), request, json, shown);
  }
  const library::SwapRefusal& refused = swapped.error();
  switch (refused.kind) {
    case library::SwapRefusal::Kind::NotFound: co_return no_such("media");
    case library::SwapRefusal::Kind::Overtaken: co_return overtaken();
    case library::SwapRefusal::Kind::Busy: co_return http::api_error(409, refused.words);
    case library::SwapRefusal::Kind::Replacement: break;
  }
  body->refuse(kReplacement, refused.words);
  co_return *body->refused();
}

}  // namespace svc::endpoints
