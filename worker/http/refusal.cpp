#include "http/refusal.h"

#include <string>

#include "http/api_error.h"
#include "text/form.h"
#include "text/json.h"
#include "text/markup.h"

namespace svc::http {
namespace {

Response oauth_error(int status, std::string_view allowed) {
  Response response;
  response.status = status;
  response.content_type = "application/json";
  const std::string why = status == kMethodNotAllowed ? "the method must be " + std::string(allowed)
                          : status == kNotFound       ? "not found"
                                                : "the service cannot be reached now, try again";
  text::json::ObjectWriter(response.body)
      .string("error", status == kUnavailable ? "temporarily_unavailable" : "invalid_request")
      .string("error_description", why)
      .end();
  return response;
}

}  // namespace

Response refusal(ErrorForm form, const Request& request, int status, std::string_view allowed) {
  const std::string words = status == kMethodNotAllowed
                                ? "method not allowed, use one of " + std::string(allowed)
                                : "temporarily unavailable";
  switch (form) {
    case ErrorForm::Api: return api_error(status, words);
    case ErrorForm::Oauth: return oauth_error(status, allowed);
    case ErrorForm::Xml: return xml_error(status, words);
    case ErrorForm::ByFormat:
      if (text::Form::parse(request.query).find("format") == "xml") return xml_error(status, words);
      break;
    default: break;
  }
  return json_error(status, words);
}

Response xml_error(int status, std::string_view message) {
  Response response;
  response.status = status;
  response.content_type = "text/xml; charset=utf-8";
  response.body = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<error>";
  text::append_xml_escaped(response.body, message);
  response.body += "</error>\n";
  return response;
}

}  // namespace svc::http
