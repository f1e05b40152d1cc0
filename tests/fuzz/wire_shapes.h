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
      {"openai-responses",
       {
           R"(data: {"type":"response.created","response":{"id":"r","model":"x"}})",
           R"(data: {"type":"response.output_item.added","output_index":#,"item":{"type":"message","id":"m#","content":[]}})",
           R"(data: {"type":"response.output_item.added","output_index":#,"item":{"type":"function_call","id":"i#","call_id":"c#","name":"f","arguments":""}})",
           R"(data: {"type":"response.output_item.added","output_index":#,"item":{"type":"custom_tool_call","call_id":"c#","name":"g","input":""}})",
           R"(data: {"type":"response.output_item.added","output_index":#,"item":{"type":"@","call_id":"@","name":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"message","id":"m#","content":[{"type":"output_text","text":"@"}]}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"reasoning","id":"r#","summary":[{"text":"@"}],"encrypted_content":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"function_call","id":"i#","call_id":"c#","name":"f","arguments":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"function_call","id":"i#","call_id":"c#","name":"f","arguments":"{\"a\":#}"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"custom_tool_call","call_id":"c#","name":"g","input":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"shell_call","call_id":"c#","action":{"a":#},"environment":{"type":"container_auto"}}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"shell_call_output","call_id":"c#","output":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{"type":"mcp_call","id":"x#","name":"@","arguments":"@","error":"@"}})",
           R"(data: {"type":"response.output_item.done","output_index":#,"item":{@}})",
           R"(data: {"type":"response.output_text.delta","output_index":#,"content_index":#,"delta":"@"})",
           R"(data: {"type":"response.output_text.done","output_index":#,"content_index":#,"text":"@"})",
           R"(data: {"type":"response.refusal.delta","output_index":#,"delta":"@"})",
           R"(data: {"type":"response.reasoning_summary_text.delta","output_index":#,"summary_index":#,"delta":"@"})",
           R"(data: {"type":"response.reasoning_text.done","output_index":#,"content_index":#,"text":"@"})",
           R"(data: {"type":"response.reasoning.delta","delta":"@"})",
           R"(data: {"type":"response.function_call_arguments.delta","output_index":#,"delta":"@"})",
           R"(data: {"type":"response.function_call_arguments.delta","output_index":#,"delta":"{\"a\":#}"})",
           R"(data: {"type":"response.function_call_arguments.done","output_index":#,"arguments":"{\"a\":#}"})",
           R"(data: {"type":"response.custom_tool_call_input.delta","output_index":#,"delta":"@"})",
           R"(data: {"type":"response.custom_tool_call_input.done","output_index":#,"input":"@"})",
           R"(data: {"type":"response.completed","response":{"output":[{"type":"function_call","call_id":"c#","name":"f","arguments":"{}"}],"usage":{"input_tokens":#}}})",
           R"(data: {"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}})",
           R"(data: {"type":"response.failed","response":{"error":{"code":"@","message":"@"}}})",
           R"(data: {"type":"error","code":"@","message":"@"})",
           R"({"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"@"}]}]})",
           R"(data: {"type":"response.@"})",
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
