#include "wire_voices.h"

#include <map>

namespace sluice_test {
namespace {

std::string data(const Json &event) { return "data: " + event.dump() + "\n\n"; }

std::string typed(const Json &event) { return "event: " + text_of(event, "type") + "\n" + data(event); }

// A finish reason in the words of a wire; one that it does not have stays as it is.
std::string word_in(const std::map<std::string, std::string> &words, const std::string &finish) {
  const auto found = words.find(finish);
  return found == words.end() ? finish : found->second;
}

// What an answer's deltas come to where a wire says calls whole.
struct WholeCall {
  std::string id, name, arguments;
};

std::string openai_chat(const SpokenAnswer &answer) {
  std::string out;
  const auto chunk = [&](const Json &delta, const Json &finish) {
    Json choice = {{"index", 0}, {"delta", delta}};
    if (!finish.is_null()) choice["finish_reason"] = finish;
    out += data({{"object", "chat.completion.chunk"}, {"choices", Json::array({choice})}});
  };
  for (const Json &delta : answer.deltas) chunk(delta, nullptr);
  if (!answer.finish.empty()) chunk(Json::object(), answer.finish);
  if (answer.usage)
    out += data({{"choices", Json::array()}, {"usage", {{"prompt_tokens", 3}, {"completion_tokens", 2}}}});
  return answer.end ? out + "data: [DONE]\n\n" : out;
}

class Anthropic {
 public:
  std::string speak(const SpokenAnswer &answer) {
    out_ = typed(
        {{"type", "message_start"}, {"message", {{"id", "msg"}, {"model", "claude"}, {"content", Json::array()}}}});
    for (const Json &delta : answer.deltas) {
      if (delta.contains("reasoning_content")) say("thinking", "thinking_delta", text_of(delta, "reasoning_content"));
      if (delta.contains("content")) say("text", "text_delta", text_of(delta, "content"));
      if (delta.contains("tool_calls"))
        for (const Json &call : delta["tool_calls"]) this->call(call);
    }
    close();
    for (const auto &[index, block] : calls_) stop(block);
    static const std::map<std::string, std::string> kWords = {
        {"stop", "end_turn"}, {"tool_calls", "tool_use"}, {"length", "max_tokens"}, {"content_filter", "refusal"}};
    Json end = {{"type", "message_delta"}, {"delta", Json::object()}};
    if (!answer.finish.empty()) end["delta"]["stop_reason"] = word_in(kWords, answer.finish);
    if (answer.usage) end["usage"] = {{"input_tokens", 3}, {"output_tokens", 2}};
    out_ += typed(end);
    if (answer.end) out_ += typed({{"type", "message_stop"}});
    return out_;
  }

