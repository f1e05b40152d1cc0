#include "wire/content_pieces.h"

#include "base/text.h"

namespace sluice {
namespace {

constexpr int kMostLevels = 4;

bool thinks(std::string_view type) { return type.starts_with("reasoning") || type.starts_with("thinking"); }

// {type: text, text}, {type: text, content}, {type: thinking, thinking: […]}, {text}, …
void read(JsonView value, ContentPiece piece, std::vector<ContentPiece> &out, int within) {
  const char kind = value.kind();
  if (kind == '"') {
    piece.text = value.string();
    if (!piece.text.empty()) out.push_back(piece);
  } else if (kind == '[' && within < kMostLevels) {
    value.items([&](JsonView item) { read(item, piece, out, within + 1); });
  } else if (kind == '{' && within < kMostLevels) {
    const std::string_view type = value["type"].string();
    piece.reasoning = piece.reasoning || thinks(type);
    const bool plain = (type.empty() || type.ends_with("text") || thinks(type)) && !value["text"];
    value.members([&](std::string_view key, JsonView member) {
      if (key == "text" || (key == "content" && plain))
        read(member, piece, out, within + 1);
      else if (key == "refusal")
        read(member, {.reasoning = piece.reasoning, .refusal = true}, out, within + 1);
      else if (is_one_of(key, {"thinking", "reasoning", "summary"}))
        read(member, {.reasoning = true}, out, within + 1);
    });
  }
}

}  // namespace

void read_content(JsonView content, ContentPiece kind, std::vector<ContentPiece> &out) { read(content, kind, out, 0); }

}  // namespace sluice
