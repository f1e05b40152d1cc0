// The ids of a conversation's calls as a server takes them: the same in every request.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace sluice {

struct IdRules {
  enum class Form : uint8_t {
    any,
    nine,   // nine letters or digits
    named,  // functions.NAME:N, N counts all calls from 0
  };
  Form form = Form::any;
  bool (*in_id)(char c) = nullptr;  // may this character stand in an id? nullptr: any may
  size_t most_bytes = 256;
  bool once_in_all = false;  // no two calls of the conversation have one id; if not, no two of a message have
};

// Gives ids in the order of the calls.
class SentIds {
 public:
  explicit SentIds(const IdRules &rules) : rules_(rules) {}

  void begin_message() {
    if (!rules_.once_in_all) used_.clear();
  }
  // `own`: the id that the call has; may be empty. `name`: the server's name of the tool.
  std::string give(std::string_view own, std::string_view name);
  void keep(std::string id) { used_.insert(std::move(id)); }  // of a call that goes back as it came

  // The id of a result whose call nobody knows.
  std::string legal(std::string_view own) const;

 private:
  const IdRules rules_;
  std::set<std::string> used_;
  size_t calls_ = 0;
};

}  // namespace sluice
