// What the fuzz target of a wire makes answers of: events in which '@' becomes any text, and '#' a small number.
#pragma once

#include <string_view>
#include <vector>

struct WireShapes {
  std::string_view wire;
  std::vector<const char *> events;  // as they stand in the body
};

inline const std::vector<WireShapes> &wire_shapes() {
  static const std::vector<WireShapes> all = {
      {"openai-chat",
       {
           R"(data: {"choices":[{"index":0,"delta":{"content":"@"}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"reasoning_content":"@"}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"id":"c#","type":"function","function":{"name":"f","arguments":"@"}}]}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"function":{"arguments":"@"}}]}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"g","arguments":"@"}}]}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":#,"id":"c#","function":{"name":"f","arguments":"{\"a\":"}},{"index":#,"function":{"arguments":"#}"}}]}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":"@"}}}]})",
           R"(data: {"choices":[{"index":0,"delta":{"refusal":"@"}}]})",
           R"(data: {"choices":[{"index":0,"delta":{@}}]})",
           R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
           R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})",
           R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})",
           R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":"@"}]})",
           "data: [DONE]",
       }},
      {"anthropic",
       {
           R"(data: {"type":"message_start","message":{"id":"m#","model":"x","usage":{"input_tokens":#}}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"text","text":"@"}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"thinking","thinking":"@","signature":"@"}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"tool_use","id":"c#","name":"f","input":{}}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"tool_use","id":"@","name":"@","input":{"a":#}}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"server_tool_use","id":"s#","name":"web_search","input":{}}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{"type":"web_search_tool_result","tool_use_id":"s#","content":"@"}})",
           R"(data: {"type":"content_block_start","index":#,"content_block":{@}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"text_delta","text":"@"}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"thinking_delta","thinking":"@"}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"signature_delta","signature":"@"}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"input_json_delta","partial_json":"@"}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"input_json_delta","partial_json":"{\"a\":#}"}})",
           R"(data: {"type":"content_block_delta","index":#,"delta":{"type":"citations_delta","citation":{"a":"@"}}})",
           R"(data: {"type":"content_block_stop","index":#})",
           R"(data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":#}})",
           R"(data: {"type":"message_delta","delta":{"stop_reason":"pause_turn"}})",
           R"(data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}})",
           R"(data: {"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"@"}}})",
           R"(data: {"type":"message_stop"})",
           R"(event: error\ndata: {"type":"error","error":{"type":"@","message":"@"}})",
           R"(data: {"type":"@"})",
       }},
  };
  return all;
}
