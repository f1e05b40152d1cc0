// A declared protocol: the reader of a built-in one, with the host's own words and texts.
#include "base/json_writer.h"
#include "base/text.h"
#include "protocol/declared/words.h"
#include "protocol/harmless.h"
#include "protocol/registry.h"
#include "protocol/seal.h"
#include "protocol/tool_text.h"

namespace sluice {
namespace {

// The protocol that reads, with what it views.
struct Made {
  std::unique_ptr<OwnFamily> family;  // of a family
  std::shared_ptr<const Protocol> protocol;
};

class Declared final : public Protocol {
 public:
  Declared(std::shared_ptr<const Declaration> declaration, Made made, std::string seal)
      : declaration_(std::move(declaration)), made_(std::move(made)), seal_(std::move(seal)) {}

  std::string_view id() const override { return declaration_->id; }
  std::string_view declaration() const override { return declaration_->text; }
  void write_definitions(const std::vector<ToolText> &tools, std::string &out) const override;
  void write_call(std::string_view id, std::string_view name, std::string_view arguments,
                  std::string &out) const override;
  void write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const override;
  void defuse(std::string &text) const override;
  std::vector<Marker> result_markers() const override;
  std::string_view seal() const override { return seal_; }
  std::string_view results_role() const override { return declaration_->results_role; }

  // -- as the protocol that it is like
  bool calls_commands() const override { return like().calls_commands(); }
  bool defines_on_top() const override { return like().defines_on_top(); }
  CodeMode code() const override { return like().code(); }
  bool reads_fence(std::string_view word) const override { return like().reads_fence(word); }
  std::vector<Marker> openers(const ToolView &tools) const override { return like().openers(tools); }
  std::vector<Marker> closers(const ToolView &tools) const override { return like().closers(tools); }
  std::vector<Marker> closers_of(std::string_view opener) const override { return like().closers_of(opener); }
  std::vector<Marker> trailers() const override { return like().trailers(); }
  std::vector<Marker> turn_ends() const override { return like().turn_ends(); }
  std::vector<Marker> reasoning_closers() const override { return like().reasoning_closers(); }
  bool thinks() const override { return like().thinks(); }
  bool has_channels() const override { return like().has_channels(); }
  bool called_in_reasoning() const override { return like().called_in_reasoning(); }
  bool starts_in_reasoning() const override { return like().starts_in_reasoning(); }
  std::unique_ptr<BlockReader> reader(const ToolView &tools, const ScanLimits &limits) const override {
    return like().reader(tools, limits);
  }

 private:
  const Protocol &like() const { return *made_.protocol; }
  std::string shown_parameters(const ToolText &tool, const Defuse &defuse) const;

