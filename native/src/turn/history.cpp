#include "turn/history.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "protocol/marker_text.h"
#include "turn/definitions.h"

namespace sluice {
namespace {

constexpr std::string_view kUnfinished = "No result: this call has not finished.";
// Stands between results and a user's message where a provider insists on an assistant's.
constexpr std::string_view kBetween = R"({"role":"assistant","content":"I have the results."})";
constexpr size_t kDeepest = 1024;  // of JSON that is only looked at
constexpr std::string_view kNotRun = "No result: this call was not run.";

// ---- the block log → messages ----

std::string_view requested_status(CardState state) {
  switch (state) {
    case CardState::streaming:
    case CardState::pending: return "pending";
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

// No provider takes a call without a name back.
std::string_view stored_name(const Card &card) {
  return card.asked.empty() ? std::string_view("unknown") : card.name();
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
    for (JsonSlices members(card->members); members.next();)
      call.raw(members.key().substr(1, members.key().size() - 2), members.value());
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
    request.raw("args", card->arguments.empty() ? "{}" : card->arguments.view());
    request.text("status", requested_status(card->state()));
    // What a person holds back stays out of what the host stores, a tool's words of failure included.
    const bool released = card->final() && card->state() != CardState::result_rejected;
    if (const std::string &error = released && !card->error.empty() ? card->error : card->reason; !error.empty())
      request.text("error", error);
    request.close();
  }
  out += ']';
}

std::string assistant_message(uint32_t number, const Round &round, std::string_view text,
                              const std::vector<const Card *> &cards, bool stored) {
  const bool raw = !cards.empty() && round.text_calls && !round.raw.empty();
  const bool arguments = stored || !raw;  // what goes back is as the model wrote it
  std::string out;
  ObjectWriter message(out);
  size_t size = text.size() + round.members.size() + (raw ? json_string_size(round.raw) : 0);
  for (const Card *card : cards)
    size += (arguments ? json_string_size(card->sendable_arguments()) : 0) + (stored ? card->arguments.size() : 0);
  message.reserve(size);
  message.text("role", "assistant");
  if (text.empty())
    message.raw("content", "null");
  else
    message.text("content", text);
  if (!cards.empty()) {
    write_calls(cards, arguments, message.value("tool_calls"));
    for (JsonSlices members(round.members); members.next();)
      message.raw(members.key().substr(1, members.key().size() - 2), members.value());
  }
  ObjectWriter metadata(message.value("metadata"));
  metadata.number("round", number);
  if (!cards.empty()) {
    if (round.text_calls) metadata.text("raw", round.raw);
    if (stored) write_requested(cards, metadata.value("toolCallsRequested"));
  }
  metadata.close();
  message.close();
  return out;
}

std::string result_message(const Card &card, bool stored) {
  std::string out;
  ObjectWriter message(out);
  message.reserve(card.told.size() + (stored ? card.arguments.size() : 0));
  message.text("role", "tool").text("tool_call_id", card.history_id).text("name", stored_name(card));
  message.text("content", card.final() && card.has_told ? std::string_view(card.told) : kUnfinished);
  ObjectWriter metadata(message.value("metadata"));
  ObjectWriter call(metadata.value("toolCall"));
  call.text("requestId", card.history_id).text("toolName", stored_name(card));
  call.text("status", result_status(card.state()));
  if (card.started_at && card.ended_at) call.number("durationMs", *card.ended_at - *card.started_at);
  if (stored) call.raw("rawArgs", card.arguments.empty() ? "{}" : card.arguments.view());
  if (card.state() == CardState::success && card.output_is_json && check_json(card.told, kDeepest).ok())
    call.boolean("json", true);
  call.close();
  metadata.close();
  message.close();
  return out;
}

// A tool's URL as it may stand in a message: what no URL holds, and the brackets of markers, become escapes. An address
// in brackets stays.
std::string harmless_url(std::string_view url) {
  constexpr std::string_view kEscaped = " <>\"{}|\\^`[]";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const size_t host = url.find("://[");
  const size_t host_end = host == std::string_view::npos ? 0 : std::min(url.find(']', host), url.size());
  std::string out;
  for (size_t i = 0; i < url.size(); ++i) {
    const auto byte = static_cast<unsigned char>(url[i]);
    const bool in_host = host_end != 0 && i <= host_end && i > host;
    if (in_host || (byte > 0x20 && byte < 0x7F && kEscaped.find(url[i]) == std::string_view::npos))
      out += url[i];
    else
      out.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out;
}

// Images of the results: tool messages hold text alone, so they follow as the user's.
std::string image_message(const std::vector<const Card *> &cards) {
  std::string list;
  for (const Card *card : cards) {
    if (card->state() != CardState::success || card->parts.empty()) continue;
    for (JsonSlices parts(card->parts); parts.next();) {
      const auto type = json_member(parts.value(), "type");
      if (!type || json_text(*type) != "image") continue;
      list += list.empty() ? "" : ",";
      ObjectWriter part(list);
      part.text("type", "image_url");
      ObjectWriter image(part.value("image_url"));
      if (const auto url = json_member(parts.value(), "url")) {
        image.text("url", harmless_url(json_text(*url)));
      } else {
        const auto media = json_member(parts.value(), "mediaType");
        const auto data = json_member(parts.value(), "data");
        image.text("url", harmless_url("data:" + json_text(*media) + ";base64," + json_text(*data)));
      }
      image.close();
      part.close();
    }
  }
  return list.empty()
             ? list
             : R"({"role":"user","content":[{"type":"text","text":"The images of the tool results:"},)" + list + "]}";
}

}  // namespace

std::vector<std::string> history_messages(const Message &message, size_t rounds, bool split_last, bool stored) {
  std::vector<std::string> out;
  size_t at = 0;
  static const Round kAdopted;  // round 0: calls of the host's last message; only their results are new
  for (uint32_t number = 0; number <= rounds; ++number) {
    const bool split = split_last && number == rounds;
    std::string text, behind;  // behind: text after the last call, where it stands alone
    std::vector<const Card *> cards;
    for (; at < message.blocks.size() && message.blocks[at].round == number; ++at) {
      const Block &block = message.blocks[at];
      if (block.kind == Block::Kind::text) (split ? behind : text) += block.text;
      if (block.kind != Block::Kind::tool_use || message.cards[block.card]->dropped) continue;
      const Card &card = *message.cards[block.card];
      if (card.stays_as_text()) {
        (split ? behind : text) += card.raw.view();
        continue;
      }
      cards.push_back(&card);
      text += behind;
      behind.clear();
    }
    if (cards.empty()) {
      text += behind;
      behind.clear();
    }
    const Round &round = number == 0 ? kAdopted : message.rounds[number - 1];
    if (number > 0 && (!text.empty() || !cards.empty()))
      out.push_back(assistant_message(number, round, text, cards, stored));
    for (const Card *card : cards)
      if (card->final() || message.outcome != "awaiting_user") out.push_back(result_message(*card, stored));
    // Not while a call waits for its result: a message of the user behind it would say that nobody wants it any more.
    const bool settled = std::all_of(cards.begin(), cards.end(), [](const Card *card) { return card->final(); });
    if (std::string images = image_message(cards); settled && !images.empty()) out.push_back(std::move(images));
    if (!behind.empty()) out.push_back(assistant_message(number, round, behind, {}, stored));
  }
  return out;
}

bool is_legal_id(std::string_view id) {
  if (id.empty() || id.size() > 256) return false;
  for (const char c : id)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
  return true;
}

// ---- a conversation → what goes into the request ----

namespace {

struct Item {
  std::string_view json;
  std::string role;
  std::vector<std::string> calls;  // ids that an assistant message asks with
  std::string answers;             // the id that a tool message answers
  std::string_view metadata;
};

std::string member_text(std::string_view object, std::string_view key) {
  const auto value = json_member(object, key);
  return value && json_kind(*value) == '"' ? json_text(*value) : std::string();
}

Item read_item(std::string_view json) {
  Item item;
  item.json = json;
  for (JsonSlices members(json); members.next();) {
    const std::string_view key = members.key();
    if (key == "\"role\"") item.role = json_text(members.value());
    if (key == "\"tool_call_id\"" && json_kind(members.value()) == '"') item.answers = json_text(members.value());
    if (key == "\"metadata\"") item.metadata = members.value();
    if (key == "\"tool_calls\"")
      for (JsonSlices calls(members.value()); calls.next();) item.calls.push_back(member_text(calls.value(), "id"));
  }
  if (item.role != "assistant") item.calls.clear();
  return item;
}

// The arguments of a stored call: text, as OpenAI has them, or an object, as some others do.
std::string stored_arguments(std::string_view function) {
  const auto value = json_member(function, "arguments");
  if (!value) return {};
  return json_kind(*value) == '"' ? json_text(*value) : std::string(trim_json(*value));
}

// Arguments that a provider would refuse as broken JSON, in what the host stored: the call was never run with them.
std::string_view sendable(std::string_view arguments) {
  return check_json(arguments, kDeepest).ok() && json_kind(arguments) == '{' ? arguments : std::string_view("{}");
}

std::string with_sendable_arguments(std::string_view json) {
  std::string out;
  ObjectWriter message(out);
  for (JsonSlices members(json); members.next();) {
    const std::string_view key = members.key().substr(1, members.key().size() - 2);
    if (key != "tool_calls") {
      message.raw(key, members.value());
      continue;
    }
    std::string &list = message.value(key);
    list += '[';
    for (JsonSlices calls(members.value()); calls.next();) {
      if (list.back() != '[') list += ',';
      ObjectWriter call(list);
      for (JsonSlices parts(calls.value()); parts.next();) {
        const std::string_view part = parts.key().substr(1, parts.key().size() - 2);
        if (part != "function") {
          call.raw(part, parts.value());
          continue;
        }
        ObjectWriter function(call.value(part));
        for (JsonSlices said(parts.value()); said.next();) {
          const std::string_view what = said.key().substr(1, said.key().size() - 2);
          if (what == "arguments" && json_kind(said.value()) == '"')
            function.text(what, sendable(json_text(said.value())));
          else
            function.raw(what, said.value());
        }
        function.close();
      }
      call.close();
    }
    list += ']';
  }
  message.close();
  return out;
}

bool arguments_are_sendable(const Item &item) {
  if (item.calls.empty()) return true;
  const auto calls = json_member(item.json, "tool_calls");
  for (JsonSlices call(*calls); call.next();)
    if (const auto function = json_member(call.value(), "function"))
      if (const std::string arguments = member_text(*function, "arguments"); sendable(arguments) != arguments)
        return false;
  return true;
}

// Results right behind the message that asked for them.
std::vector<Item> in_order(std::vector<Item> items, std::deque<std::string> &owned) {
  std::map<std::string_view, std::vector<size_t>, std::less<>> results;  // id → places, last first
  for (size_t i = items.size(); i-- > 0;)
    if (items[i].role == "tool") results[items[i].answers].push_back(i);
  std::vector<Item> out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].role == "tool") continue;  // comes with its call; an answer to nothing is left out
    out.push_back(items[i]);
    for (const std::string &id : items[i].calls) {
      const auto places = results.find(id);
      if (places != results.end())
        while (!places->second.empty() && places->second.back() < i) places->second.pop_back();
      if (places != results.end() && !places->second.empty()) {
        out.push_back(items[places->second.back()]);
        places->second.pop_back();
        continue;
      }
      std::string &text = owned.emplace_back();
      ObjectWriter message(text);
      message.text("role", "tool").text("tool_call_id", id).text("content", kNotRun);
      message.close();
      out.push_back(read_item(text));
    }
  }
  return out;
}

// The message with another content and without the members that `left_out` names.
std::string with_content(std::string_view json, std::string_view content,
                         std::initializer_list<std::string_view> left_out) {
  std::string out;
  ObjectWriter message(out);
  message.reserve(content.size());
  bool done = false;
  for (JsonSlices members(json); members.next();) {
    const std::string_view key = members.key().substr(1, members.key().size() - 2);
    if (key == "content") {
      if (!done) message.raw(key, content);
      done = true;
    } else if (std::find(left_out.begin(), left_out.end(), key) == left_out.end()) {
      message.raw(key, members.value());
    }
  }
  if (!done) message.raw("content", content);
  message.close();
  return out;
}

std::string plain_content(std::string_view json) {
  const auto content = json_member(json, "content");
  if (!content) return {};
  if (json_kind(*content) == '"') return json_text(*content);
  std::string out;
  for (JsonSlices parts(*content); parts.next();) out += member_text(parts.value(), "text");
  return out;
}

// The name that text mode has for a tool of the history: the one in its definition.
std::string text_name(const Conversation &conversation, std::string name) {
  const Tool *const tool = conversation.commands ? conversation.registry->find(name) : nullptr;
  return tool != nullptr && !tool->vcp_command.empty() ? tool->vcp_command : name;
}

// An assistant message whose calls stand in its text: as the model wrote it, else as this protocol writes calls.
std::string as_text(const Item &item, const Conversation &conversation) {
  if (const auto raw = json_member(item.metadata, "raw"); raw && json_kind(*raw) == '"' && trim_json(*raw) != "\"\"") {
    const std::string repaired = raw->find("\\u") == std::string_view::npos ? std::string() : compact_json(*raw);
    return with_content(item.json, repaired.empty() ? *raw : repaired, {"tool_calls", "metadata"});
  }
  const Protocol &protocol = *conversation.protocols->front();
  std::string content = plain_content(item.json);
  if (const auto calls = json_member(item.json, "tool_calls"))
    for (JsonSlices call(*calls); call.next();) {
      const auto function = json_member(call.value(), "function");
      if (!function) continue;
      const std::string arguments = stored_arguments(*function);
      if (!content.empty()) content += '\n';
      protocol.write_call(member_text(call.value(), "id"), text_name(conversation, member_text(*function, "name")),
                          sendable(arguments), content);
    }
  return with_content(item.json, json_string(content), {"tool_calls", "metadata"});
}

// A result as the native form has it, with nothing in it that this turn would read as a call: what a tool, an error or
// a person's reason said is as harmless there as in a text.
std::string with_harmless_result(const Item &item, const Protocols &parsed) {
  const Defuse defuse = [&](std::string &text) {
    for (const auto &protocol : parsed) protocol->defuse(text);
  };
  const auto told = json_member(item.metadata, "toolCall");
  const auto json = told ? json_member(*told, "json") : std::nullopt;
  const bool is_json = json && trim_json(*json) == "true";
  std::string out;
  ObjectWriter message(out);
  for (JsonSlices members(item.json); members.next();) {
    const std::string_view key = members.key().substr(1, members.key().size() - 2);
    const std::string_view value = members.value();
    std::string text;
    if ((key == "content" || key == "name") && json_kind(value) == '"') text = json_text(value);
    if (key == "content" && is_json && check_json(text, kDeepest).ok())
      message.text(key, harmless_json(text, defuse));
    else if (!text.empty()) {
      defuse(text);
      message.text(key, text);
    } else if (key == "content" && json_kind(value) == '[')
      message.raw(key, defuse_texts(value, defuse));
    else
      message.raw(key, value);
  }
  message.close();
  return out;
}

// What a host stored may say anything: a status is one of three words.
std::string_view known_status(std::string_view stored) {
  for (const std::string_view done : {"", "success", "completed", "done"})
    if (stored == done) return "success";
  for (const std::string_view refused : {"denied", "execution_rejected", "result_rejected"})
    if (stored == refused) return "denied";
  return "error";
}

std::string results_as_text(const std::vector<Item> &items, size_t first, size_t last, const Item &asked,
                            const Conversation &conversation) {
  const Protocols &protocols = *conversation.protocols;
  std::map<std::string, std::string, std::less<>> names;
  if (const auto calls = json_member(asked.json, "tool_calls"))
    for (JsonSlices call(*calls); call.next();)
      if (const auto function = json_member(call.value(), "function"))
        names[member_text(call.value(), "id")] = member_text(*function, "name");
  struct Strings {
    std::string name;
    std::string_view status;
    std::string content;
    bool json;
  };
  std::vector<Strings> strings;
  for (size_t i = first; i < last; ++i) {
    const auto told = json_member(items[i].metadata, "toolCall");
    std::string name = member_text(items[i].json, "name");
    if (name.empty()) name = names[items[i].answers];
    const std::string_view status = known_status(told ? member_text(*told, "status") : std::string());
    const auto json = told ? json_member(*told, "json") : std::nullopt;
    strings.push_back({text_name(conversation, std::move(name)), status, plain_content(items[i].json),
                       json && trim_json(*json) == "true"});
  }
  std::vector<ResultText> results;
  for (size_t i = 0; i < strings.size(); ++i)
    results.push_back({items[first + i].answers, strings[i].name, strings[i].status, strings[i].content,
                       strings[i].json && check_json(strings[i].content, kDeepest).ok()});
  std::string content;
  protocols.front()->write_results(results, protocols, content);
  return content;
}

bool is_instruction(std::string_view role) { return role == "system" || role == "developer"; }

// {{tools}} in a system message. True: there was one.
bool expand(const Conversation &conversation, std::string_view json, std::string &out) {
  if (json.find("{{tools") == std::string_view::npos) return false;
  const auto content = json_member(json, "content");
  if (!content) return false;
  const Registry nothing;
  const Registry &registry = conversation.expand ? *conversation.registry : nothing;
  bool found = false;
  const auto expanded = [&](std::string_view token) {
    bool here = false;
    const std::string text =
        expand_macros(json_text(token), registry, *conversation.exposure, *conversation.protocols, here);
    found = found || here;
    return json_string(text);
  };
  std::string value;
  if (json_kind(*content) == '"') {
    value = expanded(*content);
  } else {
    value = "[";
    for (JsonSlices parts(*content); parts.next();) {
      if (value.size() > 1) value += ',';
      const auto text = json_member(parts.value(), "text");
      if (!text || json_kind(*text) != '"') {
        value += parts.value();
        continue;
      }
      ObjectWriter part(value);
      for (JsonSlices members(parts.value()); members.next();) {
        const std::string_view key = members.key().substr(1, members.key().size() - 2);
        if (key == "text")
          part.raw(key, expanded(members.value()));
        else
          part.raw(key, members.value());
      }
      part.close();
    }
    value += ']';
  }
  if (found) out = with_content(json, value, {});
  return found;
}

// A message's content as parts, without the brackets.
std::string content_parts(std::string_view json) {
  const auto content = json_member(json, "content");
  if (!content || json_kind(*content) == 'n' || trim_json(*content) == "\"\"") return {};
  if (json_kind(*content) == '"') return R"({"type":"text","text":)" + std::string(trim_json(*content)) + "}";
  const std::string_view array = trim_json(*content);
  return std::string(trim_json(array.substr(1, array.size() - 2)));
}

// One message of what two say, one after the other.
std::string joined(std::string_view first, std::string_view second) {
  const auto one = json_member(first, "content"), two = json_member(second, "content");
  if (one && two && json_kind(*one) == '"' && json_kind(*two) == '"') {
    const std::string before = json_text(*one), behind = json_text(*two);
    return with_content(first,
                        json_string(before.empty() || behind.empty() ? before + behind : before + "\n\n" + behind), {});
  }
  std::string parts = content_parts(first), more = content_parts(second);
  if (!parts.empty() && !more.empty()) parts += ',';
  return with_content(first, "[" + parts + more + "]", {});
}

// Some providers refuse a user's message right behind results, and two of them in a row: as they stand when an answer
// failed before it said anything. `text_calls`: results become a user's message themselves.
std::vector<Item> with_strict_roles(std::vector<Item> items, bool text_calls, std::deque<std::string> &owned) {
  std::vector<Item> out;
  for (Item &item : items) {
    const bool user = item.role == "user" && !out.empty();
    if (user && out.back().role == "user") {
      owned.push_back(joined(out.back().json, item.json));
      out.back() = read_item(owned.back());
      continue;
    }
    if (user && out.back().role == "tool" && !text_calls) {
      owned.push_back(std::string(kBetween));
      out.push_back(read_item(owned.back()));
    }
    out.push_back(std::move(item));
  }
  return out;
}

// The message with more text before (`top`) or behind its own.
std::string with_text(std::string_view json, const std::string &more, bool top) {
  const auto content = json_member(json, "content");
  if (!content || json_kind(*content) != '[') {
    const std::string text = content && json_kind(*content) == '"' ? json_text(*content) : std::string();
    if (text.empty()) return with_content(json, json_string(more), {});
    return with_content(json, json_string(top ? more + "\n\n" + text : text + "\n\n" + more), {});
  }
  const std::string part = R"({"type":"text","text":)" + json_string(more) + "}";
  const std::string_view array = trim_json(*content);
  const std::string_view inner = trim_json(array.substr(1, array.size() - 2));
  std::string value = "[";
  if (top) value += part;
  if (top && !inner.empty()) value += ',';
  value += inner;
  if (!top && !inner.empty()) value += ',';
  if (!top) value += part;
  return with_content(json, value + "]", {});
}

}  // namespace

