#include "wire/sent_message.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json.h"
#include "base/surrogates.h"
#include "base/text.h"
#include "wire/key_names.h"

namespace sluice {
namespace {

// One part in OpenAI's shape, or in the provider's own.
SentPart read_part(std::string_view json) {
  SentPart part;
  part.json = trim_json(json);
  const std::string type = json_member_text(json, "type");
  if (const auto text = json_member(json, "text");
      text && json_kind(*text) == '"' && is_one_of(type, {"", "text", "input_text", "output_text"})) {
    // Members beside the text, such as cache_control, are the provider's: the part stays as it is.
    size_t members = 0;
    for (JsonSlices all(json); all.next();) ++members;
    part.kind = members > (type.empty() ? 1u : 2u) && type == "text" ? SentPart::Kind::other : SentPart::Kind::text;
    part.text = json_text(*text);
    return part;
  }
  part.kind = SentPart::Kind::other;
  if (type == "image_url") {
    const auto image = json_member(json, "image_url");
    part.text = image && json_kind(*image) == '"' ? json_text(*image)
                : image                           ? json_member_text(*image, "url")
                                                  : std::string();
    if (!part.text.empty()) part.kind = SentPart::Kind::image;
  } else if (const auto file = json_member(json, "file"); type == "file" && file && json_kind(*file) == '{') {
    part.kind = SentPart::Kind::file;
    part.json = trim_json(*file);
  }
  return part;
}

void read_parts(std::string_view content, std::vector<SentPart> &out) {
  const auto add = [&](SentPart part) {
    if (part.kind != SentPart::Kind::text || !part.text.empty()) out.push_back(std::move(part));
  };
  if (json_kind(content) == '"') add({SentPart::Kind::text, json_text(content), {}});
  if (json_kind(content) == '[')
    for (JsonSlices parts(content); parts.next();) add(read_part(parts.value()));
}

// The calls of one assistant message, in order, as the provider may read them. Each has a result, in the same order:
// ids tell nothing about that, since a message may use one of them twice, or have none.
class SentCalls {
 public:
  explicit SentCalls(const IdRules &rules) : rules_(rules), ids_(rules) {}

  struct Given {
    std::string sent, name;
    std::string_view item;  // the call's own, if the message goes back as items
  };

  void begin_message() {
    now_.clear();
    ids_.begin_message();
    answered_ = 0;
  }
  // `native`: the call's own item, if the message goes back as items. `sent_name`: the server's name of the tool.
  std::string give(const std::string &id, std::string name, std::string_view sent_name, const NativeCall *native) {
    const bool nameless = native != nullptr && native->id.empty() && !rules_.once_in_all;
    std::string sent;
    if (!nameless) sent = ids_.give(native == nullptr || native->id.empty() ? id : native->id, sent_name);
    now_.push_back({sent, std::move(name), native != nullptr ? native->item : std::string_view()});
    return sent;
  }
  // The call of the next result. nullptr: there is none.
  const Given *next_answered() { return answered_ < now_.size() ? &now_[answered_++] : nullptr; }

 private:
  const IdRules rules_;
  SentIds ids_;
  std::vector<Given> now_;
  size_t answered_ = 0;
};

class Taker {
 public:
  Taker(const RequestParts &parts, const SentRules &rules)
      : parts_(parts), rules_(rules), names_(parts), calls_(rules.ids) {}

  std::vector<SentMessage> all() {
    for (size_t i = 0; i < parts_.messages.size(); ++i) {
      const size_t before = out_.size();
      take(parts_.messages[i]);
      if (out_.size() > before && i < parts_.origins.size()) out_.back().origin = parts_.origins[i];
    }
    return std::move(out_);
  }

 private:
  void take(std::string_view json) {
    std::string_view content, calls, metadata;
    std::string role, answers, name;
    for (JsonSlices members(json); members.next();) {
      const std::string key = members.key_text();
      const std::string_view value = members.value();
      if (key == "role") role = json_text(value);
      if (key == "content") content = value;
      if (key == "tool_calls" && json_kind(value) == '[') calls = value;
      if (key == "metadata") metadata = value;
      if (key == "tool_call_id" && json_kind(value) == '"') answers = json_text(value);
      if (key == "name" && json_kind(value) == '"') name = json_text(value);
    }
    SentMessage message;
    read_parts(content, message.parts);
    if (role == "assistant") {
      message.role = SentMessage::Role::assistant;
      take_calls(calls, metadata, message);
    } else if (role == "tool") {
      message.role = SentMessage::Role::tool;
      answered_.push_back({answers, out_.size()});
      const SentCalls::Given *const call = calls_.next_answered();
      message.answers = call != nullptr ? call->sent : answers;
      if (call != nullptr) message.call_native = call->item;
      const std::string &called = call != nullptr && !call->name.empty() ? call->name : name;
      if (call != nullptr || !called.empty()) message.name = names_(called);
      const std::string_view tool_call = json_member(metadata, "toolCall").value_or("");
      const std::string status = json_member_text(tool_call, "status");
      message.json = trim_json(json_member(tool_call, "json").value_or("")) == "true";
      message.by_user = json_member_text(tool_call, "by") == "user";
      message.failed = !is_one_of(status, {"", "success", "completed", "done"});
      if (rules_.images_with_results) move_images(message.parts, message.images);
    } else if (role == "user") {
      if (rules_.images_with_results && give_images(metadata, message.parts)) return;
    } else {
      message.role = SentMessage::Role::system;
      message.developer = role == "developer";
    }
    if (message.role != SentMessage::Role::tool && message.role != SentMessage::Role::user) {
      answered_.clear();
      if (message.role != SentMessage::Role::assistant) calls_.begin_message();
    }
    out_.push_back(std::move(message));
  }

