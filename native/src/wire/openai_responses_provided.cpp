#include "wire/openai_responses_provided.h"

#include "base/json_writer.h"
#include "base/utf8.h"

namespace sluice {
namespace {

// A list of outputs without its pictures; empty: nothing else is in it.
std::string outputs_of(JsonView outputs) {
  std::string list;
  bool pictures = false;
  outputs.items([&](JsonView output) {
    const bool picture = output["type"].string() == "image";
    pictures = pictures || picture;
    if (!picture) list.append(list.empty() ? "" : ",").append(output.text());
  });
  if (!pictures) return words_of(outputs);
  return list.empty() ? list : repair_utf8("[" + list + "]");
}

}  // namespace

std::string words_of(JsonView value) { return repair_utf8(value.kind() == '"' ? value.string() : value.text()); }

std::string asked_of_tool(JsonView item) {
  const JsonView arguments = item["arguments"];
  if (arguments.kind() == '"') return repair_utf8(arguments.string());
  for (const std::string_view key : {"arguments", "action", "operation"})
    if (const JsonView value = item[key]; value.is_object()) return std::string(value.text());
  std::string out;
  ObjectWriter object(out);
  for (const std::string_view key : {"server_label", "queries", "code", "actions", "input"})
    if (const JsonView value = item[key]; !is_null(value)) object.raw(key, value.text());
  object.close();
  return out == "{}" ? std::string() : out;
}

std::string given_by_tool(std::string_view type, JsonView item) {
  if (type == "image_generation_call") return {};
  for (const std::string_view key : {"output", "outputs", "results", "result", "tools"})
    if (const JsonView value = item[key]; !is_null(value))
      return key == "outputs" ? outputs_of(value) : words_of(value);
  return {};
}

std::vector<Media> media_of_tool(std::string_view type, JsonView item) {
  std::vector<Media> media;
  if (type == "image_generation_call") {
    const JsonView result = item["result"];
    if (const std::string_view data = result.string(); !data.empty() && data.find(':') == std::string_view::npos)
      media.push_back(picture_of(data, item["output_format"].string()));
    else if (const auto picture = read_picture(result))
      media.push_back(*picture);
  }
  item["outputs"].items([&](JsonView output) {
    if (output["type"].string() != "image") return;
    if (const auto picture = read_picture(output)) media.push_back(*picture);
  });
  return media;
}

}  // namespace sluice
