/* A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or
 * SLUICE_BASE_URL. By POSIX sockets. */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <sluice/sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const tools =
    "{\"tools\":[{\"name\":\"note.add\",\"description\":\"Adds a "
    "note.\",\"permission\":\"moderate\",\"agentCallable\":true,"
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}]}";
static const char *const config =
    "{\"wire\":\"openai-chat\",\"request\":{\"model\":\"qwen3:8b\",\"messages\":[{\"role\":\"user\",\"content\":"
    "\"Remember the umbrella.\"}]}}";

/* The server's answer, whose body is still to be read; NULL: it does not answer. HTTP 1.0 sends bodies as they are. */
static FILE *ask(const char *base_url, const char *body, int *status) {
  char host[256] = "", port[6] = "80", path[256] = "", line[4096];
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL, *each;
  int connection = -1;
  FILE *answer;
  if (sscanf(base_url, "http://%255[^:/]:%5[0-9]%255s", host, port, path) < 2)
    sscanf(base_url, "http://%255[^:/]%255s", host, path);
  if (getaddrinfo(host, port, &hints, &found) != 0) return NULL;
  for (each = found; each != NULL && connection < 0; each = each->ai_next) {
    connection = socket(each->ai_family, SOCK_STREAM, 0);
    if (connection >= 0 && connect(connection, each->ai_addr, each->ai_addrlen) != 0) {
      close(connection);
      connection = -1;
    }
  }
  freeaddrinfo(found);
  if (connection < 0 || (answer = fdopen(connection, "r")) == NULL) return NULL;
  dprintf(connection, "POST %s/chat/completions HTTP/1.0\r\nHost: %s\r\nContent-Type: application/json\r\n", path,
          host);
  dprintf(connection, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
  if (fgets(line, sizeof line, answer) == NULL || sscanf(line, "HTTP/%*s %d", status) != 1) return NULL;
  while (fgets(line, sizeof line, answer) != NULL && strcmp(line, "\r\n") != 0) continue; /* the other headers */
  return answer;
}

/* Prints text as it comes; the next event of another kind, or NULL. */
static const char *next(sluice_turn *turn) {
  const char *text;
  int32_t kind;
  size_t len;
  while ((text = sluice_turn_next_delta(turn, &kind, NULL, &len)) != NULL)
    if (kind == SLUICE_DELTA_TEXT) fwrite(text, 1, len, stdout);
  fflush(stdout);
  return sluice_turn_next_event(turn, NULL);
}

static int is(const char *event, const char *type) { return strncmp(event + 9, type, strlen(type)) == 0; }

int main(int count, char **arguments) {
  const char *const named = getenv("SLUICE_BASE_URL");
  const char *const base_url = count > 1 ? arguments[1] : named != NULL ? named : "http://127.0.0.1:11434/v1";
  sluice_engine *const engine = sluice_engine_new(tools, strlen(tools));
  sluice_turn *const turn = sluice_turn_new(engine, config, strlen(config));
  FILE *answer = NULL;
  const char *event, *number, *done = NULL;
  int status = 0;
  char line[4096];
  for (;;) {
    while ((event = next(turn)) != NULL) { /* {"type":"request",...} */
      const uint32_t call = (number = strstr(event, "\"call\":")) == NULL ? 0 : (uint32_t)strtoul(number + 7, NULL, 10);
      if (is(event, "request")) {
        answer = ask(base_url, sluice_turn_get(turn, SLUICE_GET_REQUEST, NULL), &status);
        if (answer == NULL) return fprintf(stderr, "%s does not answer\n", base_url), 1;
        sluice_turn_response(turn, status, NULL, 0);
      }
      if (is(event, "approval")) sluice_turn_approve(turn, call, SLUICE_ONCE, NULL, 0); /* show it to a person first */
      if (is(event, "execute")) sluice_turn_submit(turn, call, SLUICE_RESULT, "noted", 5);
      if (is(event, "error")) fprintf(stderr, "%s\n", event);
      if (is(event, "done")) done = strstr(event, "\"outcome\":\"") + 11;
      if (done != NULL) printf("\n%.*s\n", (int)strcspn(done, "\""), done);
    }
    if (done != NULL) break;
    if (fgets(line, sizeof line, answer) != NULL) {
      sluice_turn_feed(turn, line, strlen(line));
    } else {
      sluice_turn_finish(turn, SLUICE_END_COMPLETE, NULL, 0);
      fclose(answer);
    }
  }
  puts(sluice_turn_get(turn, SLUICE_GET_HISTORY, NULL));
  sluice_turn_free(turn);
  sluice_engine_free(engine);
  return 0;
}
