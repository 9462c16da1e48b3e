// pages: all pages below /settings. Each is a class of its own file, which derives from OwnPages,
// LibraryPages or MediaPages; worker/README.md explains how to add a page.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "embed/site.h"
#include "http/endpoint.h"
#include "http/request.h"
#include "http/response.h"
#include "media/id.h"

namespace svc::pages {

struct SettingsParts;  // pages/settings/settings.h

using OwnedPage = std::unique_ptr<http::Endpoint>;

// The parts outlive the page.
OwnedPage overview_page(const SettingsParts& parts);
enum class ChoiceOf : std::uint8_t { Media, Applications };
OwnedPage account_choice_page(const SettingsParts& parts, ChoiceOf of);
OwnedPage not_found_page(const SettingsParts& parts);
OwnedPage security_page(const SettingsParts& parts);
OwnedPage second_factor_page(const SettingsParts& parts);
OwnedPage connected_page(const SettingsParts& parts);
OwnedPage applications_page(const SettingsParts& parts);
OwnedPage tokens_page(const SettingsParts& parts);

OwnedPage library_page(const SettingsParts& parts);
// The page for a form of it that is refused after its file was read. It knows no visitor.
http::Response refused_upload_page(const http::Request& request, const embed::Site& site,
                                   int status, std::string_view why, media::AccountId account);
OwnedPage sites_page(const SettingsParts& parts);
OwnedPage projects_page(const SettingsParts& parts);
OwnedPage account_stats_page(const SettingsParts& parts);

OwnedPage media_page(const SettingsParts& parts);
OwnedPage look_page(const SettingsParts& parts);
OwnedPage chapters_page(const SettingsParts& parts);
OwnedPage poster_page(const SettingsParts& parts);
OwnedPage replace_page(const SettingsParts& parts);
OwnedPage links_page(const SettingsParts& parts);
OwnedPage captions_page(const SettingsParts& parts);
OwnedPage media_stats_page(const SettingsParts& parts);

// The path of the list of an account's applications.
std::string applications_path(media::AccountId account);

}  // namespace svc::pages
