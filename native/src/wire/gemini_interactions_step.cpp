#include "wire/gemini_interactions_step.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

constexpr std::string_view kCallEnd = "_call", kResultEnd = "_result";

// Members of a result that are pages of HTML or tokens for a widget.
bool is_widget(std::string_view key) { return is_one_of(key, {"search_suggestions", "widget_context_token"}); }

// The object without such members; empty: it has no others.
std::string without_widgets(std::string_view object) {
  std::string out;
  ObjectWriter written(out);
  for (JsonSlices members(object); members.next();)
    if (!is_widget(members.key_text())) written.raw(members.bare_key(), members.value());
  written.close();
  return out == "{}" ? std::string() : out;
}

}  // namespace

StepKind step_kind(std::string_view type) {
  if (type == "model_output") return StepKind::output;
  if (type == "thought") return StepKind::thought;
  if (type == "function_call") return StepKind::call;
  if (type == "function_result") return StepKind::other;
  if (type.ends_with(kCallEnd)) return StepKind::provider_call;
  return type.ends_with(kResultEnd) ? StepKind::provider_result : StepKind::other;
}

std::string tool_of_step(JsonView step) {
  std::string_view type = step["type"].string();
  for (const std::string_view end : {kCallEnd, kResultEnd})
    if (type.ends_with(end)) type.remove_suffix(end.size());
  if (type == "mcp_server_tool")
    if (const std::string_view name = step["name"].string(); !name.empty()) type = name;
  return repair_utf8(type);
}

void InteractionStep::end_text() {
  if (text.empty() && annotations.empty()) return;
  std::string part;
  ObjectWriter written(part);
  written.text("type", "text").text("text", join_surrogates(text));
  if (!annotations.empty()) written.raw("annotations", "[" + annotations + "]");
  written.close();
  text.clear();
  annotations.clear();
  parts.append(parts.empty() ? "" : ",").append(part);
}

void InteractionStep::add_part(std::string_view json) {
  end_text();
  parts.append(parts.empty() ? "" : ",").append(json);
}

std::string InteractionStep::said(bool whole) {
  end_text();
  const bool thinks = kind == StepKind::thought;
  const bool is_signed = !json_member_text(start, "signature").empty();
  // Half a thought is none without its signature.
  if (thinks ? !is_signed && (!whole || parts.empty()) : parts.empty()) return {};
  ItemText written(start);
  if (!parts.empty()) written.set(thinks ? "summary" : "content", "[" + parts + "]");
  return written.write();
}

std::string InteractionStep::called(size_t max_depth) const {
  const bool object = json_kind(text) == '{' && check_json(text, max_depth).ok();
  ItemText written(start);
  written.set("arguments", object ? std::string(trim_json(text)) : "{}");
  return written.write();
}

void InteractionStep::save(std::string &out) const {
  ObjectWriter saved(out);
  saved.number("index", index).number("kind", static_cast<int64_t>(kind)).number("slot", slot);
  saved.boolean("announced", announced).boolean("closed", closed).boolean("paragraph", paragraph);
  saved.text("start", start).text("parts", parts);
  append_saved_bytes(saved.value("text"), text);
  saved.text("annotations", annotations);
  append_saved_bytes(saved.value("held"), joiner.held());
  saved.text("item", item);
  saved.close();
}

void InteractionStep::load(const SavedReader &from, size_t max_depth) {
  uint32_t number = 0;
  from.get("index", index);
  from.get("kind", number);
  kind = static_cast<StepKind>(std::min<uint32_t>(number, static_cast<uint32_t>(StepKind::other)));
  from.get("slot", slot);
  from.get("announced", announced);
  from.get("closed", closed);
  from.get("paragraph", paragraph);
  from.text("start", start);
  from.text("parts", parts);
  from.get("text", text);
  from.text("annotations", annotations);
  from.text("item", item);
  std::string held;
  from.get("held", held);
  joiner.restore(std::move(held));
  const auto is_object = [&](const std::string &json) {
    return json_kind(json) == '{' && check_json(json, max_depth + kAroundArguments).ok();
  };
  if (!is_object(start)) start = "{}";
  if (!is_object(item)) item.clear();
  for (std::string *const list : {&parts, &annotations})
    if (!check_json("[" + *list + "]", max_depth + kAroundArguments).ok()) list->clear();
}

std::optional<Media> read_interaction_media(JsonView content) {
  const std::string_view type = content["type"].string();
  if (!is_one_of(type, {"image", "audio", "document", "video"})) return std::nullopt;
  Media media;
  media.picture = type == "image";
  media.media_type = content["mime_type"].string();
  media.data = content["data"].string();
  media.name = content["name"].string();
  if (media.picture && media.media_type.empty() && !media.data.empty()) media = picture_of(media.data);
  const std::string_view address = content["uri"].string();
  if (const auto found = media_at(address, media.picture); found && media.data.empty()) media.url = found->url;
  if (media.url.empty() && media.data.empty()) media.id = address;
  if (media.data.empty() && media.url.empty() && media.id.empty()) return std::nullopt;
  return media;
}

ProvidedResult read_provided_result(JsonView result) {
  ProvidedResult out;
  if (result.kind() == '"') {
    out.text = repair_utf8(join_surrogates(result.string()));
    return out;
  }
  if (result.kind() != '[') {
    if (result.is_object()) out.text = repair_utf8(result.text());
    return out;
  }
  std::string rest;  // what is neither a text nor a file
  bool contents = true, changed = false;
  result.items([&](JsonView item) {
    const bool text = item["type"].string() == "text" && item["text"].kind() == '"';
    const auto media = read_interaction_media(item);
    contents = contents && (text || media.has_value());
    if (media) out.media.push_back(*media);
    if (text) out.text.append(out.text.empty() ? "" : "\n").append(join_surrogates(item["text"].string()));
    const std::string kept = item.is_object() ? without_widgets(item.text()) : std::string(item.text());
    changed = changed || media || kept.size() != item.text().size();
    if (!media && !kept.empty()) rest.append(rest.empty() ? "" : ",").append(kept);
  });
  if (!contents) out.text = !changed ? std::string(result.text()) : rest.empty() ? std::string() : "[" + rest + "]";
  out.text = repair_utf8(out.text);
  return out;
}

void read_provided_sources(std::string_view type, JsonView result, std::vector<Source> &out) {
  const size_t before = out.size();
  result.items([&](JsonView item) {
    if (type == "google_maps_result")
      read_interaction_sources(item["places"], out);
    else if (type == "google_search_result" ||
             (type == "url_context_result" && is_one_of(item["status"].string(), {"", "success"})))
      read_interaction_sources(item, out);
  });
  if (type == "google_maps_result")
    for (size_t at = before; at < out.size(); ++at) out[at].kind = Source::Kind::map;
}

}  // namespace sluice
