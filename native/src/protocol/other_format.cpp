#include "protocol/other_format.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/sort.h"
#include "base/text.h"
#include "protocol/profiles.h"
#include "protocol/quiet_sink.h"

namespace sluice {
namespace {

constexpr size_t kMostText = 65536;  // a model that calls in another format does so early
constexpr size_t kLeastOpener = 5;   // bytes: shorter ones stand in any text

class NoTools final : public ToolView {
 public:
  bool known(std::string_view) const override { return false; }
  bool declares(std::string_view, std::string_view) const override { return false; }
  std::string text_parameter(std::string_view) const override { return {}; }
  List takes_list(std::string_view, std::string_view) const override { return List::no; }
  std::vector<std::string_view> names() const override { return {}; }
};

// The first call of a known tool that was read without a fault.
class FirstCall final : public QuietSink {
 public:
  explicit FirstCall(const ToolView &tools) : tools_(tools), any_(tools.names().empty()) {}
  void on_call_close(std::string_view, std::vector<ParsedCall> &calls, std::string_view raw, size_t, size_t) override {
    for (ParsedCall &call : calls) {
      if (found || !call.reason.empty() || call.name.empty() || !(any_ || tools_.known(call.name))) continue;
      found = true;
      written = raw;
      first = std::move(call);
    }
  }

  bool found = false;
  std::string written;
  ParsedCall first;

 private:
  const ToolView &tools_;
  const bool any_;
};

std::shared_ptr<const Protocol> protocol_of(std::string_view id) {
  std::shared_ptr<const Protocol> protocol;
  if (!make_protocol(json_string(id), protocol).ok()) protocol.reset();
  return protocol;
}

// Is the whole text one JSON object with a name and arguments, and nothing else? Whether a tool has the name, the
// protocols that read it say.
bool is_bare_call(std::string_view text, size_t depth) {
  text = trim(text);
  if (!text.starts_with('{') || !check_json(text, depth).ok()) return false;
  bool name = false, arguments = false, other = false;
  for (JsonSlices members(text); members.next();) {
    const std::string key = members.key_text();
    if (key == "name" && json_kind(members.value()) == '"')
      name = true;
    else if ((key == "arguments" || key == "parameters") && json_kind(members.value()) == '{')
      arguments = true;
    else
      other = true;
  }
  return name && arguments && !other;
}

// The ids of the protocols that read JSON without any marks.
const std::vector<std::string_view> &bare_ids() {
  static const auto list = [] {
    std::vector<std::string_view> all;
    for (const std::string_view id : protocol_ids())
      if (const auto protocol = protocol_of(id)) {
        const auto markers = protocol->openers(NoTools());
        if (std::any_of(markers.begin(), markers.end(), [](const Marker &one) { return one.bytes == "{"; }))
          all.push_back(id);
      }
    return all;
  }();
  return list;
}

// Opener → the ids of the protocols that have it.
const std::map<std::string, std::vector<std::string_view>> &openers() {
  static const auto table = [] {
    std::map<std::string, std::vector<std::string_view>> all;
    for (const std::string_view id : protocol_ids())
      if (const auto protocol = protocol_of(id))
        for (const Marker &marker : protocol->openers(NoTools()))
          if (!marker.common && !marker.wraps && marker.bytes.size() >= kLeastOpener) all[marker.bytes].push_back(id);
    return all;
  }();
  return table;
}

size_t models_of(std::string_view id) {
  const auto &all = profiles();
  return static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&](const Profile &one) { return one.protocol == id; }));
}

std::string without_any_white(std::string_view text) {
  std::string out(text);
  std::erase_if(out, is_white);
  return out;
}

}  // namespace

std::string_view find_other_format(std::string_view text, const Protocols &read, const ToolView &tools,
                                   const ScanLimits &limits) {
  text = first_bytes(text, kMostText);
  std::vector<std::string_view> candidates;
  for (const auto &[opener, ids] : openers())
    if (text.find(opener) != text.npos) candidates.insert(candidates.end(), ids.begin(), ids.end());
  if (is_bare_call(text, limits.depth)) candidates.insert(candidates.end(), bare_ids().begin(), bare_ids().end());
  sort_all(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::string_view best;
  size_t most = 0;
  for (const std::string_view id : candidates) {
    if (std::any_of(read.begin(), read.end(), [&](const auto &one) { return one->id() == id; })) continue;
    const auto protocol = protocol_of(id);
    FirstCall call(tools);
    const auto scanner = make_scanner({protocol}, tools, limits, {}, call);
    scanner->feed(text);
    scanner->finish(TextEnd::cut);
    if (!call.found) continue;
    // Many formats read what another one writes, and some write alike: take the one that writes exactly so, else the
    // one of the most models.
    std::string own;
    protocol->write_call(call.first.id, call.first.name, call.first.arguments, own);
    const bool exact =
        without_any_white(own).find(without_any_white(call.written)) != own.npos;  // a section is none of it
    const size_t likely = 1 + models_of(id) + (exact ? profiles().size() : 0);
    if (likely > most) best = id;
    most = std::max(most, likely);
  }
  return best;
}

}  // namespace sluice
