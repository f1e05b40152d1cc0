#include "turn/history.h"

#include <algorithm>

#include "base/json_writer.h"
#include "turn/conversation.h"
#include "turn/message_content.h"
#include "turn/text_digest.h"

namespace sluice {
namespace {

constexpr size_t kDeepestStored = 1024;  // levels of JSON that is only checked

std::string_view requested_status(CardState state) {
  switch (state) {
    case CardState::streaming:
    case CardState::pending:
    case CardState::ready:
    case CardState::resolving:
    case CardState::approved: return "pending";
    case CardState::awaiting_approval: return "awaiting_approval";
    case CardState::executing:
    case CardState::awaiting_result_approval: return "executing";
    case CardState::denied:
    case CardState::result_rejected:
    case CardState::expired: return "denied";
    default: return "completed";
  }
}

std::string_view result_status(CardState state) {
  if (state == CardState::success) return "success";
  return requested_status(state) == "denied" ? "denied" : "error";
}

// Providers refuse a call without a name in the history.
std::string_view stored_name(const Card &card) {
  return card.requested_name().empty() ? std::string_view("unknown") : card.name();
}

void write_calls(const std::vector<const Card *> &cards, bool arguments, std::string &out) {
  out += '[';
  for (const Card *card : cards) {
    if (out.back() != '[') out += ',';
    ObjectWriter call(out);
    call.text("id", card->history_id).text("type", "function");
    ObjectWriter function(call.value("function"));
    function.text("name", stored_name(*card)).text("arguments", arguments ? card->sendable_arguments() : "{}");
    function.close();
    call.close();
  }
  out += ']';
}

void write_requested(const std::vector<const Card *> &cards, std::string &out) {
  out += '[';
  for (const Card *card : cards) {
    if (out.back() != '[') out += ',';
    ObjectWriter request(out);
    request.text("requestId", card->history_id).text("toolName", stored_name(*card));
    request.raw("args", card->arguments().empty() ? "{}" : card->arguments().view());
    request.text("status", requested_status(card->state()));
    // A withheld result must not leak into stored history, not even as an error text.
    const bool released = card->final() && card->state() != CardState::result_rejected;
    if (const std::string &error = released && !card->error().empty() ? card->error() : card->reason(); !error.empty())
      request.text("error", error);
    request.close();
  }
  out += ']';
}

// The pictures and files of content parts, without the brackets around them.
std::string media_of(std::string_view parts) {
  std::string list;
  for (JsonSlices all(parts); all.next();)
    if (json_member_text(all.value(), "type") != "text") list.append(list.empty() ? "" : ",").append(all.value());
  return list;
}

// The tools that the provider ran in a round, and what the model made, as a sentence each: what other providers read of
// them.
std::string provided_sentences(const Wording &words, const std::vector<const Card *> &provided,
                               std::string_view media) {
  std::string text;
  for (const Card *card : provided) {
    std::string said = card->requested_name();
    if (!card->arguments().empty()) said += " " + std::string(card->arguments().view());
    text += (text.empty() ? "" : "\n") + words(Word::provider_tool, said);
  }
  for (JsonSlices parts(media); parts.next();) {
    std::string said = json_member_text(parts.value(), "mediaType");
    for (const std::string_view key : {"name", "type"})
      if (said.empty()) said = json_member_text(parts.value(), key);
    text += (text.empty() ? "" : "\n") + words(Word::made_media, said);
  }
  return text;
}

// The messages of one round are made of these.
struct RoundParts {
  uint32_t number = 0;
  const Round *round = nullptr;
  std::vector<const Card *> cards;
  std::vector<const Card *> provided;  // tools that the provider ran
  std::string media;                   // pictures and files that the model made: JSON with commas between them
  std::string_view native;             // JSON array; empty: the message is made of its text and calls
};

// What the provider said in its own shape, with what decides whether it may go back.
void write_native(const Setup &setup, const RoundParts &parts, std::string_view content, ObjectWriter &metadata) {
  ObjectWriter native(metadata.value("native"));
  native.text("wire", setup.wire->id()).text("model", setup.model);
  if (!setup.endpoint.empty()) native.text("endpoint", setup.endpoint);
  if (setup.wire->echoes_answers()) native.text("digest", text_digest(content));
  if (!parts.round->beside.empty()) native.raw("beside", parts.round->beside);
  native.raw("items", parts.native).close();
}

std::string assistant_message(const Setup &setup, const RoundParts &parts, std::string_view text, bool stored) {
  const Round &round = *parts.round;
  const std::vector<const Card *> &cards = parts.cards;
  const bool raw = !cards.empty() && round.text_calls && !round.raw.empty();
  const bool arguments = stored || !raw;  // a request sends the raw text instead
  const std::string media = parts.media.empty() ? std::string() : "[" + parts.media + "]";
  const std::string provided = provided_sentences(setup.config.words, parts.provided, media);
  std::string out;
  ObjectWriter message(out);
  size_t size = text.size() + parts.native.size() + media.size() + (raw ? json_string_size(round.raw) : 0);
  for (const Card *card : cards)
    size += (arguments ? json_string_size(card->sendable_arguments()) : 0) + (stored ? card->arguments().size() : 0);
  message.reserve(size);
  message.text("role", "assistant");
  const std::string_view content = text.empty() && cards.empty() ? provided : text;  // a message says something
  if (!content.empty())
    message.text("content", content);
  else
    message.raw("content", "null");
  if (!cards.empty()) write_calls(cards, arguments, message.value("tool_calls"));
  ObjectWriter metadata(message.value("metadata"));
  metadata.number("round", parts.number);
  if (!cards.empty()) {
    if (round.text_calls) metadata.text("raw", round.raw);
    if (stored) write_requested(cards, metadata.value("toolCallsRequested"));
  }
  if (!parts.native.empty()) write_native(setup, parts, content, metadata);
  if (!provided.empty()) metadata.text("provided", provided);
  if (!media.empty()) metadata.raw("media", media);
  metadata.close();
  message.close();
  return out;
}

std::string result_message(const Wording &words, const Card &card, bool stored) {
  std::string out;
  ObjectWriter message(out);
  message.reserve(card.model_text().size() + (stored ? card.arguments().size() : 0));
  message.text("role", "tool").text("tool_call_id", card.history_id).text("name", stored_name(card));
  if (card.dropped)  // of the host's message: the model reads no more of it
    message.text("content", words(Word::not_run));
  else if (card.final() && card.has_model_text())
    message.text("content", card.model_text());
  else
    message.text("content", words(Word::not_finished));
  ObjectWriter metadata(message.value("metadata"));
  ObjectWriter call(metadata.value("toolCall"));
  call.text("requestId", card.history_id).text("toolName", stored_name(card));
  call.text("status", result_status(card.state()));
  if (card.started_at() && card.ended_at()) call.number("durationMs", *card.ended_at() - *card.started_at());
  const auto &approvals = card.approvals();
  const bool by_user = std::any_of(approvals.begin(), approvals.end(), [](const ApprovalRecord &record) {
    return record.decision == "approved" && record.by == "user" && record.stage == "execution";
  });
  if (by_user && card.tool != nullptr && card.tool->provider != nullptr) call.text("by", "user");
  if (stored) call.raw("rawArgs", card.arguments().empty() ? "{}" : card.arguments().view());
  if (card.state() == CardState::success && card.output_is_json() && check_json(card.model_text(), kDeepestStored).ok())
    call.boolean("json", true);
  call.close();
  metadata.close();
  message.close();
  return out;
}

// The result of an open call of the host's last message that the turn does not take up.
std::string result_of_untaken(const Wording &words, const OpenCall &call) {
  std::string out;
  ObjectWriter message(out);
  message.text("role", "tool").text("tool_call_id", call.id);
  if (!call.name.empty()) message.text("name", call.name);
  message.text("content", words(Word::not_run));
  ObjectWriter metadata(message.value("metadata"));
  ObjectWriter tool_call(metadata.value("toolCall"));
  tool_call.text("requestId", call.id).text("toolName", call.name).text("status", "error").close();
  metadata.close();
  message.close();
  return out;
}

// The images of results as a message of the user: in OpenAI's shape, tool messages hold only text. `imagesOf` names the
// call of each.
std::string image_message(const Wording &words, const std::vector<const Card *> &cards) {
  std::string list, calls;
  for (const Card *card : cards) {
    if (card->state() != CardState::success || card->model_parts().empty()) continue;
    for (JsonSlices parts(card->model_parts()); parts.next();) {
      const std::string picture = picture_part(parts.value());
      if (picture.empty()) continue;
      list.append(list.empty() ? "" : ",").append(picture);
      append_json_string(calls += calls.empty() ? "" : ",", card->history_id);
    }
  }
  if (list.empty()) return list;
  return R"({"role":"user","content":[{"type":"text","text":)" + json_string(words(Word::images)) + "}," + list +
         R"(],"metadata":{"imagesOf":[)" + calls + "]}}";
}

// Gives the blocks of a round, in order, the tags that they do not show.
class HiddenTags {
 public:
  explicit HiddenTags(const Round &round) : tags_(round.hidden) {}
  // Appends the text of this block with its tags.
  void write(std::string_view text, size_t block, std::string &out) {
    size_t done = 0;
    for (; next_ < tags_.size() && tags_[next_].block <= block; ++next_) {
      const size_t to = std::clamp(tags_[next_].offset, done, text.size());
      out.append(text.substr(done, to - done)).append(tags_[next_].text);
      done = to;
    }
    out.append(text.substr(done));
  }

