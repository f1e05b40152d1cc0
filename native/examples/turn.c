/* A turn with a call that the user allows or not. The model's answers stand here; a host gets them over HTTP. */
#include <sluice/sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tools = "{\"tools\":[{\"name\":\"note\",\"permission\":\"moderate\",\"agentCallable\":true}]}";
static const char *const config =
    "{\"wire\":\"openai-chat\",\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Note: "
    "milk.\"}]}}";
static const char *const answers[] = {
    "data: {\"choices\":[{\"delta\":{\"content\":\"I will. \",\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":"
    "{\"name\":\"note\",\"arguments\":\"{\\\"text\\\":\\\"milk\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\n"};

static int is(const char *event, const char *type) { return strncmp(event + 9, type, strlen(type)) == 0; }

int main(void) {
  sluice_engine *engine = sluice_engine_new(tools, strlen(tools));
  sluice_turn *turn = sluice_turn_new(engine, config, strlen(config));
  const char *event, *number;
  size_t round = 0;
  while ((event = sluice_turn_next_event(turn, NULL)) != NULL) { /* {"type":"request",...} */
    const uint32_t call = (number = strstr(event, "\"call\":")) == NULL ? 0 : (uint32_t)strtoul(number + 7, NULL, 10);
    puts(event);
    if (is(event, "request") && round < 2) { /* send SLUICE_GET_REQUEST, and feed what comes */
      sluice_turn_feed(turn, answers[round], strlen(answers[round]));
      sluice_turn_finish(turn, SLUICE_END_COMPLETE, NULL, 0);
      ++round;
    }
    if (is(event, "approval") && getchar() == 'y')
      sluice_turn_approve(turn, call, SLUICE_ONCE, NULL, 0);
    else if (is(event, "approval"))
      sluice_turn_deny(turn, call, NULL, 0);
    if (is(event, "execute")) sluice_turn_submit(turn, call, SLUICE_RESULT, "noted", 5);
  }
  puts(sluice_turn_get(turn, SLUICE_GET_MESSAGE, NULL));
  sluice_turn_free(turn);
  sluice_engine_free(engine);
  return 0;
}
