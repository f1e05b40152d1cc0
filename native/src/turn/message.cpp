#include "turn/message.h"

#include "base/json_writer.h"

namespace sluice {

void write_error(const TurnError &error, std::string &out) {
  out += "\"code\":";
  append_json_string(out, error.code);
  out += ",\"detail\":";
  append_json_string(out, error.detail);
  if (!error.hint.empty()) {
    out += ",\"hint\":";
    append_json_string(out, error.hint);
  }
  out += error.retryable ? ",\"retryable\":true" : ",\"retryable\":false";
  out += error.fatal ? ",\"fatal\":true" : ",\"fatal\":false";
}

void Message::write(std::string &out) const {
  ObjectWriter message(out);
  message.text("role", "assistant");
  if (!outcome.empty()) message.text("outcome", outcome);
  message.number("rounds", static_cast<int64_t>(rounds.size()));
  if (usage.input_tokens >= 0 || usage.output_tokens >= 0) {
    ObjectWriter tokens(message.value("usage"));
    if (usage.input_tokens >= 0) tokens.number("inputTokens", usage.input_tokens);
    if (usage.output_tokens >= 0) tokens.number("outputTokens", usage.output_tokens);
    tokens.close();
  }
  std::string &list = message.value("blocks");
  list += '[';
  for (const Block &block : blocks) {
    if (&block != &blocks.front()) list += ',';
    switch (block.kind) {
      case Block::Kind::text:
      case Block::Kind::reasoning: {
        ObjectWriter object(list);
        object.text("type", block.kind == Block::Kind::text ? "text" : "reasoning");
        object.number("round", block.round);
        object.text("text", block.text);
        object.close();
        break;
      }
      case Block::Kind::tool_use:
        list += R"({"type":"tool_use","call":)";
        append_number(list, cards[block.card]->call);
        cards[block.card]->write(field::all, list);
        list += '}';
        break;
      case Block::Kind::error:
        list += R"({"type":"error","round":)";
        append_number(list, block.round);
        list += ',';
        write_error(block.error, list);
        list += '}';
    }
  }
  list += ']';
  message.close();
}

}  // namespace sluice