  void take_calls(std::string_view calls, std::string_view metadata, SentMessage &message) {
    calls_.begin_message();
    std::vector<NativeCall> own;
    if (const auto native = json_member(metadata, "native")) {
      message.native = json_member(*native, "items").value_or("");
      message.opaque = !parts_.drop_opaque;
      message.beside = json_member(*native, "beside").value_or("");
      own = rules_.calls_of(message.native);
    }
    size_t index = 0;
    for (JsonSlices items(calls); items.next(); ++index) {
      const std::string_view function = json_member(items.value(), "function").value_or("{}");
      SentCall call;
      const std::string id = json_member_text(items.value(), "id"), name = json_member_text(function, "name");
      call.name = names_(name);
      call.id = calls_.give(id, name, call.name, index < own.size() ? &own[index] : nullptr);
      const auto arguments = json_member(function, "arguments");
      call.arguments = !arguments                     ? "{}"
                       : json_kind(*arguments) == '"' ? json_text(*arguments)
                                                      : std::string(trim_json(*arguments));
      if (const KeyNames *const keys = renamed_keys(parts_, name); keys != nullptr && json_kind(call.arguments) == '{')
        call.arguments = with_sent_keys(call.arguments, *keys);
      replace_lone_surrogates(call.arguments);
      message.calls.push_back(std::move(call));
    }
  }

  static void move_images(std::vector<SentPart> &from, std::vector<SentPart> &to) {
    const auto images = std::stable_partition(from.begin(), from.end(),
                                              [](const SentPart &part) { return part.kind != SentPart::Kind::image; });
    to.insert(to.end(), std::make_move_iterator(images), std::make_move_iterator(from.end()));
    from.erase(images, from.end());
  }

  // Gives the images of a message that holds nothing but the images of results to those results: of several results
  // with one id, each gets one, and the last of them the rest. Returns whether it is such a message.
  bool give_images(std::string_view metadata, std::vector<SentPart> &parts) {
    const auto calls = json_member(metadata, "imagesOf");
    if (!calls || json_kind(*calls) != '[' || answered_.empty()) return false;
    std::vector<SentPart> images;
    move_images(parts, images);
    size_t index = 0;
    std::map<std::string, size_t, std::less<>> before;  // images of each id
    for (JsonSlices ids(*calls); ids.next() && index < images.size(); ++index) {
      const std::string id = json_kind(ids.value()) == '"' ? json_text(ids.value()) : std::string();
      auto result = std::prev(answered_.end());
      size_t left = before[id]++ + 1;
      for (auto one = answered_.begin(); one != answered_.end() && left > 0; ++one)
        if (one->first == id) result = one, --left;
      out_[result->second].images.push_back(std::move(images[index]));
    }
    return true;
  }

  const RequestParts &parts_;
  const SentRules &rules_;
  const WireNames names_;
  SentCalls calls_;
  std::vector<SentMessage> out_;
  std::vector<std::pair<std::string, size_t>> answered_;  // results of the last message with calls: id, place in out_
};

}  // namespace

std::string SentMessage::text() const {
  std::string all;
  for (const SentPart &part : parts)
    if (!part.text.empty() && part.kind != SentPart::Kind::image) all += (all.empty() ? "" : "\n") + part.text;
  return all;
}

std::vector<SentMessage> sent_messages(const RequestParts &parts, const SentRules &rules) {
  return Taker(parts, rules).all();
}

std::string model_of(std::string_view body) { return json_member_text(body, "model"); }

namespace {

// `tools`: sorted by name, or nullptr.
const ToolOffer *named_offer(const std::vector<ToolOffer> *tools, std::string_view name) {
  if (tools == nullptr) return nullptr;
  const auto tool = std::lower_bound(tools->begin(), tools->end(), name,
                                     [](const ToolOffer &one, std::string_view key) { return one.name < key; });
  return tool != tools->end() && tool->name == name ? &*tool : nullptr;
}

}  // namespace

std::string WireNames::operator()(std::string_view name) const {
  const ToolOffer *const tool = named_offer(tools_, name);
  return tool != nullptr ? std::string(tool->wire_name) : wire_name_of(name);
}

const KeyNames *renamed_keys(const RequestParts &parts, std::string_view name) {
  const ToolOffer *const tool = named_offer(parts.tools, name);
  return tool == nullptr ? nullptr : tool->keys;
}

}  // namespace sluice
