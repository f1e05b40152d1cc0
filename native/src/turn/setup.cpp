#include "turn/setup.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/harmless.h"
#include "tools/meant_tools.h"
#include "wire/native_items.h"
#include "wire/provider_tool.h"

namespace sluice {

// ---- the document ----

namespace {

// A call's arguments may be as deep as limits.depth allows, and come back in the metadata of their history. Deepest
// they stand in the items of their wire; toolCallsRequested and toolCall have fewer levels around them.
constexpr size_t kAroundItems = 6;  // {"request":{"messages":[{"metadata":{"native":{"items":

bool within(std::string_view message, size_t depth) {
  if (json_kind(message) != '{') return check_json(message, depth).ok();
  for (JsonSlices members(message); members.next();)
    if (members.bare_key() != "metadata" && !check_json(members.value(), depth - 1).ok()) return false;
  return true;
}

// Of a document that is deeper than `depth`: is that so in the metadata of its messages alone?
bool only_metadata_is_deeper(std::string_view document, size_t depth) {
  constexpr size_t kAroundMessages = 3;  // {"request":{"messages":[
  if (depth <= kAroundMessages || json_kind(document) != '{') return false;
  for (JsonSlices members(document); members.next();) {
    if (members.bare_key() != "request" || json_kind(members.value()) != '{') {
      if (!check_json(members.value(), depth - 1).ok()) return false;
      continue;
    }
    for (JsonSlices request(members.value()); request.next();) {
      if (request.bare_key() != "messages" || json_kind(request.value()) != '[') {
        if (!check_json(request.value(), depth - 2).ok()) return false;
        continue;
      }
      for (JsonSlices messages(request.value()); messages.next();)
        if (!within(messages.value(), depth - kAroundMessages)) return false;
    }
  }
  return true;
}

Status check_document(std::string_view document, size_t depth) {
  const Status status = check_json(document, depth);
  if (status.ok() || !check_json(document, depth + kAroundItems + kAroundArguments).ok()) return status;
  return only_metadata_is_deeper(document, depth) ? Status() : status;
}

}  // namespace

Status Setup::read(std::shared_ptr<const Engine> engine, std::string_view document, std::unique_ptr<Setup> &out) {
  auto setup = std::make_unique<Setup>();
  setup->config = engine->defaults;
  setup->engine = std::move(engine);
  setup->document = document;
  if (Status status = setup->read_members(); !status.ok()) return status;
  out = std::move(setup);
  return {};
}

Status Setup::read_members() {
  if (Status status = check_document(document, document_depth(document, config.limits.depth)); !status.ok())
    return status;
  if (json_kind(document) != '{') return error(Code::json, "expected an object");
  if (Status status = read_config(document, {"wire", "endpoint", "dialect", "leaveOut", "request"}, config);
      !status.ok())
    return status;
  if (config.names.any()) meant = std::make_unique<MeantTools>(registry(), config.exposure, config.names);
  if (Status status = read_wire(); !status.ok()) return status;
  if (Status status = read_endpoint(); !status.ok()) return status;
  if (Status status = read_dialect(); !status.ok()) return status;
  if (Status status = read_left_out(); !status.ok()) return status;
  if (Status status = read_model(); !status.ok()) return status;
  dialect = &dialect_of(wire->id(), served_by, model);
  collect_offers();
  return read_request();
}

Status Setup::read_wire() {
  std::string name = "openai-chat";
  if (const auto value = json_member(document, "wire")) {
    if (json_kind(*value) != '"') return error(Code::json, "expected the name of a wire, a string", "wire");
    name = json_text(*value);
  }
  wire = find_wire(name);
  if (wire == nullptr)
    return error(Code::json, "found " + in_quotes(name) + ", expected one of " + wire_names(), "wire");
  if (wire->id() == "text") config.mode = Mode::text;
  return {};
}

namespace {

// A name of at most 256 bytes; absent or null: none.
Status read_name(std::string_view document, std::string_view member, std::string_view what, std::string &out) {
  constexpr size_t kMostBytes = 256;
  const auto value = json_member(document, member);
  if (!value || json_kind(*value) == 'n') return {};
  if (json_kind(*value) != '"')
    return error(Code::json, "expected the name of " + std::string(what) + ", a string", std::string(member));
  out = json_text(*value);
  if (out.size() <= kMostBytes) return {};
  return error(Code::json, "expected at most 256 bytes, found " + std::to_string(out.size()), std::string(member));
}

}  // namespace

Status Setup::read_endpoint() { return read_name(document, "endpoint", "an endpoint", endpoint); }

Status Setup::read_dialect() { return read_name(document, "dialect", "who serves the model", served_by); }

Status Setup::read_left_out() {
  const auto names = json_member(document, "leaveOut");
  if (!names || json_kind(*names) == 'n') return {};
  if (json_kind(*names) != '[') return error(Code::json, "expected an array of names of tools", "leaveOut");
  size_t i = 0;
  for (JsonSlices list(*names); list.next(); ++i) {
    if (json_kind(list.value()) != '"')
      return error(Code::json, "expected the name of a tool, a string", "leaveOut[" + std::to_string(i) + "]");
    left_out.emplace(json_text(list.value()), "the server refused it before");
  }
  return {};
}

void Setup::collect_offers() {
  offers.clear();
  harmless_offers.clear();
  changed_tools.clear();
  config.exposure.unsendable.clear();
  if (observes()) return;
  const Protocols beside = parsed_beside();
  const Defuse defuse = [&](std::string &said) {
    for (const auto &protocol : beside) protocol->defuse(said);
  };
  for (size_t i = 0; i < registry().tools().size(); ++i) {
    if (!hidden(registry().tools()[i]).empty()) continue;
    ToolOffer offer = registry().offers()[i];
    if (!beside.empty()) {  // a description must not be read as a call where the text is parsed as well
      offer.description = harmless_offers.emplace_back(harmless_text(offer.description, defuse));
      offer.parameters = harmless_offers.emplace_back(harmless_strings(offer.parameters, defuse, true));
    }
    give_form(i, offer);
  }
  note_unsendable();
}

void Setup::note_unsendable() {
  config.exposure.unsendable.clear();
  for (const Tool &tool : registry().tools())  // as text a model learns of functions alone
    if (text_mode() && tool.provider != nullptr && !tool.provider->as_function)
      config.exposure.unsendable.insert(tool.name);
  for (const auto &[name, form] : changed_tools)
    if (!form.unsendable.empty() && !text_mode()) config.exposure.unsendable.emplace(name);
}

void Setup::give_form(size_t index, ToolOffer offer) {
  const Tool &tool = registry().tools()[index];
  if (tool.provider != nullptr && !left_out.contains(tool.name)) {
    std::string declared = declared_tool(wire->id(), tool.provider->id, tool.provider_options);
    if (!declared.empty()) {
      offer.declared = harmless_offers.emplace_back(std::move(declared));
      return offers.push_back(offer);
    }
    if (!tool.provider->as_function) {
      changed_tools[tool.name].unsendable =
          std::string(tool.provider->id) + " is a tool that this provider does not define";
      return;
    }
  }
  ToolRules rules = dialect->tools;
  if (most_description != 0) rules.most_description_units = most_description;
  const size_t most = rules.most_description_units;  // a description has at most as many as it has bytes
  if (engine->plain_tools[index] && (most == 0 || offer.description.size() <= most) && !left_out.contains(tool.name))
    return offers.push_back(offer);
  SentTool form = sent_tool(offer, rules);
  if (const auto why = left_out.find(tool.name); why != left_out.end() && form.unsendable.empty())
    form.unsendable = why->second;
  if (form.unsendable.empty() && form.changes.empty()) return offers.push_back(offer);
  const SentTool &kept = changed_tools.emplace(tool.name, std::move(form)).first->second;
  if (!kept.unsendable.empty()) return;
  offer.description = kept.description;
  offer.parameters = kept.parameters;
  if (!kept.keys.empty()) offer.keys = &kept.keys;
  offers.push_back(offer);
}

const KeyNames *Setup::renamed_keys(const Tool &tool) const {
  if (text_mode()) return nullptr;
  const auto form = changed_tools.find(tool.name);
  return form == changed_tools.end() || form->second.keys.empty() ? nullptr : &form->second.keys;
}

void Setup::leave_out(const std::string &tool, const std::string &why) {
  left_out.emplace(tool, why);
  collect_offers();
}

void Setup::cut_descriptions(size_t most) {
  most_description = most;
  collect_offers();
}

void Setup::change_to_text() {
  calls_as_text = !reads_calls();
  config.mode = Mode::text;
  note_unsendable();
}

// The protocols of the model that the request names.
Status Setup::read_model() {
  const auto request = json_member(document, "request");
  if (const auto name = request ? json_member(*request, "model") : std::nullopt; name && json_kind(*name) == '"')
    model = json_text(*name);
  if (Status status = choose_protocol(model, config); !status.ok()) return std::move(status).inside("protocol");
  if (Status status = join_parsed_tags(config); !status.ok()) return std::move(status).inside("alsoParse");
  if (Status status = check_protocols(config, registry()); !status.ok()) return status;
  if (Status status = seal_protocols(config); !status.ok()) return std::move(status).inside("markerWord");
  const auto exposed = [this](std::string_view name) {
    const Tool *const tool = find_tool(name);
    return tool != nullptr && hidden(*tool).empty();
  };
  return make_model_format(model, wire->id(), tools(), exposed, config).inside("alsoParse");
}

Status Setup::read_request() {
  const auto request = json_member(document, "request");
  parser = !request;
  if (parser) return {};
  body = *request;
  const bool native = config.exposure.enabled && !text_mode();
  const std::vector<ToolOffer> none;
  if (Status status = wire->check(body, native ? offers : none); !status.ok())
    return std::move(status).inside("request");
  host_messages = json_member(body, "messages").value_or("[]");
  for (JsonSlices messages(host_messages); messages.next();) ++host_message_count;
  return {};
}

// ---- what answers are read for ----

const ToolView &Setup::tools() const { return meant != nullptr ? *meant : static_cast<const ToolView &>(registry()); }

bool Setup::calls_may_succeed() const {
  return !exposed_tools(registry(), config.exposure).empty() ||
         JsonSlices(json_member(body, "tools").value_or("")).next();
}

Protocols Setup::parsed_beside() const {
  Protocols beside = config.also_parse;
  if (config.model_protocol != nullptr && !has_protocol(beside, config.model_protocol->id()))
    beside.push_back(config.model_protocol);
  return beside;
}

Protocols Setup::active_protocols() const {
  if (!reads_calls()) return {};
  Protocols active = text_mode() ? config.protocols : Protocols();
  for (const auto &also : parsed_beside())
    if (!has_protocol(active, also->id())) active.push_back(also);
  if (observes()) active.push_back(config.server_results);
  return active;
}

Protocols Setup::watched_protocols() const {
  Protocols watched;
  const Protocols beside = parsed_beside();
  if (reads_calls() && !observes())
    for (const auto &protocol : config.unsealed)
      if (text_mode() || has_protocol(beside, protocol->id())) watched.push_back(protocol);
  if (offers_tools())
    for (const auto &protocol : config.protocols)
      if (!has_protocol(beside, protocol->id())) watched.push_back(protocol);
  return watched;
}

ScanOptions Setup::scan_options() const {
  ScanOptions options{config.starts_in_reasoning, config.calls_in_reasoning, !text_mode()};
  if (text_mode() && !config.protocols.empty() && config.protocols.front()->starts_in_reasoning())
    options.starts_in_reasoning = true;  // the other formats say nothing about the prompt
  return options;
}

ScanLimits Setup::scan_limits() const {
  return {config.limits.candidate_bytes, config.limits.argument_bytes, config.limits.depth};
}

std::string Setup::definitions(std::string_view tag) const {
  if (observes()) return {};
  return tag.empty() && !config.definitions.empty()
             ? config.definitions
             : render_tools(registry(), config.exposure, writing_protocols(), tag);
}

Inject Setup::inject() const {
  if (config.inject != Inject::by_protocol) return config.inject;
  return config.protocols.front()->defines_on_top() ? Inject::top : Inject::bottom;
}

// ---- documents ----

// `sent` and `changes`: how the server of this turn gets the tool.
void Setup::write_form(const Tool &tool, ObjectWriter &out) const {
  const auto form = text_mode() ? changed_tools.end() : changed_tools.find(tool.name);
  if (form == changed_tools.end()) {
    out.text("sent", "as it is").raw("changes", "[]");
    return;
  }
  const bool unsendable = !form->second.unsendable.empty();
  out.text("sent", unsendable ? "left out" : "changed");
  ListWriter changes;
  if (unsendable) append_json_string(changes.next(), form->second.unsendable);
  for (const std::string &change : form->second.changes) append_json_string(changes.next(), change);
  out.raw("changes", changes.array());
}

void Setup::write_tools(std::string &out) const {
  ObjectWriter object(out);
  const auto unseen = [&](std::string_view schema) {
    return text_mode() ? std::set<std::string>() : wire->dropped_keywords(schema);
  };
  const auto form = [&](const Tool &tool, ObjectWriter &out_of) { write_form(tool, out_of); };
  list_tools(registry(), config.exposure, unseen, form, object);
  std::string list = "[";
  for (const auto &protocol : config.protocols) {
    if (list.back() != '[') list += ',';
    append_json_string(list, protocol->id());
  }
  object.raw("protocols", list + "]");
  // What the tools cost a request: as JSON in its body, or as text in its instructions.
  ObjectWriter tokens(object.value("tokens"));
  tokens.number("native", static_cast<int64_t>(estimate_tokens(offers.empty() ? "" : wire->write_tools(offers))));
  tokens.number("text", static_cast<int64_t>(estimate_tokens(definitions())));
  tokens.close();
  list = "[";
  std::vector<std::string_view> known = protocol_ids();
  for (const auto &declared : config.declared) known.push_back(id_of(*declared));
  for (const std::string_view id : known) {
    if (list.back() != '[') list += ',';
    append_json_string(list, id);
  }
  object.raw("knownProtocols", list + "]");
  list = "[";
  for (const std::vector<Profile> *table : {&config.profiles, &profiles()})
    for (const Profile &profile : *table) {
      if (list.back() != '[') list += ',';
      write_profile(profile, list);
    }
  object.raw("profiles", list + "]");
  write_config(config, object.value("settings"));
  object.close();
}

void Setup::write_tool_of(std::string_view name, std::string &out) const {
  ObjectWriter object(out);
  if (const Tool *const tool = find_tool(name)) {
    object.text("tool", tool->name);
    if (const std::string_view reason = hidden(*tool); !reason.empty()) object.text("reason", reason);
  } else {
    std::string list = "[";
    if (!name.empty())
      for (const std::string &near : nearest_names(registry(), config.exposure, name, calls_commands())) {
        if (list.back() != '[') list += ',';
        append_json_string(list, near);
      }
    object.raw("suggestions", list + "]");
  }
  object.close();
}

void Setup::write_prompt(std::string &out) const { append_json_string(out, definitions()); }

}  // namespace sluice