  const std::shared_ptr<const Declaration> declaration_;
  const Made made_;
  const std::string seal_;
};

std::string Declared::shown_parameters(const ToolText &tool, const Defuse &defuse) const {
  if (declaration_->parameters == ParameterForm::schema) return std::string(tool.parameters);
  return harmless_text(declaration_->parameters == ParameterForm::lines ? parameter_lines(tool.parameters)
                                                                        : parameter_fields(tool.parameters),
                       defuse);
}

void Declared::write_definitions(const std::vector<ToolText> &tools, std::string &out) const {
  if (tools.empty()) return;
  const Template &introduction = declaration_->introduction, &definition = declaration_->definition;
  if (!declaration_->defines()) return like().write_definitions(tools, out);
  const Defuse defuse = [this](std::string &text) { this->defuse(text); };
  const auto name_of = [this](const ToolText &tool) {
    return calls_commands() && !tool.command.empty() ? tool.command : tool.name;
  };
  const auto example = [&](const ToolText &tool) {
    std::string call;
    write_call("call_1", name_of(tool), example_arguments(tool.parameters), call);
    return std::string(trim(call));
  };
  std::string all(declaration_->text_of("tools.open"));
  std::deque<std::string> owned;
  for (const ToolText &tool : harmless_tools(tools, defuse, owned)) {
    if (!definition.given()) {
      write_tool_json(tool, all);
    } else {
      definition.write(
          [&](std::string_view place) {
            if (place == "example") return example(tool);
            if (place == "parameters") return shown_parameters(tool, defuse);
            return std::string(place == "description" ? tool.description : name_of(tool));
          },
          all);
    }
    if (all.back() != '\n') all += '\n';
  }
  all += declaration_->text_of("tools.close");
  const std::string shown = example(example_tool(tools));
  if (introduction.given())
    introduction.write([&](std::string_view place) { return place == "tools" ? all : shown; }, out);
  else
    introduce_calls(shown, out);
  if (!out.empty() && out.back() != '\n') out += '\n';
  if (!seal_.empty()) out.append(about_seal(seal_)).back() = '\n';
  if (!introduction.has("tools")) out += all;
}

void Declared::write_call(std::string_view id, std::string_view name, std::string_view arguments,
                          std::string &out) const {
  const Template &call = declaration_->call;
  if (!call.given()) return like().write_call(id, name, arguments, out);
  call.write(
      [&](std::string_view place) {
        return place == "arguments" ? compact_json(arguments) : std::string(place == "name" ? name : id);
      },
      out);
  if (out.back() != '\n') out += '\n';
}

void Declared::write_results(const std::vector<ResultText> &results, const Protocols &active, std::string &out) const {
  const Template &form = declaration_->result;
  if (!form.given()) return like().write_results(results, active, out);
  const Defuse defuse = defuse_all(active, *this);
  const auto *const separator = declaration_->find("results.separator");
  out += declaration_->text_of("results.open");
  for (const ResultText &result : results) {
    if (separator != nullptr && &result != &results.front()) out += separator->front();
    form.write(
        [&](std::string_view place) {
          if (place == "status") return std::string(result.status);
          if (place == "json") return harmless_content(result, defuse);
          if (place == "name") return harmless_name(result.tool, defuse);
          if (place == "id") return harmless_name(result.call_id, defuse);
          return harmless_result(result, defuse);
        },
        out, [&](std::string &text) { text = harmless_text(text, defuse); });
    if (separator == nullptr && out.back() != '\n') out += '\n';
  }
  out += declaration_->text_of("results.close");
}

void Declared::defuse(std::string &text) const {
  like().defuse(text);
  for (const std::string_view path : {"results.open", "results.close"}) break_marker(text, declaration_->text_of(path));
  if (const std::string_view mark = declaration_->text_of("results.separator"); is_rare_mark(mark))
    break_marker(text, mark);
  if (const Template &form = declaration_->result; form.given())
    for (const std::string_view mark : {form.head(), form.tail()})
      if (is_rare_mark(trim(mark))) break_marker(text, mark);
  break_seal(text, seal_);
}

std::vector<Marker> Declared::result_markers() const {
  if (!declaration_->result.given()) return like().result_markers();
  std::vector<Marker> out;
  add_result_marker(declaration_->text_of("results.open"), declaration_->text_of("results.close"), out);
  add_result_marker(declaration_->result.head(), declaration_->result.tail(), out);
  return out;
}

// The options of the declaration, with those of a use in their place.
std::string with_members(std::string_view options, std::string_view given) {
  std::string out;
  ObjectWriter object(out);
  for (JsonSlices member(options); member.next();)
    if (json_kind(given) != '{' || !json_member(given, member.key_text()))
      object.raw(member.key_text(), member.value());
  if (json_kind(given) == '{')
    for (JsonSlices member(given); member.next();) object.raw(member.key_text(), member.value());
  object.close();
  return out;
}

// The document with this id in the place of the other.
std::string with_id(std::string_view config, std::string_view id) {
  std::string out;
  ObjectWriter object(out);
  object.text("id", id);
  for (JsonSlices member(config); member.next();)
    if (member.key_text() != "id") object.raw(member.key_text(), member.value());
  object.close();
  return out;
}

Status no_such_words(const Declaration &declaration, std::string_view path, std::string_view why) {
  return error(Code::json, declaration.like + " has no such words to replace" + std::string(why), std::string(path));
}

// -- the built-in protocol with the declaration's words

Status make_family_like(const Declaration &declaration, const Family &like, const std::vector<std::string_view> &paths,
                        ProtocolOptions options, Made &made) {
  const std::string_view fixed = fixed_words(like);
  made.family = std::make_unique<OwnFamily>(like);
  for (const std::string_view path : paths) {
    const bool around = path.starts_with("tools.") || path.starts_with("results.");
    if (!fixed.empty() && !around) return no_such_words(declaration, path, ": " + std::string(fixed));
    if (!made.family->set(path, *declaration.find(path))) return no_such_words(declaration, path, {});
  }
  if (!options.seal.empty() && declaration.find("openers") == nullptr)
    return error(Code::json, declaration.id + " cannot have a marker word: it has no openers of its own", "markerWord");
  made.family->seal(options.seal);
  options.seal.clear();  // it stands in the openers
  made.protocol = make_family(made.family->family(), options);
  return {};
}

Status make_vcp_like(const Declaration &declaration, const std::vector<std::string_view> &paths, VcpOptions &options,
                     Made &made) {
  VcpWords &own = options.words;
  for (std::string *marker : {&own.start, &own.end}) *marker = "<<<" + *marker + ">>>";
  for (const std::string_view path : paths)
    if (!set_vcp_words(path, *declaration.find(path), own))
      return no_such_words(declaration, path, declaration.find(path)->size() > 1 ? ": expected one" : "");
  settle_angles(own);
  made.protocol = make_vcp(options);
  return {};
}

}  // namespace

Status make_declared(const std::shared_ptr<const Declaration> &declaration, std::string_view given,
                     std::shared_ptr<const Protocol> &out) {
  const std::string config = with_members(declaration->options, given);
  std::vector<std::string_view> paths;
  for (const auto &[path, words] : declaration->words)
    if (!(declaration->result.given() && path.starts_with("results.")) &&
        !(declaration->defines() && path.starts_with("tools.")))
      paths.push_back(path);
  ProtocolOptions options;
  VcpOptions vcp_options;
  Made made;
  Status status;
  if (const Family *const family = find_family(declaration->like)) {
    status = read_own_options(declaration->id, config, options);
    if (status.ok()) status = make_family_like(*declaration, *family, paths, options, made);
  } else if (declaration->like == "vcp") {
    status = read_vcp_options(declaration->id, config, vcp_options);
    if (status.ok()) status = make_vcp_like(*declaration, paths, vcp_options, made);
    options.seal = vcp_options.seal;
  } else if (!paths.empty()) {
    status = no_such_words(*declaration, paths.front(), "; expected introduction, definition, call or result");
  } else {
    status = read_own_options(declaration->id, config, options);
    if (status.ok()) status = make_protocol(with_id(config, declaration->like), made.protocol);
  }
  if (status.ok()) out = std::make_shared<Declared>(declaration, std::move(made), std::move(options.seal));
  return status;
}

}  // namespace sluice
