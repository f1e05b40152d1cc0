#include "wire/body.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace sluice {

RequestBody::RequestBody(std::string_view host) : host_(trim_json(host)) {}

std::optional<std::string_view> RequestBody::member(std::string_view key) const { return json_member(host_, key); }

RequestBody &RequestBody::set(std::string_view key, Write write) {
  changes_.push_back({key, std::move(write)});
  return *this;
}

RequestBody &RequestBody::set(std::string_view key, std::string json) {
  return set(key, [json = std::move(json)](std::string &out) { out += json; });
}

RequestBody &RequestBody::set_default(std::string_view key, std::string_view json) {
  return member(key) ? *this : set(key, std::string(json));
}

RequestBody &RequestBody::take_out(std::string_view key) { return set(key, Write()); }

std::string RequestBody::write(size_t room) const {
  std::string out;
  out.reserve(host_.size() + room + 64);
  std::vector<bool> done(changes_.size());
  bool first = true;
  const char *from = host_.data() + 1;  // where the text before the next member begins
  out += '{';
  for (JsonSlices members(host_); members.next();) {
    const std::string key = members.key_text();
    const std::string_view value = members.value();
    const auto change =
        std::find_if(changes_.begin(), changes_.end(), [&](const Change &one) { return one.key == key; });
    if (change != changes_.end() && !change->write) {
      from = value.data() + value.size();
      continue;
    }
    std::string_view before(from, static_cast<size_t>(value.data() - from));
    if (const size_t comma = before.find(','); first && comma < before.find('"')) before.remove_prefix(comma + 1);
    first = false;
    out += before;
    if (change == changes_.end()) {
      out += value;
    } else {
      change->write(out);
      done[static_cast<size_t>(change - changes_.begin())] = true;
    }
    from = value.data() + value.size();
  }
  out.append(from, host_.data() + host_.size() - 1);
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (done[i] || !changes_[i].write) continue;
    if (!std::exchange(first, false)) out += ',';
    append_json_string(out, changes_[i].key);
    out += ':';
    changes_[i].write(out);
  }
  out += '}';
  return out;
}

}  // namespace sluice
