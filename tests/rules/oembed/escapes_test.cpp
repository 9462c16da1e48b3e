// oembed-R5 and oembed-O2: no text of a user or client leaves its place in a response or on a page.
#include <gtest/gtest.h>

#include <algorithm>

#include "rules/oembed/oembed.h"
#include "text/uri.h"

namespace svc::rules {
namespace {

using namespace std::string_literals;

using OembedEscapes = OembedRules;

const Texts kKinds{"embedType=iframe",        "videoFoam=true",
                   "embedType=async",         "embedType=async&videoFoam=true",
                   "embedType=async_popover", "embedType=open_graph_tags",
                   "embedType=web_component"};
const Texts kListKinds{"embedType=playlist_api", "embedType=playlist_popover",
                       "embedType=playlist_iframe"};

// A document in which each quoted string is empty: equal documents have the same markup.
std::string skeleton(std::string text) {
  for (const char* escape : {"\\\\", "\\\""})
    for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos;) text.erase(at, 2);
  std::string out;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted || c == '"' || c == '<' || c == '>' || (c >= 0 && c < ' ')) out += c;
  }
  return out;
}
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); });
}

// The code in a response of any form.
std::string html_in(const Answer& answer) {
  if (answer.type == kXml) {
    const std::size_t begin = answer.body.find("<html>") + 6;
    return unescaped(answer.body.substr(begin, answer.body.find("</html>") - begin));
  }
  const std::size_t begin = answer.body.find('{');
  return value_of(answer.body.substr(begin, answer.body.rfind('}') + 1 - begin), "html");
}

// Titles as in JSON.
const Texts kTitles = words(
    "</title><script>alert(1)</script> </textarea><script>alert(1)</script> <!--<script> "
    "--> ]]> <![CDATA[x]]> &quot;&gt;&lt;script&gt; &#34;&#62;&#x3c; &amp;quot; "
    "*/alert(1);/* {{TITLE}}{{#X}}{{!y}} %s%n%22%3E ${alert(1)}` javascript:alert(1)",
    {R"(\"><script>alert(1)</script>)", R"(' onload='alert(1))", R"(\" onload=\"alert(1))",
     "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///x'>]>&e;", "<?xml version='1.0'?>",
     R"(\\\"};alert(1);//)", R"(\\u003cscript\\u003e)", R"(a\u2028b\u2029c)", R"(a\nb\rc\r\nd\te)",
     R"(a\u0000b)", R"(a\u0001b\u0008c\u001bd\u007fe)", R"(a\u0080b\u0085c\u009fd)",
     R"(a\ufffeb\uffffc\ufdd0e)", R"(\u202egnp.exe\u202c)", R"(\ufeffa)",
     R"({{%AUTOESCAPE context=\"JS\"}})", " leading and trailing ", std::string(2048, '<'),
     std::string(2048, '&')});

TEST_F(OembedEscapes, OembedR5ATitleCannotEscapeItsContext) {
  import_film("plain");
  import_playlist("plain", {"plain"}, R"("Launch film")");
  for (const std::string& title : kTitles) {
    SCOPED_TRACE(title);
    import_film("host1le", {{"name", '"' + title + '"'}});
    import_playlist("host1le", {"host1le"}, '"' + title + '"');
    const std::string meant = value_of("{\"title\":\"" + title + "\"}", "title");
    const auto same_markup = [&](const std::string& hostile, const std::string& plain) {
      const Answer is = ask(hostile);
      EXPECT_EQ(value_of(is, "title"), meant);
      EXPECT_EQ(is.body.find_first_of("<>&\x7f"), std::string::npos);
      EXPECT_EQ(is.body.find("\u2028"), std::string::npos);
      const std::string html = value_of(is, "html");
      EXPECT_EQ(skeleton(html), skeleton(html_of(plain)));
      EXPECT_EQ(count(html, "'"), 0u);
      const Answer xml = ask(hostile + "&format=xml");
      EXPECT_EQ(count(xml.body, "<"), count(ask(plain + "&format=xml").body, "<"));
      EXPECT_EQ(count(xml.body, "]]>"), 0u);
      EXPECT_EQ(skeleton(html_in(xml)), skeleton(html));
    };
    for (const std::string& kind : kKinds) same_markup(film(kind, "host1le"), film(kind, "plain"));
    for (const std::string& kind : kListKinds)
      same_markup(list(kind, "host1le"), list(kind, "plain"));
    const std::string tags = html_of(film("embedType=open_graph_tags", "host1le"));
    if (std::ranges::none_of(meant, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; })) {
      EXPECT_EQ(unescaped(tags.substr(35, tags.find("\">\n") - 35)), meant) << tags;
    }
    for (const std::string& page :
         Texts{"/medias/", "/embed/iframe/", "/embed/playlists/", "/embed-codes?url="}) {
      std::string shown = ask(page + "host1le").body;
      std::string plain = ask(page + "plain").body;
      for (std::string* text : {&shown, &plain}) {
        const std::size_t data = text->find("{\"@context");
        if (data == std::string::npos) continue;
        const std::size_t end = text->find("</script>", data);
        EXPECT_NE(value_of(text->substr(data, end - data), "name"), "none");
        text->erase(data, end - data);
      }
      for (const char* part : {"<", ">", "\"", "'"})
        EXPECT_EQ(count(shown, part), count(plain, part)) << page << part << shown;
      EXPECT_TRUE(std::ranges::none_of(
          shown, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == 0x7f; }));
    }
    for (const char* data : {"/embed/medias/host1le.json", "/embed/playlists/host1le.json"})
      EXPECT_EQ(value_of(ask(data), "title"), meant);
  }
}

