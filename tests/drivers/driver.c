/* The driver of sluice.h itself, in C99: README.md describes the lines. Every other driver answers byte for byte what
 * this one does. */
#include <inttypes.h>
#include <sluice/sluice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *text;
  size_t len;
} Text; /* text NULL: there is none */

static Text line;        /* the line that is read; its strings are decoded in place */
static size_t line_size; /* of its memory */
static void **handles;   /* by number */
static size_t handle_count;
static Text saved; /* the last state */

static void stop(const char *why, const char *what) {
  fprintf(stderr, "driver.c: %s: %s\n", why, what);
  exit(2);
}

static void *grown(void *memory, size_t size) {
  memory = realloc(memory, size);
  if (memory == NULL) stop("no memory", "realloc");
  return memory;
}

/* -- what comes in: one flat object of strings and whole numbers
 * ------------------------------------------------------------ */

typedef struct {
  const char *name;
  Text text;
  int64_t number;
} Member;

static Member members[8];
static size_t member_count;

static unsigned digit(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* Decodes the string in place, and ends it with NUL; `p` stands behind its opening quote. Returns what stands behind
 * its closing one. */
static char *read_string(char *p, Text *out) {
  char *to = p;
  out->text = p;
  while (*p != '"') {
    if (*p == '\0') stop("a string without its end", out->text);
    if (*p != '\\') {
      *to++ = *p++;
    } else if (p[1] == 'u') { /* only control characters are written so */
      *to++ = (char)(digit(p[4]) * 16 + digit(p[5]));
      p += 6;
    } else {
      static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
      const char *letter = strchr(letters, p[1]);
      *to++ = letter != NULL ? meanings[letter - letters] : p[1];
      p += 2;
    }
  }
  out->len = (size_t)(to - out->text);
  *to = '\0';
  return p + 1;
}

static void read_members(char *p) {
  member_count = 0;
  while (*p == '{' || *p == ',') {
    Member *member = &members[member_count++];
    Text name;
    char *end;
    if (member_count == 8) stop("too many members", p);
    end = read_string(p + 2, &name);
    member->name = name.text;
    member->text.text = NULL;
    if (end[1] == '"')
      p = read_string(end + 2, &member->text);
    else
      member->number = strtoll(end + 1, &p, 10);
  }
  if (*p != '}') stop("not the end of a line", p);
}

static Member *member(const char *name) {
  size_t i;
  for (i = 0; i < member_count; ++i)
    if (strcmp(members[i].name, name) == 0) return &members[i];
  return NULL;
}

static int64_t number(const char *name) {
  Member *found = member(name);
  if (found == NULL) stop("no such member", name);
  return found->number;
}

static Text text(const char *name) {
  static const Text none = {NULL, 0};
  Member *found = member(name);
  return found != NULL ? found->text : none;
}

/* -- what goes out
 * ------------------------------------------------------------------------------------------------------------ */

static void write_string(const char *p, size_t len) {
  const char *end = p + len;
  putchar('"');
  for (; p < end; ++p) {
    static const char controls[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *control = *p != '\0' ? strchr(controls, *p) : NULL;
    if (control != NULL)
      printf("\\%c", letters[control - controls]);
    else if (*p == '"' || *p == '\\')
      printf("\\%c", *p);
    else if ((unsigned char)*p < 0x20)
      printf("\\u%04x", *p);
    else
      putchar(*p);
  }
  putchar('"');
}

static void write_text(const char *p, size_t len) {
  printf("{\"code\":0,\"text\":");
  if (p != NULL)
    write_string(p, len);
  else
    printf("null");
  printf("}\n");
}

/* [1,0,"hi"] */
static void write_delta(int32_t kind, uint32_t index, const char *p, size_t len) {
  printf("[%" PRId32 ",%" PRIu32 ",", kind, index);
  write_string(p, len);
  putchar(']');
}

/* {"code":-2,"name":"state","message":"...","path":"..."} of the library's own document, whose members it copies as
 * they stand. */
static void write_error(const char *error) {
  const char *const parts[] = {"\"code\":", "\"name\":\"", "\"message\":\"", "\"path\":\""};
  size_t i;
  for (i = 0; i < 4; ++i) {
    const char *p = strstr(error, parts[i]);
    printf("%s%s", i == 0 ? "{" : ",", parts[i]);
    if (p != NULL) {
      const char *from = p += strlen(parts[i]);
      while (i == 0 ? *p != ',' : *p != '"') p += *p == '\\' ? 2 : 1;
      printf("%.*s", (int)(p - from), from);
    }
    if (i > 0) putchar('"');
  }
  printf("}\n");
}

static void write_code(sluice_turn *turn, int32_t code) {
  if (code == SLUICE_OK)
    printf("{\"code\":0}\n");
  else
    write_error(sluice_turn_get(turn, SLUICE_GET_ERROR, NULL));
}

/* -- the verbs
 * ---------------------------------------------------------------------------------------------------------------- */

static void keep(int64_t at, void *handle) {
  size_t i;
  if ((size_t)at >= handle_count) {
    handles = grown(handles, (size_t)at * 2 * sizeof *handles);
    for (i = handle_count; i < (size_t)at * 2; ++i) handles[i] = NULL;
    handle_count = (size_t)at * 2;
  }
  handles[at] = handle;
}

static void keep_turn(sluice_turn *turn) {
  const char *error = sluice_turn_get(turn, SLUICE_GET_ERROR, NULL);
  if (error != NULL) {
    write_error(error);
    sluice_turn_free(turn);
  } else {
    keep(number("turn"), turn);
    write_code(turn, SLUICE_OK);
  }
}

static int is(const char *verb) { return strcmp(text("do").text, verb) == 0; }

/* Makes or frees a handle; returns whether the verb is one that does. */
static int make_or_free(void) {
  if (is("engine")) {
    Text config = text("document");
    sluice_engine *engine = sluice_engine_new(config.text, config.len);
    const char *error = sluice_engine_error(engine, NULL);
    if (error != NULL) {
      write_error(error);
      sluice_engine_free(engine);
    } else {
      keep(number("engine"), engine);
      write_code(NULL, SLUICE_OK);
    }
  } else if (is("turn")) {
    Text config = text("document");
    keep_turn(sluice_turn_new(handles[number("engine")], config.text, config.len));
  } else if (is("restore")) {
    Text state = member("document") != NULL ? text("document") : saved;
    keep_turn(sluice_turn_restore(handles[number("engine")], state.text, state.len));
  } else if (is("close")) {
    if (member("turn") != NULL)
      sluice_turn_free(handles[number("turn")]);
    else
      sluice_engine_free(handles[number("engine")]);
    write_code(NULL, SLUICE_OK);
  } else {
    return 0;
  }
  return 1;
}

/* The document's number, by its name. */
static int32_t what(void) {
  static const char *const names[] = {"request", "message", "history", "tools", "prompt", "state", "error"};
  int32_t i = 0;
  while (strcmp(names[i], text("what").text) != 0) ++i;
  return i + SLUICE_GET_REQUEST;
}

/* Reads from a turn; returns whether the verb is one that does. */
static int read_turn(sluice_turn *turn) {
  const char *out;
  size_t len = 0;
  int32_t kind = 0;
  uint32_t index = 0;
  if (is("next")) {
    out = sluice_turn_next_event(turn, &len);
    write_text(out, len);
  } else if (is("events")) {
    const char *between = "";
    printf("{\"code\":0,\"events\":[");
    for (; (out = sluice_turn_next_event(turn, &len)) != NULL; between = ",") {
      printf("%s", between);
      write_string(out, len);
    }
    printf("]}\n");
  } else if (is("next_delta")) {
    out = sluice_turn_next_delta(turn, &kind, &index, &len);
    printf("{\"code\":0,\"delta\":");
    if (out != NULL)
      write_delta(kind, index, out, len);
    else
      printf("null");
    printf("}\n");
  } else if (is("pieces")) {
    const char *between = "";
    printf("{\"code\":0,\"pieces\":[");
    do {
      for (; (out = sluice_turn_next_delta(turn, &kind, &index, &len)) != NULL; between = ",") {
        printf("%s", between);
        write_delta(kind, index, out, len);
      }
      if ((out = sluice_turn_next_event(turn, &len)) != NULL) {
        printf("%s", between);
        write_string(out, len);
        between = ",";
      }
    } while (out != NULL);
    printf("]}\n");
  } else if (is("get")) {
    out = sluice_turn_get(turn, what(), &len);
    write_text(out, len);
    if (out != NULL && what() == SLUICE_GET_STATE) {
      saved.text = grown(saved.text, len + 1);
      saved.len = len;
      memcpy(saved.text, out, len);
    }
  } else if (is("find_tool")) {
    Text name = text("name");
    out = sluice_turn_find_tool(turn, name.text, name.len, &len);
    write_text(out, len);
  } else {
    return 0;
  }
  return 1;
}

static int32_t feed(sluice_turn *turn, Text hex) {
  size_t i;
  for (i = 0; i < hex.len / 2; ++i) hex.text[i] = (char)(digit(hex.text[2 * i]) * 16 + digit(hex.text[2 * i + 1]));
  return sluice_turn_feed(turn, hex.text, hex.len / 2);
}

/* Changes a turn; returns the code. */
static int32_t change_turn(sluice_turn *turn) {
  Text given;
  if (is("response"))
    return given = text("headers"), sluice_turn_response(turn, (int32_t)number("status"), given.text, given.len);
  if (is("feed")) return feed(turn, text("bytes"));
  if (is("finish"))
    return given = text("detail"), sluice_turn_finish(turn, (int32_t)number("how"), given.text, given.len);
  if (is("conclude"))
    return given = text("text"), sluice_turn_conclude(turn, (int32_t)number("how"), given.text, given.len);
  {
    uint32_t call = (uint32_t)number("call");
    if (is("approve"))
      return given = text("edited"),
             sluice_turn_approve(turn, call, (int32_t)number("decision"), given.text, given.len);
    if (is("deny")) return given = text("reason"), sluice_turn_deny(turn, call, given.text, given.len);
    if (is("refuse")) return given = text("reason"), sluice_turn_refuse(turn, call, given.text, given.len);
    if (is("cancel")) return given = text("reason"), sluice_turn_cancel(turn, call, given.text, given.len);
    if (is("submit"))
      return given = text("data"), sluice_turn_submit(turn, call, (int32_t)number("kind"), given.text, given.len);
    if (is("resolve")) return given = text("arguments"), sluice_turn_resolve(turn, call, given.text, given.len);
  }
  stop("no such verb", text("do").text);
  return 0;
}

static void run(void) {
  sluice_turn *turn;
  if (make_or_free()) return;
  turn = handles[number("turn")];
  if (read_turn(turn)) return;
  if (is("tick")) {
    int64_t next = sluice_turn_tick(turn, number("now"));
    if (next == INT64_MAX)
      printf("{\"code\":0,\"next\":null}\n");
    else if (next >= 0)
      printf("{\"code\":0,\"next\":%" PRId64 "}\n", next);
    else
      write_code(turn, (int32_t)next);
  } else if (is("judge")) {
    Text rules = text("rules");
    int32_t way = sluice_turn_judge(turn, (uint32_t)number("call"), rules.text, rules.len);
    if (way >= 0)
      printf("{\"code\":0,\"way\":%" PRId32 "}\n", way);
    else
      write_code(turn, way);
  } else if (is("call")) {
    Text document = text("document");
    int32_t made = sluice_turn_call(turn, (uint32_t)number("call"), document.text, document.len);
    if (made >= 0)
      printf("{\"code\":0,\"number\":%" PRId32 "}\n", made);
    else
      write_code(turn, made);
  } else {
    write_code(turn, change_turn(turn));
  }
}

int main(void) {
  int c;
  while ((c = getchar()) != EOF) {
    if (line.len + 1 >= line_size) line.text = grown(line.text, line_size = line_size * 2 + 64);
    if (c != '\n') {
      line.text[line.len++] = (char)c;
      continue;
    }
    line.text[line.len] = '\0';
    read_members(line.text);
    run();
    line.len = 0;
  }
  return 0;
}
