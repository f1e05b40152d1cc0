#include "turn/conversation.h"

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "protocol/harmless.h"
#include "protocol/seal.h"
#include "turn/definitions.h"
#include "turn/message_content.h"
#include "turn/sent_roles.h"
#include "turn/text_digest.h"
#include "wire/answer_items.h"
#include "wire/native_items.h"

namespace sluice {
// ---- messages, one by one ----

namespace {

constexpr size_t kDeepest = 1024;  // levels of JSON that is only checked

// How this request writes its conversation.
struct Form {
  const Setup &setup;
  const Protocols protocols;  // the first one writes definitions, calls and results as text
  const Protocols parsed;     // what the turn parses text for, in any mode
  const Defuse defuse;        // breaks the markers of these
  const bool text_calls;      // calls and results are sent as text
  const bool macros;          // {{tools}} is a macro; in an app without tools it is ordinary text
  const bool expand;          // the macro becomes the definitions; false: it becomes nothing
};

// One message, and the members that decide its place.
struct Item {
  std::string_view json;
  std::string role;
  std::vector<std::string> calls;  // ids of the calls of an assistant message
  std::string answers;             // id of the call that a tool message answers
  std::string_view metadata;
  Origin origin = Origin::host;
};

Item read_item(std::string_view json, Origin origin = Origin::host) {
  Item item;
  item.json = json;
  item.origin = origin;
  for (JsonSlices members(json); members.next();) {
    const std::string key = members.key_text();
    if (key == "role") item.role = json_text(members.value());
    if (key == "tool_call_id" && json_kind(members.value()) == '"') item.answers = json_text(members.value());
    if (key == "metadata") item.metadata = members.value();
    if (key == "tool_calls" && json_kind(members.value()) == '[')
      for (JsonSlices calls(members.value()); calls.next();)
        item.calls.push_back(json_member_text(calls.value(), "id"));
  }
  if (item.role != "assistant") item.calls.clear();
  return item;
}

// The arguments of a stored call: a string, as in OpenAI's format, or an object, as some others write them.
std::string stored_arguments(std::string_view function) {
  const auto value = json_member(function, "arguments");
  if (!value) return {};
  return json_kind(*value) == '"' ? json_text(*value) : std::string(trim_json(*value));
}

// Replaces stored arguments that are no JSON object: a provider would refuse them, and the call never ran with them.
std::string_view sendable(std::string_view arguments) {
  return check_json(arguments, kDeepest).ok() && json_kind(arguments) == '{' ? arguments : std::string_view("{}");
}

std::string with_sendable_arguments(std::string_view json) {
  std::string out;
  ObjectWriter message(out);
  for (JsonSlices members(json); members.next();) {
    const std::string_view key = members.bare_key();
    if (key != "tool_calls") {
      message.raw(key, members.value());
      continue;
    }
    std::string &list = message.value(key);
    list += '[';
    for (JsonSlices calls(members.value()); calls.next();) {
      if (list.back() != '[') list += ',';
      if (json_kind(calls.value()) != '{') {  // of the host: the provider refuses it
        list += calls.value();
        continue;
      }
      ObjectWriter call(list);
      for (JsonSlices parts(calls.value()); parts.next();) {
        const std::string_view part = parts.bare_key();
        if (part != "function" || json_kind(parts.value()) != '{') {
          call.raw(part, parts.value());
          continue;
        }
        ObjectWriter function(call.value(part));
        for (JsonSlices said(parts.value()); said.next();) {
          const std::string_view what = said.bare_key();
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
      if (const std::string arguments = json_member_text(*function, "arguments"); sendable(arguments) != arguments)
        return false;
  return true;
}

// Puts each result right after the message that holds its call, and adds results for calls that have none. Where an id
// is used again, what stands behind its next message is the result of that one.
std::vector<Item> in_order(std::vector<Item> items, const Wording &words, std::deque<std::string> &owned) {
  struct Places {
    std::vector<size_t> calls, results;  // indices of messages, last first
    static void pass(std::vector<size_t> &places, size_t end) {
      while (!places.empty() && places.back() < end) places.pop_back();
    }
  };
  std::map<std::string_view, Places, std::less<>> by_id;
  for (size_t i = items.size(); i-- > 0;) {
    if (items[i].role == "tool") by_id[items[i].answers].results.push_back(i);
    for (const std::string &id : items[i].calls) by_id[id].calls.push_back(i);
  }
  std::vector<Item> out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].role == "tool") continue;  // added with its call; a result without a call is left out
    out.push_back(items[i]);
    for (const std::string &id : items[i].calls) {
      Places &places = by_id.find(id)->second;
      Places::pass(places.calls, i + 1);
      Places::pass(places.results, i);
      const size_t end = places.calls.empty() ? items.size() : places.calls.back();
      if (!places.results.empty() && places.results.back() < end) {
        out.push_back(items[places.results.back()]);
        places.results.pop_back();
        continue;
      }
      std::string &text = owned.emplace_back();
      ObjectWriter message(text);
      message.text("role", "tool").text("tool_call_id", id).text("content", words(Word::not_run));
      message.close();
      out.push_back(read_item(text, items[i].origin));
    }
  }
  return out;
}

// The name of a tool in text mode, as in its definition: its vcpCommand where the protocol uses commands.
std::string text_name(const Form &form, std::string name) {
  const Tool *const tool = form.setup.calls_commands() ? form.setup.registry().find(name) : nullptr;
  return tool != nullptr && !tool->vcp_command.empty() ? tool->vcp_command : name;
}

// Did this server write these items, by this wire and for this model? A history without an endpoint is an older one, or
// its host does not say.
bool is_of_this_server(std::string_view native, const Setup &setup) {
  const auto endpoint = json_member(native, "endpoint");
  return json_member_text(native, "wire") == setup.wire->id() && json_member_text(native, "model") == setup.model &&
         (!endpoint || json_member_text(native, "endpoint") == setup.endpoint);
}

// The message with those items alone that an answer can hold; without any where none is left. Empty: it stays as it is.
std::string with_items_of_answers(const Item &item, const Setup &setup) {
  const auto native = json_member(item.metadata, "native");
  const auto items = native ? json_member(*native, "items") : std::nullopt;
  if (!items || json_kind(*items) != '[' || !is_of_this_server(*native, setup)) return {};
  const std::string kept = items_that_return(setup.wire->id(), *items, nullptr);
  if (kept == *items) return {};
  ItemText members(*native), metadata(item.metadata), message(item.json);
  members.set("items", kept == "[]" ? "null" : kept);
  metadata.set("native", members.write());
  message.set("metadata", metadata.write());
  return message.write();
}

// May the items that the provider wrote go back in place of this message? Only to the server that wrote them, and where
// they hold the same calls as the message, whose text the host has not changed since. `after_echo`: those of the
// message before it go back.
bool is_echoed(const Item &item, const Form &form, bool after_echo) {
  const auto native = json_member(item.metadata, "native");
  if (!native || !is_of_this_server(*native, form.setup)) return false;
  const auto items = json_member(*native, "items");
  if (!items || json_kind(*items) != '[') return false;
  if (const std::string digest = json_member_text(*native, "digest");
      !digest.empty() && digest != text_digest(plain_content(item.json)))
    return false;
  const bool as_written = json_member(item.metadata, "raw").has_value();
  if (!item.calls.empty() && as_written != form.text_calls) return false;
  if (!JsonSlices(*items).next()) return after_echo;
  return form.setup.wire->echoes(*items, form.text_calls ? 0 : item.calls.size());
}

// The message without the provider's items. What they alone would tell, the tools that the provider ran, becomes text.
// Returns an empty text where nothing is left.
std::string without_native(const Item &item, const Form &form) {
  const bool tell_provided = form.setup.config.tell_provided;
  std::string provided = json_member_text(item.metadata, "provided");
  std::string content = plain_content(item.json);
  const bool alone = content == provided;
  provided = harmless_text(provided, form.defuse);
  if (alone) content = provided;
  if (!tell_provided && content == provided) content.clear();
  if (tell_provided && !provided.empty() && content != provided) content += (content.empty() ? "" : "\n\n") + provided;
  if (content.empty() && item.calls.empty()) return {};
  return with_content(item.json, content.empty() ? "null" : json_string(content), {"metadata"});
}

// An assistant message with its calls as text: as the model wrote them, else as the first protocol writes calls.
std::string as_text(const Item &item, const Form &form, bool echoed) {
  if (const auto raw = json_member(item.metadata, "raw"); raw && json_kind(*raw) == '"' && trim_json(*raw) != "\"\"") {
    const std::string repaired = raw->find("\\u") == std::string_view::npos ? std::string() : compact_json(*raw);
    return with_content(item.json, repaired.empty() ? *raw : repaired, {"tool_calls", echoed ? "" : "metadata"});
  }
  const Protocol &protocol = *form.protocols.front();
  std::string content = plain_content(item.json);
  if (const auto calls = json_member(item.json, "tool_calls"))
    for (JsonSlices call(*calls); call.next();) {
      const auto function = json_member(call.value(), "function");
      if (!function) continue;
      const std::string arguments = stored_arguments(*function);
      const std::string name = text_name(form, json_member_text(*function, "name"));
      std::string written;
      protocol.write_call(json_member_text(call.value(), "id"), name, sendable(arguments), written);
      if (written.empty()) written = "(" + name + ")";  // the format writes no calls; a message is never empty
      content.append(content.empty() ? "" : "\n").append(written);
    }
  return with_content(item.json, json_string(content), {"tool_calls", "metadata"});
}

// A native result in which no text of a tool, an error or a user's reason can be read as a call if the model repeats
// it. Its name is that of the call, which providers compare.
std::string with_harmless_result(const Item &item, const Defuse &defuse) {
  const auto tool_call = json_member(item.metadata, "toolCall");
  const auto json = tool_call ? json_member(*tool_call, "json") : std::nullopt;
  const bool is_json = json && trim_json(*json) == "true";
  std::string out;
  ObjectWriter message(out);
  for (JsonSlices members(item.json); members.next();) {
    const std::string_view key = members.bare_key();
    const std::string_view value = members.value();
    std::string text;
    if (key == "content" && json_kind(value) == '"') text = json_text(value);
    if (key == "content" && is_json && check_json(text, kDeepest).ok())
      message.text(key, harmless_json(text, defuse));
    else if (!text.empty())
      message.text(key, harmless_text(text, defuse));
    else if (key == "content" && json_kind(value) == '[')
      message.raw(key, harmless_strings(value, defuse));
    else
      message.raw(key, value);
  }
  message.close();
  return out;
}

// Reduces a stored status, which may be any word, to success, denied or error.
std::string_view known_status(std::string_view stored) {
  for (const std::string_view done : {"", "success", "completed", "done"})
    if (stored == done) return "success";
  for (const std::string_view refused : {"denied", "execution_rejected", "result_rejected"})
    if (stored == refused) return "denied";
  return "error";
}

std::string results_as_text(const std::vector<Item> &items, size_t first, size_t last, const Item &asked,
                            const Form &form) {
  const Protocols &protocols = form.protocols;
  std::vector<std::string> names;  // of the calls: the results have their order
  if (const auto calls = json_member(asked.json, "tool_calls"))
    for (JsonSlices call(*calls); call.next();)
      names.push_back(json_member_text(json_member(call.value(), "function").value_or("{}"), "name"));
  struct Result {
    std::string name;
    std::string_view status;
    std::string content;
    bool json;
  };
  std::vector<Result> owned;  // `results` points into it
  for (size_t i = first; i < last; ++i) {
    const auto tool_call = json_member(items[i].metadata, "toolCall");
    std::string name = json_member_text(items[i].json, "name");
    if (name.empty() && i - first < names.size()) name = names[i - first];
    const std::string_view status = known_status(tool_call ? json_member_text(*tool_call, "status") : std::string());
    const auto json = tool_call ? json_member(*tool_call, "json") : std::nullopt;
    owned.push_back(
        {text_name(form, std::move(name)), status, plain_content(items[i].json), json && trim_json(*json) == "true"});
  }
  std::vector<ResultText> results;
  for (size_t i = 0; i < owned.size(); ++i)
    results.push_back({items[first + i].answers, owned[i].name, owned[i].status, owned[i].content,
                       owned[i].json && check_json(owned[i].content, kDeepest).ok()});
  std::string content;
  protocols.front()->write_results(results, protocols, content);
  return content;
}

// All results of a round. Servers that take a result in the role of a tool for that of a native call get text of the
// user.
std::string results_message(const Form &form, std::string_view results) {
  std::string_view role = form.protocols.front()->results_role();
  if (role.empty() || (role == "tool" && !form.setup.wire->takes_results_as_text())) role = "user";
  std::string out;
  ObjectWriter(out).text("role", role).text("content", results).close();
  return out;
}

// Replaces each text of a content by what `change` returns for it; images stay. Texts are JSON strings.
template <class Change>
std::string with_texts(std::string_view content, const Change &change) {
  if (json_kind(content) == '"') return change(content);
  std::string out = "[";
  for (JsonSlices parts(content); parts.next();) {
    if (out.size() > 1) out += ',';
    const auto text = json_member(parts.value(), "text");
    if (!text || json_kind(*text) != '"') {
      out += parts.value();
      continue;
    }
    ObjectWriter part(out);
    for (JsonSlices members(parts.value()); members.next();) {
      const std::string_view key = members.bare_key();
      if (key == "text")
        part.raw(key, change(members.value()));
      else
        part.raw(key, members.value());
    }
    part.close();
  }
  return out + "]";
}

// Expands {{tools}} in a system message. Returns false if there is none.
bool expand(const Form &form, std::string_view json, std::string &out) {
  if (json.find("{{tools") == std::string_view::npos) return false;
  const auto content = json_member(json, "content");
  if (!content) return false;
  const auto render = [&](std::string_view tag) { return form.expand ? form.setup.definitions(tag) : std::string(); };
  bool found = false;
  const std::string value = with_texts(*content, [&](std::string_view token) {
    bool here = false;
    const std::string text = expand_macros(json_text(token), render, here);
    found = found || here;
    return json_string(text);
  });
  if (found) out = with_content(json, value, {});
  return found;
}

// Breaks the seal where it stands in a user message. Returns false if the message needs no change.
bool unseal(const Form &form, const Item &item, std::string &out) {
  const std::string &seal = form.setup.config.seal;
  const auto content = item.role == "user" && !seal.empty() ? json_member(item.json, "content") : std::nullopt;
  if (!content || json_kind(*content) == 'n') return false;
  const Defuse unsealed = [&seal](std::string &text) { break_seal(text, seal); };
  out = with_content(
      item.json,
      with_texts(*content,
                 [&](std::string_view token) { return json_string(harmless_text(json_text(token), unsealed)); }),
      {});
  return true;
}

bool holds_picture(const Item &item) {
  if (item.role != "user" || json_member(item.metadata, "imagesOf")) return false;
  const auto content = json_member(item.json, "content");
  if (!content || json_kind(*content) != '[') return false;
  for (JsonSlices parts(*content); parts.next();)
    if (json_member_text(parts.value(), "type") == "image_url") return true;
  return false;
}

// The pictures that the model made in this answer, as a message of the user; empty: none that can be sent.
std::string made_pictures(const Item &item, const Wording &words) {
  std::string list;
  for (JsonSlices parts(json_member(item.metadata, "media").value_or("")); parts.next();) {
    const std::string url = json_member_text(parts.value(), "url");
    if (!url.empty() && !url.starts_with("https://") && !url.starts_with("http://")) continue;  // a host changed it
    if (const std::string picture = picture_part(parts.value()); !picture.empty()) list.append(",").append(picture);
  }
  if (list.empty()) return list;
  return R"({"role":"user","content":[{"type":"text","text":)" + json_string(words(Word::made_pictures)) + "}" + list +
         "]}";
}

// Where the items of an answer do not go back, its pictures do in a message behind it and its results, if the model
// takes pictures.
std::vector<Item> with_made_pictures(std::vector<Item> items, const Form &form, std::deque<std::string> &owned) {
  const MadePictures how = form.setup.config.made_pictures;
  const bool any = std::any_of(items.begin(), items.end(), [](const Item &item) {
    return item.role == "assistant" && json_member(item.metadata, "media").has_value();
  });
  if (!any || how == MadePictures::name) return items;
  if (how == MadePictures::automatic && std::none_of(items.begin(), items.end(), holds_picture)) return items;
  std::vector<Item> out;
  std::string waiting;
  Origin origin = Origin::host;  // of what waits
  bool echoed = false;
  const auto flush = [&] {
    if (!waiting.empty()) out.push_back(read_item(owned.emplace_back(std::exchange(waiting, {})), origin));
  };
  for (Item &item : items) {
    if (item.role != "tool" && !(item.role == "user" && json_member(item.metadata, "imagesOf"))) flush();
    if (item.role == "assistant") {
      echoed = is_echoed(item, form, echoed);
      if (!echoed || !form.setup.wire->echoes_answers()) waiting = made_pictures(item, form.setup.config.words);
      origin = item.origin;
    }
    out.push_back(std::move(item));
  }
  flush();
  return out;
}

}  // namespace

// ---- the whole of it ----

std::set<std::string, std::less<>> used_ids(std::string_view messages) {
  std::set<std::string, std::less<>> ids;
  for (JsonSlices items(messages); items.next();) {
    Item item = read_item(items.value());
    for (std::string &id : item.calls) ids.insert(std::move(id));
    if (!item.answers.empty()) ids.insert(std::move(item.answers));
  }
  return ids;
}

namespace {

// What the metadata of an assistant message says of its calls, by id and in order: true if nobody has run the call.
std::map<std::string, std::vector<bool>, std::less<>> stored_as_waiting(std::string_view metadata) {
  std::map<std::string, std::vector<bool>, std::less<>> out;
  const auto requested = json_member(metadata, "toolCallsRequested");
  if (!requested || json_kind(*requested) != '[') return out;
  for (JsonSlices entry(*requested); entry.next();) {
    if (json_kind(entry.value()) != '{') continue;
    const std::string status = json_member_text(entry.value(), "status");
    const bool waits = !json_member(entry.value(), "status") || status == "pending" || status == "awaiting_approval";
    out[json_member_text(entry.value(), "requestId")].push_back(waits);
  }
  return out;
}

}  // namespace

std::vector<OpenCall> open_calls(std::string_view messages) {
  std::vector<OpenCall> open;
  for (JsonSlices items(messages); items.next();) {
    const Item item = read_item(items.value());
    if (item.role == "tool") {
      const auto answered =
          std::find_if(open.begin(), open.end(), [&](const OpenCall &call) { return call.id == item.answers; });
      if (answered != open.end()) open.erase(answered);  // the n-th result is that of the n-th call with its id
      continue;
    }
    if (item.role == "user" && json_member(item.metadata, "imagesOf")) continue;  // it belongs to the results
    open.clear();
    if (item.calls.empty()) continue;
    const auto calls = json_member(item.json, "tool_calls");
    auto stored = stored_as_waiting(item.metadata);
    std::map<std::string, size_t> seen;
    for (JsonSlices call(*calls); call.next();) {
      const std::string_view function = json_member(call.value(), "function").value_or("{}");
      open.push_back(
          {json_member_text(call.value(), "id"), json_member_text(function, "name"), stored_arguments(function)});
      const std::vector<bool> &waits = stored[open.back().id];
      const size_t earlier = seen[open.back().id]++;
      open.back().waits = earlier >= waits.size() || waits[earlier];
    }
  }
  return open;
}

Conversation::Conversation(const Setup &setup, std::vector<std::string> history, bool final_answer)
    : history_(std::move(history)) {
  const Form form{setup,
                  setup.writing_protocols(),
                  setup.active_protocols(),
                  [&form](std::string &text) {
                    for (const auto &protocol : form.parsed) protocol->defuse(text);
                  },
                  (setup.calls_from_text() && setup.results_are_text()) || setup.calls_as_text,
                  !setup.registry().tools().empty(),
                  setup.calls_from_text() && setup.has_tools() && (!final_answer || setup.wire->keeps_definitions())};
  std::vector<Item> items;
  for (JsonSlices host(setup.host_messages); host.next();) {
    items.push_back(read_item(host.value()));
    if (std::string text; unseal(form, items.back(), text))
      items.back() = read_item(owned_.emplace_back(std::move(text)));
  }
  size_t earlier = 0;
  for (const Item &item : items) earlier += item.role == "assistant";
  for (const std::string &message : history_) items.push_back(read_item(message, Origin::turn));
  for (Item &item : items)
    if (std::string kept = with_items_of_answers(item, setup); !kept.empty())
      item = read_item(owned_.emplace_back(std::move(kept)), item.origin);
  items = in_order(std::move(items), setup.config.words, owned_);
  items = with_made_pictures(std::move(items), form, owned_);

  bool macro = false, echoed = false;
  size_t instruction = SIZE_MAX;
  for (size_t i = 0; i < items.size(); ++i) {
    const Item &item = items[i];
    const Origin origin = item.origin;
    if (is_instruction(item.role) && origin == Origin::host) {
      if (instruction == SIZE_MAX) instruction = messages_.size();
      if (std::string expanded; form.macros && expand(form, item.json, expanded)) {
        macro = true;
        add(std::move(expanded), origin);
        continue;
      }
    }
    const bool of_host = item.role == "assistant" && earlier > 0;
    if (of_host) --earlier;
    if (item.role == "assistant") echoed = is_echoed(item, form, echoed);
    if (item.role == "assistant" && !echoed && (!form.text_calls || item.calls.empty()) &&
        (json_member(item.metadata, "native") || json_member(item.metadata, "media"))) {
      std::string rebuilt = without_native(item, form);
      if (rebuilt.empty()) continue;
      items[i] = read_item(owned_.emplace_back(std::move(rebuilt)), origin);
    }
    earlier_answers_ += of_host;
    if (!form.text_calls || item.calls.empty()) {
      if (item.role == "tool" && !form.parsed.empty())
        add(with_harmless_result(item, form.defuse), origin);
      else if (arguments_are_sendable(item))
        add(item.json, origin);
      else
        add(with_sendable_arguments(item.json), origin);
      continue;
    }
    add(as_text(item, form, echoed), origin);
    size_t last = i + 1;
    while (last < items.size() && items[last].role == "tool") ++last;
    const std::string results = results_as_text(items, i + 1, last, item, form);
    add(results_message(form, results), last > i + 1 ? items[i + 1].origin : origin);
    i = last - 1;
  }
  if (!macro) add_definitions(setup, form.expand, instruction);
  give_roles(*setup.dialect, setup.config.words(Word::between), messages_, origins_, owned_);
}

void Conversation::add(std::string_view message, Origin origin) {
  messages_.push_back(message);
  origins_.push_back(origin);
}

void Conversation::add(std::string message, Origin origin) {
  add(std::string_view(owned_.emplace_back(std::move(message))), origin);
}

// Describes the tools where no macro asks for them: in the first instruction, or in one of its own.
void Conversation::add_definitions(const Setup &setup, bool wanted, size_t instruction) {
  if (!wanted || setup.inject() == Inject::off) return;
  const std::string definitions = setup.definitions();
  if (definitions.empty()) return;
  if (instruction == SIZE_MAX) {
    owned_.push_back(R"({"role":"system","content":)" + json_string(definitions) + "}");
    messages_.insert(messages_.begin(), owned_.back());
    origins_.insert(origins_.begin(), Origin::guide);
  } else {
    owned_.push_back(with_text(messages_[instruction], definitions, setup.inject() == Inject::top));
    messages_[instruction] = owned_.back();
  }
}

bool is_valid_order(const std::vector<std::string_view> &messages) {
  std::vector<std::string> wanted;
  for (const std::string_view message : messages) {
    Item item = read_item(message);
    if (item.role == "tool") {
      const auto call = std::find(wanted.begin(), wanted.end(), item.answers);
      if (call != wanted.end())
        wanted.erase(call);
      else if (!item.answers.empty())
        return false;  // without an id they are results that are text
    } else {
      if (!wanted.empty()) return false;
      wanted = std::move(item.calls);
    }
  }
  return wanted.empty();
}

}  // namespace sluice
