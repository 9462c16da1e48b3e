// Described: the data API's responses according to the document /v1/openapi.json (api-N9). Site
// compares each response below /v1 with it, so no test needs a line for that.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::rules {

struct Answer;

class Described {
 public:
  explicit Described(const std::string& document);
  ~Described();
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  // Returns what of the response the document lacks; "" if it has all. The path is decoded.
  std::string why_not(std::string_view method, std::string_view path, const Answer& answer) const;

  struct Field {
    std::string name;
    std::string example;  // JSON; "": none
    bool is_required = false;
  };
  struct Operation {
    std::string method;
    std::string path;  // with placeholders
    std::string id;
    std::set<int> statuses;
    std::set<std::string> scopes;
    std::set<std::string> schemes;  // the security schemes
    bool takes_token_in_header = false;
    std::vector<Field> query;
    std::vector<Field> headers;
    std::vector<Field> body;  // of JSON, or of multipart/form-data if it takes nothing else
  };
  const std::vector<Operation>& operations() const { return operations_; }

  // "RECORD.FIELD", of all records.
  std::set<std::string> fields() const;
  // Adds those that are in a response.
  void add_fields_in(std::string_view method, std::string_view path, const Answer& answer,
                     std::set<std::string>& seen) const;
  // Returns the places of schemas that allow any value, except those that declare so.
  std::vector<std::string> vacuous() const;

 private:
  struct Document;
  // nullptr: no path is that.
  const std::string* pattern_of(std::string_view path) const;

  std::unique_ptr<Document> document_;
  std::vector<Operation> operations_;
};

}  // namespace svc::rules