 private:
  void say(const std::string &type, const std::string &delta, const std::string &text) {
    if (kind_ != type) {
      close();
      kind_ = type;
      open_ = next_++;
      start(open_, {{"type", type}, {type, ""}});
    }
    piece(open_, {{"type", delta}, {type, text}});
  }
  void call(const Json &call) {
    const int index = call["index"];
    if (call["function"].contains("name")) {
      close();
      if (const auto known = calls_.find(index); known != calls_.end()) stop(known->second);
      calls_[index] = next_++;
      start(calls_[index], {{"type", "tool_use"},
                            {"id", text_of(call, "id")},
                            {"name", call["function"]["name"]},
                            {"input", Json::object()}});
    }
    if (call["function"].contains("arguments"))
      piece(calls_[index], {{"type", "input_json_delta"}, {"partial_json", call["function"]["arguments"]}});
  }
  void close() {
    if (kind_ == "thinking") piece(open_, {{"type", "signature_delta"}, {"signature", "sig" + std::to_string(open_)}});
    if (!kind_.empty()) stop(open_);
    kind_.clear();
  }
  void start(int index, const Json &block) {
    out_ += typed({{"type", "content_block_start"}, {"index", index}, {"content_block", block}});
  }
  void piece(int index, const Json &delta) {
    out_ += typed({{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
  }
  void stop(int index) { out_ += typed({{"type", "content_block_stop"}, {"index", index}}); }

  std::string out_, kind_;
  int open_ = 0, next_ = 0;
  std::map<int, int> calls_;  // index → block
};

// Calls that are whole; those whose arguments are no JSON object are left out, since such a wire cannot say them.
std::vector<WholeCall> whole_calls(const SpokenAnswer &answer) {
  std::vector<WholeCall> calls;
  std::map<int, size_t> places;
  for (const Json &delta : answer.deltas) {
    if (!delta.contains("tool_calls")) continue;
    for (const Json &call : delta["tool_calls"]) {
      const int index = call["index"];
      if (call["function"].contains("name")) {
        places[index] = calls.size();
        calls.push_back({text_of(call, "id"), call["function"]["name"], ""});
      }
      if (call["function"].contains("arguments") && places.contains(index))
        calls[places[index]].arguments += call["function"]["arguments"].get<std::string>();
    }
  }
  std::erase_if(calls, [](const WholeCall &call) { return !read_json(call.arguments).is_object(); });
  return calls;
}

std::string gemini(const SpokenAnswer &answer) {
  std::string out;
  const auto parts = [&](const std::string &list, const Json &finish, const Json &usage) {
    Json candidate = {{"index", 0}};
    if (!finish.is_null()) candidate["finishReason"] = finish;
    std::string text = candidate.dump();
    if (!list.empty()) text.insert(text.size() - 1, R"(,"content":{"role":"model","parts":[)" + list + "]}");
    out += "data: {\"candidates\":[" + text + "]";
    if (!usage.is_null()) out += ",\"usageMetadata\":" + usage.dump();
    out += "}\r\n\r\n";
  };
  for (const Json &delta : answer.deltas) {
    if (delta.contains("reasoning_content"))
      parts(Json{{"text", delta["reasoning_content"]}, {"thought", true}}.dump(), nullptr, nullptr);
    if (delta.contains("content")) parts(Json{{"text", delta["content"]}}.dump(), nullptr, nullptr);
  }
  bool first = true;
  for (const WholeCall &call : whole_calls(answer)) {
    std::string part = "{\"functionCall\":{\"name\":" + Json(call.name).dump() + ",\"args\":" + call.arguments;
    if (!call.id.empty()) part += ",\"id\":" + Json(call.id).dump();
    parts(part + (first ? R"(},"thoughtSignature":"c2ln"})" : "}}"), nullptr, nullptr);
    first = false;
  }
  static const std::map<std::string, std::string> kWords = {
      {"stop", "STOP"}, {"tool_calls", "STOP"}, {"length", "MAX_TOKENS"}, {"content_filter", "SAFETY"}};
  const Json usage = answer.usage ? Json{{"promptTokenCount", 3}, {"candidatesTokenCount", 2}} : Json();
  if (!answer.finish.empty()) parts("", word_in(kWords, answer.finish), usage);
  return out;
}

class Interactions {
 public:
  std::string speak(const SpokenAnswer &answer) {
    event("interaction.created", {{"interaction", {{"id", ""}, {"status", "in_progress"}, {"model", "gemini"}}}});
    for (const Json &delta : answer.deltas) {
      if (delta.contains("reasoning_content"))
        say("thought", {{"type", "thought_summary"},
                        {"content", {{"type", "text"}, {"text", text_of(delta, "reasoning_content")}}}});
      if (delta.contains("content")) say("model_output", {{"type", "text"}, {"text", text_of(delta, "content")}});
      if (delta.contains("tool_calls"))
        for (const Json &call : delta["tool_calls"]) this->call(call);
    }
    close();
    for (const auto &[index, step] : calls_) stop(step);
    static const std::map<std::string, std::string> kWords = {{"stop", "completed"},
                                                              {"tool_calls", "requires_action"},
                                                              {"length", "incomplete"},
                                                              {"content_filter", "failed"},
                                                              {"error", "failed"}};
    Json interaction = {{"id", ""}, {"status", word_in(kWords, answer.finish)}};
    if (answer.usage) interaction["usage"] = {{"total_input_tokens", 3}, {"total_output_tokens", 2}};
    if (!answer.finish.empty()) event("interaction.completed", {{"interaction", interaction}});
    return answer.end && !answer.finish.empty() ? out_ + "data: [DONE]\n\n" : out_;
  }

 private:
  void event(const std::string &type, Json more) {
    more["event_type"] = type;
    out_ += "event: " + type + "\n" + data(more);
  }
  void say(const std::string &type, const Json &delta) {
    if (kind_ != type) {
      close();
      kind_ = type;
      open_ = next_++;
      start(open_, {{"type", type}});
    }
    piece(open_, delta);
  }
  void call(const Json &call) {
    const int index = call["index"];
    if (call["function"].contains("name")) {
      close();
      if (const auto known = calls_.find(index); known != calls_.end()) stop(known->second);
      calls_[index] = next_++;
      start(calls_[index], {{"type", "function_call"},
                            {"id", text_of(call, "id")},
                            {"name", call["function"]["name"]},
                            {"arguments", Json::object()}});
    }
    if (call["function"].contains("arguments") && calls_.contains(index))
      piece(calls_[index], {{"type", "arguments_delta"}, {"arguments", call["function"]["arguments"]}});
  }
  void close() {
    if (kind_ == "thought") piece(open_, {{"type", "thought_signature"}, {"signature", "sig" + std::to_string(open_)}});
    if (!kind_.empty()) stop(open_);
    kind_.clear();
  }
  void start(int index, const Json &step) { event("step.start", {{"index", index}, {"step", step}}); }
  void piece(int index, const Json &delta) { event("step.delta", {{"index", index}, {"delta", delta}}); }
  void stop(int index) { event("step.stop", {{"index", index}}); }

  std::string out_, kind_;
  int open_ = 0, next_ = 0;
  std::map<int, int> calls_;  // index → step
};

class Responses {
 public:
  std::string speak(const SpokenAnswer &answer) {
    out_ = typed({{"type", "response.created"}, {"response", {{"id", "resp"}, {"model", "gpt"}}}});
    for (const Json &delta : answer.deltas) {
      if (delta.contains("reasoning_content"))
        say("reasoning", "response.reasoning_summary_text.delta", text_of(delta, "reasoning_content"));
      if (delta.contains("content")) say("message", "response.output_text.delta", text_of(delta, "content"));
      if (delta.contains("tool_calls"))
        for (const Json &call : delta["tool_calls"]) this->call(call);
    }
    close();
    for (auto &[index, call] : calls_) close_call(call);
    Json response = {{"id", "resp"}, {"status", "completed"}, {"output", Json::array()}};
    if (answer.usage) response["usage"] = {{"input_tokens", 3}, {"output_tokens", 2}};
    const bool cut = answer.finish == "length" || answer.finish == "content_filter";
    if (cut)
      response["incomplete_details"] = {{"reason", answer.finish == "length" ? "max_output_tokens" : "content_filter"}};
    if (!answer.finish.empty())
      out_ += typed({{"type", cut ? "response.incomplete" : "response.completed"}, {"response", response}});
    return out_;
  }

 private:
  struct Call {
    int place = 0;
    Json item;
  };

  void say(const std::string &type, const std::string &delta, const std::string &text) {
    if (kind_ != type) {
      close();
      kind_ = type;
      text_.clear();
      open_ = next_++;
      out_ += typed({{"type", "response.output_item.added"}, {"output_index", open_}, {"item", item("in_progress")}});
    }
    text_ += text;
    out_ += typed({{"type", delta}, {"output_index", open_}, {"delta", text}});
  }
  Json item(const std::string &status) const {
    const std::string id = (kind_ == "reasoning" ? "rs_" : "msg_") + std::to_string(open_);
    if (kind_ == "reasoning") {
      Json summary = Json::array();
      if (!text_.empty()) summary.push_back({{"type", "summary_text"}, {"text", text_}});
      return {{"type", "reasoning"}, {"id", id}, {"summary", summary}, {"encrypted_content", "enc" + id}};
    }
    Json content = Json::array();
    if (!text_.empty()) content.push_back({{"type", "output_text"}, {"text", text_}, {"annotations", Json::array()}});
    return {{"type", "message"}, {"id", id}, {"role", "assistant"}, {"status", status}, {"content", content}};
  }
  void close() {
    if (!kind_.empty())
      out_ += typed({{"type", "response.output_item.done"}, {"output_index", open_}, {"item", item("completed")}});
    kind_.clear();
  }
  void call(const Json &call) {
    const int index = call["index"];
    if (call["function"].contains("name")) {
      close();
      if (const auto known = calls_.find(index); known != calls_.end()) close_call(known->second);
      Call &one = calls_[index];
      one.place = next_++;
      one.item = {{"type", "function_call"},
                  {"id", "fc_" + std::to_string(one.place)},
                  {"call_id", text_of(call, "id")},
                  {"name", call["function"]["name"]},
                  {"arguments", ""}};
      out_ += typed({{"type", "response.output_item.added"}, {"output_index", one.place}, {"item", one.item}});
    }
    if (!call["function"].contains("arguments") || !calls_.contains(index)) return;
    const std::string more = call["function"]["arguments"];
    Call &one = calls_[index];
    one.item["arguments"] = text_of(one.item, "arguments") + more;
    out_ += typed({{"type", "response.function_call_arguments.delta"}, {"output_index", one.place}, {"delta", more}});
  }
  void close_call(const Call &call) {
    out_ += typed({{"type", "response.output_item.done"}, {"output_index", call.place}, {"item", call.item}});
  }

  std::string out_, kind_, text_;
  int open_ = 0, next_ = 0;
  std::map<int, Call> calls_;
};

std::string ollama(const SpokenAnswer &answer) {
  std::string out;
  const auto line = [&](const std::string &message, const std::string &more) {
    out += R"({"model":"llama","message":{"role":"assistant")" + message + "}" + more + "}\n";
  };
  for (const Json &delta : answer.deltas) {
    if (delta.contains("reasoning_content"))
      line(",\"content\":\"\",\"thinking\":" + delta["reasoning_content"].dump(), ",\"done\":false");
    if (delta.contains("content")) line(",\"content\":" + delta["content"].dump(), ",\"done\":false");
  }
  for (const WholeCall &call : whole_calls(answer)) {
    std::string one = call.id.empty() ? "{" : "{\"id\":" + Json(call.id).dump() + ",";
    one += "\"function\":{\"name\":" + Json(call.name).dump() + ",\"arguments\":" + call.arguments + "}}";
    line(",\"content\":\"\",\"tool_calls\":[" + one + "]", ",\"done\":false");
  }
  if (!answer.finish.empty())
    line(",\"content\":\"\"", std::string(",\"done\":true,\"done_reason\":\"") +
                                  (answer.finish == "length" ? "length" : "stop") + "\"" +
                                  (answer.usage ? ",\"prompt_eval_count\":3,\"eval_count\":2" : ""));
  return out;
}

}  // namespace

std::string spoken(const std::string &wire, const SpokenAnswer &answer) {
  if (wire == "anthropic") return Anthropic().speak(answer);
  if (wire == "gemini") return gemini(answer);
  if (wire == "gemini-interactions") return Interactions().speak(answer);
  if (wire == "openai-responses") return Responses().speak(answer);
  if (wire == "ollama") return ollama(answer);
  return openai_chat(answer);
}

}  // namespace sluice_test
