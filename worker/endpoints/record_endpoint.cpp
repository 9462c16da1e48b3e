#include "endpoints/record_endpoint.h"

#include <string_view>

#include "base/unreadable.h"
#include "loop/all.h"
#include "loop/attempt.h"
#include "oauth/bearer.h"

namespace svc::endpoints {
namespace {

media::AccountId account_of(const media::Media& media) { return media.account; }
media::AccountId account_of(const media::MediaWithProject& found) { return found.media.account; }
media::AccountId account_of(const media::Project& project) { return project.account; }

constexpr std::string_view kind_of(const media::Media*) { return "media"; }
constexpr std::string_view kind_of(const media::MediaWithProject*) { return "media"; }
constexpr std::string_view kind_of(const media::Project*) { return "project"; }

}  // namespace

template <>
loop::Task<std::optional<media::Media>> MediaEndpoint::find(const http::Request& request) {
  const auto id = request.part<media::HashedId>("media");
  if (!id) co_return std::nullopt;
  media::Reads reads;  // responses are not cached
  co_return co_await catalog_.find_media(*id, media::Detail::All, reads);
}

template <>
loop::Task<std::shared_ptr<media::MediaWithProject>> MediaWithProjectEndpoint::find(
    const http::Request& request) {
  const auto id = request.part<media::HashedId>("media");
  if (!id) co_return nullptr;
  co_return co_await catalog_.find_with_project(*id);
}

template <>
loop::Task<std::optional<media::Project>> ProjectEndpoint::find(const http::Request& request) {
  const auto id = request.part<media::ProjectId>("project");
  if (!id) co_return std::nullopt;
  co_return co_await catalog_.find_project(*id);
}

template <class Found>
loop::Task<http::Response> RecordEndpoint<Found>::answer(const http::Request& request) {
  const oauth::ScopeSet scopes = (request.is_get_or_head() ? read_ : change_).any_of();
  const auto token = oauth::bearer_token(request.query, request.authorization);
  if (!token) co_return refusal(token.error(), scopes);
  auto both = loop::all(check(request, *token, scopes), loop::attempt(find(request)));
  auto found = co_await both;
  auto& [issued, of_record] = found;
  if (!issued) co_return issued.error();
  bool is_unreadable = false;
  try {
    of_record.get();
  } catch (const base::Unreadable&) {
    if (request.method != "DELETE") throw;
    is_unreadable = true;
  }
  if (is_unreadable) co_return co_await remove_unreadable(request, *issued);
  Found& record = of_record.get();
  if (!record || account_of(*record) != issued->account)
    co_return no_such(kind_of(static_cast<const Record*>(nullptr)));
  co_return co_await answer_own(request, *issued, *record);
}

template <class Found>
loop::Task<http::Response> RecordEndpoint<Found>::remove_unreadable(const http::Request&,
                                                                    const oauth::Issued&) {
  throw base::Unreadable("a record that cannot be parsed");
}

template class RecordEndpoint<std::optional<media::Media>>;
template class RecordEndpoint<std::shared_ptr<media::MediaWithProject>>;
template class RecordEndpoint<std::optional<media::Project>>;

}  // namespace svc::endpoints
