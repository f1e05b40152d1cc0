// A turn with a call that the user allows or not. The model's answers stand here; a host gets them over HTTP.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sluice/sluice.hpp>

constexpr std::string_view kAnswers[] = {
    R"(data: {"choices":[{"delta":{"content":"I will. ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note","arguments":"{\"text\":\"milk\"}"}}]},"finish_reason":"tool_calls"}]})"
    "\n\n",
    R"(data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]})"
    "\n\n"};

int main() try {
  const sluice::Engine engine(R"({"tools":[{"name":"note","permission":"moderate","agentCallable":true}]})");
  sluice::Turn turn(
      engine, R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"Note: milk."}]}})");
  size_t round = 0;
  while (const auto event = turn.next_event()) {  // {"type":"request",...}
    std::cout << *event << '\n';
    const auto is = [&](std::string_view type) { return event->substr(9, type.size()) == type; };
    const size_t at = event->find("\"call\":");
    const auto call = at == event->npos ? 0 : static_cast<uint32_t>(std::atoi(event->data() + at + 7));
    if (is("request") && round < 2) {  // send *turn.document(SLUICE_GET_REQUEST), and feed what comes
      turn.feed(kAnswers[round++]);
      turn.finish();
    }
    if (is("approval")) std::getchar() == 'y' ? turn.approve(call) : turn.deny(call);
    if (is("execute")) turn.submit(call, "noted");
  }
  std::cout << turn.document(SLUICE_GET_MESSAGE).value_or("") << '\n';
} catch (const sluice::Error &error) {
  std::cerr << error.what() << '\n';
  return 1;
}