// Some clients decode entities twice.
TEST_F(OembedEscapes, OembedR5ReplacesMarkupInIframeTitlesByLookAlikes) {
  for (const auto& [title, attribute] :
       {std::pair("Launch film", "Launch film Video"),
        {"", "Video"},
        {R"(a\"b)", "a”b Video"},
        {"<b>x</b>", "‹b›x‹/b› Video"},
        {"Q&A's", "Q&amp;A&#39;s Video"},
        {"&quot;", "&amp;quot; Video"},
        {R"(\"><script>alert('x')</script>)", "”›‹script›alert(&#39;x&#39;)‹/script› Video"},
        {"Ćlara 陈 😀", "Ćlara 陈 😀 Video"}}) {
    import_film("titled", {{"name", '"' + std::string(title) + '"'}});
    const std::string html = html_of(film("", "titled"));
    EXPECT_NE(html.find(" title=\"" + std::string(attribute) + "\" allow="), std::string::npos)
        << html;
  }
}

// Values that would end an attribute, a word of a class, a string of a script, an element or a
// header.
Texts values() {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  return words(
      "\" ' \"><script>alert(1)</script> </script><script>alert(1)// <!--<script> ]]> &a=b "
      "&quot;&gt;&#34;&#x3e; \\\";alert(1);// \\u0022\\x22 });alert(1);({ {{TITLE}} %2522%253E "
      "\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf \xed\xa0\x80\xed\xbf\xbf \ufffe\uffff "
      "\xf4\x90\x80\x80\xf8\x88\x80\x80\x80 \u2028\u2029 javascript:alert(1)",
      {every_byte, "\" onload=\"alert(1)", "' x='", " popover=true svc_async_x",
       "x\r\nSet-Cookie: a=b\r\n\r\n<script>", ""});
}

TEST_F(OembedEscapes, OembedO2OembedR5AValueCannotEscapeItsContext) {
  const auto given = [](const std::string& value) {
    std::string query;
    for (const char* name : {"playerColor", "stillUrl", "theme", "email", "plugin[a][b]",
                             "videoOptions[volume]", "media_0_1[x]", "width", "maxheight",
                             "videoWidth", "handle", "popover", "loading", "unknown", "_"})
      query += "&"s + name + "=" + text::percent_encode(value);
    return query;
  };
  for (const std::string& value : values()) {
    SCOPED_TRACE(value);
    const auto check = [&](const std::string& target, const std::string& theme) {
      const Answer answer = ask(target + given(value));
      const std::string html = html_in(answer);
      EXPECT_EQ(skeleton(html), skeleton(html_of(target + given("1x"))));
      EXPECT_TRUE(is_ascii(html) || target.find("playlist_api") != std::string::npos) << html;
      EXPECT_NE(html.find(theme), std::string::npos) << html;
      EXPECT_EQ(answer.body.find_first_of("<>&"), std::string::npos);
      EXPECT_EQ(answer.header("Set-Cookie"), "none");
      const Answer xml = ask(target + given(value) + "&format=xml");
      EXPECT_EQ(count(xml.body, "<"), count(ask(target + given("1x") + "&format=xml").body, "<"));
      EXPECT_EQ(skeleton(html_in(xml)), skeleton(html));
      EXPECT_EQ(ask(target + given(value) + "&callback=svc.cb").body,
                "/**/svc.cb(" + answer.body + ");");
    };
    const std::string escaped = "theme=" + text::percent_encode(value);
    for (const std::string& kind : kKinds) {
      const bool has_none = kind.find("graph") != std::string::npos;
      const bool has_attributes = kind.find("component") != std::string::npos;
      check(film(kind), has_none ? "" : has_attributes ? " theme=\"" : escaped);
    }
    for (const std::string& kind : kListKinds)
      check(list(kind), kind.find("api") != std::string::npos ? "\"theme\":\"" : escaped);
  }
}

TEST_F(OembedEscapes, OembedR5AFieldOfTheFormCannotEscapeItsContext) {
  for (const std::string& url : Texts{"l4unchf1lm", "unkn0wn"}) {
    for (const std::string& field : Texts{"url", "embedType", "width", "playerColor", "videoFoam",
                                          "autoPlay", "muted", "unknown"}) {
      const auto page = [&](const std::string& value) {
        return ask("/embed-codes?url=" + (field == "url" ? text::percent_encode(value) : url) +
                   "&" + field + "=" + text::percent_encode(value));
      };
      const std::string plain = page("x").body;
      for (const std::string& value : values()) {
        if (value.empty()) continue;
        const Answer answer = page(value);
        EXPECT_EQ(answer.status, 200);
        for (const char* part : {"<", ">", "\"", "'"})
          EXPECT_EQ(count(answer.body, part), count(plain, part)) << field << part << answer.body;
      }
    }
  }
}

}  // namespace
}  // namespace svc::rules