std::set<std::string, std::less<>> used_ids(std::string_view messages) {
  std::set<std::string, std::less<>> ids;
  for (JsonSlices items(messages); items.next();) {
    Item item = read_item(items.value());
    for (std::string &id : item.calls) ids.insert(std::move(id));
    if (!item.answers.empty()) ids.insert(std::move(item.answers));
  }
  return ids;
}

std::vector<OpenCall> open_calls(std::string_view messages) {
  std::vector<OpenCall> open;
  for (JsonSlices items(messages); items.next();) {
    const Item item = read_item(items.value());
    if (item.role == "tool") {
      std::erase_if(open, [&](const OpenCall &call) { return call.id == item.answers; });
      continue;
    }
    open.clear();
    if (item.calls.empty()) continue;
    const auto calls = json_member(item.json, "tool_calls");
    for (JsonSlices call(*calls); call.next();) {
      const std::string_view function = json_member(call.value(), "function").value_or("{}");
      open.push_back({member_text(call.value(), "id"), member_text(function, "name"), stored_arguments(function)});
    }
  }
  return open;
}

std::vector<std::string_view> request_messages(const Conversation &conversation, std::deque<std::string> &owned) {
  std::vector<Item> items;
  for (JsonSlices host(conversation.host); host.next();) items.push_back(read_item(host.value()));
  for (const std::string &message : *conversation.history) items.push_back(read_item(message));
  owned.clear();
  items = in_order(std::move(items), owned);

  if (conversation.strict_roles) items = with_strict_roles(std::move(items), conversation.text_calls, owned);

  std::vector<std::string_view> out;
  bool macro = false;
  size_t instruction = SIZE_MAX;
  for (size_t i = 0; i < items.size(); ++i) {
    const Item &item = items[i];
    if (is_instruction(item.role)) {
      if (instruction == SIZE_MAX) instruction = out.size();
      if (std::string expanded; conversation.macros && expand(conversation, item.json, expanded)) {
        macro = true;
        out.push_back(owned.emplace_back(std::move(expanded)));
        continue;
      }
    }
    if (!conversation.text_calls || item.calls.empty()) {
      if (item.role == "tool" && !conversation.parsed->empty())
        out.push_back(owned.emplace_back(with_harmless_result(item, *conversation.parsed)));
      else if (arguments_are_sendable(item))
        out.push_back(item.json);
      else
        out.push_back(owned.emplace_back(with_sendable_arguments(item.json)));
      continue;
    }
    out.push_back(owned.emplace_back(as_text(item, conversation)));
    size_t last = i + 1;
    while (last < items.size() && items[last].role == "tool") ++last;
    const std::string results = results_as_text(items, i + 1, last, item, conversation);
    if (conversation.strict_roles && last < items.size() && items[last].role == "user") {
      out.push_back(owned.emplace_back(with_text(items[last].json, results, true)));  // roles must alternate
      i = last;
    } else {
      out.push_back(owned.emplace_back(R"({"role":"user","content":)" + json_string(results) + "}"));
      i = last - 1;
    }
  }
  if (!macro && !conversation.definitions.empty() && conversation.inject != Inject::off) {
    if (instruction == SIZE_MAX) {
      owned.push_back(R"({"role":"system","content":)" + json_string(conversation.definitions) + "}");
      out.insert(out.begin(), owned.back());
    } else {
      const bool top = conversation.inject == Inject::top;
      owned.push_back(with_text(out[instruction], conversation.definitions, top));
      out[instruction] = owned.back();
    }
  }
  return out;
}

bool is_valid_order(const std::vector<std::string_view> &messages) {
  std::vector<std::string> wanted;
  for (const std::string_view message : messages) {
    Item item = read_item(message);
    if (item.role == "tool") {
      const auto call = std::find(wanted.begin(), wanted.end(), item.answers);
      if (call == wanted.end()) return false;
      wanted.erase(call);
    } else {
      if (!wanted.empty()) return false;
      wanted = std::move(item.calls);
    }
  }
  return wanted.empty();
}

}  // namespace sluice