 private:
  const std::vector<HiddenTag> &tags_;
  size_t next_ = 0;
};

// A call in the text of a request that had no tools, and so must show none: it stays as the model wrote it.
bool is_hopeless(const Setup &setup, const Card &card) {
  return !setup.text_mode() && card.source != "native" && card.state() == CardState::not_found &&
         !setup.calls_may_succeed();
}

std::string note_message(const Round &round) {
  std::string out;
  ObjectWriter message(out);
  message.text("role", round.note_by_system ? "system" : "user").text("content", round.note).close();
  return out;
}

}  // namespace

std::vector<std::string> history_messages(const Setup &setup, const Message &message, size_t rounds, bool split_last,
                                          bool stored) {
  const Wording &words = setup.config.words;
  std::vector<std::string> out;
  if (setup.observes())
    for (const OpenCall &call : open_calls(setup.host_messages)) out.push_back(result_of_untaken(words, call));
  size_t at = 0;
  static const Round kAdopted;  // round 0: calls of the host's last message, of which only the results are new
  for (uint32_t number = 0; number <= rounds; ++number) {
    const Round &round = number == 0 ? kAdopted : message.rounds[number - 1];
    const bool split = (split_last && number == rounds) || !round.note.empty();
    std::string text, behind;  // behind: text after the last call, if it becomes a message of its own
    RoundParts parts{number, &round, {}, {}, {}, {}};
    bool dropped = false;
    HiddenTags hidden(round);
    std::vector<const Card *> &cards = parts.cards;
    for (; at < message.blocks.size() && message.blocks[at].round == number; ++at) {
      const Block &block = message.blocks[at];
      const bool replaced = block.repeated || (round.note.empty() && message.is_retracted(block));
      std::string replaced_text;
      std::string &content = replaced ? replaced_text : split ? behind : text;
      if (block.apart && !content.empty()) content += "\n\n";
      const std::string_view shown = block.kind == Block::Kind::text ? std::string_view(block.text) : "";
      hidden.write(shown, at, content);
      const auto add_media = [&](std::string_view list) {
        if (const std::string more = media_of(list); !more.empty())
          parts.media.append(parts.media.empty() ? "" : ",").append(more);
      };
      if (block.kind == Block::Kind::media) add_media(block.text);
      if (block.kind != Block::Kind::tool_use) continue;
      const Card &card = *message.cards[block.card];
      dropped = dropped || card.dropped;
      if (card.dropped && !card.adopted) continue;  // the call of an adopted card is in the host's message
      if (card.is_provided()) {
        parts.provided.push_back(&card);
        add_media(card.parts());
        continue;
      }
      if (card.stays_as_text() || is_hopeless(setup, card)) {
        (split ? behind : text) += card.raw().view();
        continue;
      }
      cards.push_back(&card);
      text += behind;
      behind.clear();
    }
    hidden.write({}, at, split ? behind : text);
    if (cards.empty()) {
      text += behind;
      behind.clear();
    }
    if (setup.observes()) {  // the server wrote calls and results into the text
      if (!round.raw.empty()) text = round.raw.view();
      cards.clear();
    }
    const bool whole = setup.wire->echoes_answers();  // the items are all of the answer
    const bool returns = whole || !cards.empty() || setup.dialect->thoughts != Thoughts::with_calls;
    if (returns && !(whole && dropped) && !(round.text_calls && !behind.empty())) parts.native = round.native;
    if (number > 0 && (!text.empty() || !cards.empty() || !parts.provided.empty() || !parts.media.empty()))
      out.push_back(assistant_message(setup, parts, text, stored));
    for (const Card *card : cards)
      if (card->final() || message.outcome != "awaiting_user") out.push_back(result_message(words, *card, stored));
    // While calls are open, only what waits for the user is over: no later turn would add its images.
    const bool settled = std::all_of(cards.begin(), cards.end(), [](const Card *card) { return card->final(); });
    if (settled || message.outcome == "awaiting_user")
      if (std::string images = image_message(words, cards); !images.empty()) out.push_back(std::move(images));
    if (!behind.empty()) {
      // Where the items of the message with the calls go back, this text stands in them.
      const bool within = whole && !parts.native.empty();
      out.push_back(assistant_message(setup, {number, &round, {}, {}, {}, within ? "[]" : ""}, behind, stored));
    }
    if (!round.note.empty()) out.push_back(note_message(round));
  }
  return out;
}

}  // namespace sluice
