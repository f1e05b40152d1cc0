// What an answer held that no reader reads, told where the answer gave nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/saved.h"
#include "wire/json_event.h"

namespace sluice {

// The members of an object that a wire's reader knows. Names stand between spaces.
struct ReadMembers {
  std::string_view of;      // the object, or a list of such: names with dots between them; empty: the event itself
  std::string_view texts;   // read where they are a text
  std::string_view others;  // read, or without a word for anybody, whatever they are; "*": all that are not in a list
  std::string_view media = {};  // hold a picture or a sound, which Sluice does not show
};

class Unread {
 public:
  // Looks at an event of an answer that gave nothing so far. `read`: what its wire knows, "" first. `type`: of an event
  // that the wire does not know, else empty. `foreign`: the event is none of this wire.
  void look(JsonView event, std::span<const ReadMembers> read, std::string_view type, bool foreign);
  // Where there are texts, lists and objects that nobody read, at most three places, in words; empty: nowhere.
  std::string words() const;
  const std::string &media() const { return media_; }      // the place of the first picture or sound; empty: none came
  std::string_view likeness() const { return likeness_; }  // of the wire of which the answer seems to be, or empty

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  std::vector<std::string> paths_;
  std::string media_;
  std::string_view likeness_;
};

}  // namespace sluice
