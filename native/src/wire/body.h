// The body of a request: the host's own, byte for byte, except for the few members that the engine sets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class RequestBody {
 public:
  using Write = std::function<void(std::string &out)>;  // appends a JSON value

  explicit RequestBody(std::string_view host);  // a checked JSON object, which must outlive this

  std::optional<std::string_view> member(std::string_view key) const;  // of the host
  // Sets a member: in the place of the host's, else behind everything, in the order of these calls.
  RequestBody &set(std::string_view key, Write write);
  RequestBody &set(std::string_view key, std::string json);
  RequestBody &set_default(std::string_view key, std::string_view json);  // unless the host gave it
  RequestBody &take_out(std::string_view key);
  // `room`: bytes that the members will take, so that a large body grows once.
  std::string write(size_t room = 0) const;

 private:
  struct Change {
    std::string_view key;
    Write write;  // nothing: the member is taken out
  };

  const std::string_view host_;
  std::vector<Change> changes_;
};

}  // namespace sluice
