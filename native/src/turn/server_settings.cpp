#include "turn/server_settings.h"

#include "base/json.h"
#include "base/reading.h"
#include "base/text.h"
#include "wire/finish.h"

namespace sluice {

Status read_finish_reasons(std::string_view value, FinishReasons &out) {
  if (json_kind(value) != '{') return unexpected(value, "an object of words and their classes");
  out.clear();
  for (JsonSlices given(value); given.next();) {
    const std::string word = given.key_text();
    const std::string text = json_kind(given.value()) == '"' ? json_text(given.value()) : std::string();
    const std::optional<Finish> finish = finish_of_class(text);
    if (!finish) return unexpected(given.value(), finish_classes()).inside(word);
    out.insert_or_assign(lower_case(word), *finish);
  }
  return {};
}

Status read_cache(std::string_view value, CacheWish &out) {
  if (json_kind(value) == '"') {
    const std::string word = json_text(value);
    if (word != "auto" && word != "off") return unexpected(value, "auto | off, or an object with ttl and key");
    out = {.on = word == "auto", .ttl = {}, .key = {}};
    return {};
  }
  if (json_kind(value) != '{') return unexpected(value, "auto | off, or an object with ttl and key");
  out = {.on = true, .ttl = {}, .key = {}};
  for (JsonSlices given(value); given.next();) {
    const std::string name = given.key_text();
    if (json_kind(given.value()) == 'n') continue;
    const std::string text = json_kind(given.value()) == '"' ? json_text(given.value()) : std::string();
    if (name != "ttl" && name != "key") return unknown_member(name, {"ttl", "key"});
    if (name == "ttl" && text != "5m" && text != "1h") return unexpected(given.value(), "5m | 1h").inside(name);
    if (text.empty()) return unexpected(given.value(), "a text that is not empty").inside(name);
    (name == "ttl" ? out.ttl : out.key) = text;
  }
  return {};
}

void write_cache(const CacheWish &cache, ObjectWriter &object) {
  if (cache.ttl.empty() && cache.key.empty()) {
    object.text("cache", cache.on ? "auto" : "off");
    return;
  }
  ObjectWriter wish(object.value("cache"));
  if (!cache.ttl.empty()) wish.text("ttl", cache.ttl);
  if (!cache.key.empty()) wish.text("key", cache.key);
  wish.close();
}

void write_finish_reasons(const FinishReasons &reasons, ObjectWriter &object) {
  ObjectWriter classes(object.value("finishReasons"));
  for (const auto &[word, finish] : reasons) classes.text(word, class_of(finish));
  classes.close();
}

}  // namespace sluice
