/* A whole turn from C99: text, a call that a person approves, its result, and the answer that goes on. */
#include <sluice/sluice.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what) {
  if (!holds) {
    ++failures;
    fprintf(stderr, "FAILED: %s\n", what);
  }
}

/* Drains the events; returns whether each word stood in one of them, in this order. `words` ends with NULL. */
static int drained(sluice_turn *turn, const char *const *words) {
  const char *event;
  size_t len;
  while ((event = sluice_turn_next_event(turn, &len)) != NULL) {
    check(strlen(event) == len, "an event ends at its length");
    if (*words != NULL && strstr(event, *words) != NULL) ++words;
  }
  return *words == NULL;
}

static int32_t feed(sluice_turn *turn, const char *text) { return sluice_turn_feed(turn, text, strlen(text)); }

int main(void) {
  static const char engine_config[] =
      "{\"tools\":[{\"name\":\"note\",\"description\":\"keeps a "
      "note\",\"agentCallable\":true,\"permission\":\"moderate\","
      "\"parameters\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}]}";
  static const char turn_config[] =
      "{\"wire\":\"openai-chat\",\"request\":{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}}";
  static const char *const asked[] = {"\"type\":\"request\"", NULL};
  static const char *const waits[] = {"\"type\":\"approval\"", NULL};
  static const char *const runs[] = {"\"type\":\"execute\"", NULL};
  static const char *const again[] = {"\"status\":\"success\"", "\"type\":\"request\"", NULL};
  static const char *const ends[] = {"\"type\":\"text\"", "\"type\":\"done\"", NULL};
  sluice_engine *engine;
  sluice_turn *turn;
  const char *text;
  size_t len = 0;
  int32_t kind = 0;
  uint32_t index = 0;

  check(sluice_version() > 0, "there is a version");
  engine = sluice_engine_new(engine_config, sizeof engine_config - 1);
  check(engine != NULL && sluice_engine_error(engine, NULL) == NULL, "the engine is usable");
  turn = sluice_turn_new(engine, turn_config, sizeof turn_config - 1);
  sluice_engine_free(engine); /* a turn keeps what it needs */
  check(drained(turn, asked), "a request is wanted");
  check(sluice_turn_tick(turn, 1000) > 1000, "a deadline stands");
  check(sluice_turn_response(turn, 200, NULL, 0) == SLUICE_OK, "response");
  check(feed(turn, "data: {\"choices\":[{\"delta\":{\"content\":\"Noted: \"}}]}\n\n") == SLUICE_OK, "feed text");
  check(
      feed(turn,
           "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"note\","
           "\"arguments\":\"{\\\"text\\\":\\\"milk\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: "
           "[DONE]\n\n") == SLUICE_OK,
      "feed a call");
  check(sluice_turn_finish(turn, SLUICE_END_COMPLETE, NULL, 0) == SLUICE_OK, "finish");
  text = sluice_turn_next_delta(turn, &kind, &index, &len);
  check(text != NULL && strcmp(text, "Noted: ") == 0 && len == 7, "the text comes as it is");
  check(kind == SLUICE_DELTA_TEXT && index == 0, "it is the text of the first block");
  check(sluice_turn_next_delta(turn, &kind, NULL, NULL) == NULL && kind == SLUICE_DELTA_EVENT, "then comes the call");
  check(drained(turn, waits), "the call waits for a person");
  check(sluice_turn_submit(turn, 1, SLUICE_RESULT, "x", 1) == SLUICE_E_STATE, "nothing runs before it was approved");
  text = sluice_turn_get(turn, SLUICE_GET_ERROR, &len);
  check(text != NULL && strlen(text) == len && strstr(text, "\"code\":-2") != NULL, "the error is told");
  check(sluice_turn_approve(turn, 1, SLUICE_ONCE, NULL, 0) == SLUICE_OK, "approve");
  check(drained(turn, runs), "the call runs");
  check(sluice_turn_submit(turn, 1, SLUICE_RESULT, "kept", 4) == SLUICE_OK, "submit");
  check(drained(turn, again), "the next request is wanted");
  text = sluice_turn_get(turn, SLUICE_GET_REQUEST, &len);
  check(text != NULL && strlen(text) == len && strstr(text, "kept") != NULL, "the request holds the result");
  check(feed(turn, "data: {\"choices\":[{\"delta\":{\"content\":\"milk.\"},\"finish_reason\":\"stop\"}]}\n\n") ==
            SLUICE_OK,
        "feed the rest");
  check(sluice_turn_finish(turn, SLUICE_END_COMPLETE, NULL, 0) == SLUICE_OK, "finish again");
  check(drained(turn, ends), "the turn is done");
  text = sluice_turn_get(turn, SLUICE_GET_MESSAGE, NULL);
  check(text != NULL && strstr(text, "\"outcome\":\"completed\"") != NULL, "the message is complete");
  check(sluice_turn_next_event(turn, NULL) == NULL, "nothing comes after done");
  sluice_turn_free(turn);
  sluice_turn_free(NULL);
  puts(failures == 0 ? "a turn from C99: ok" : "a turn from C99: failed");
  return failures != 0;
}
