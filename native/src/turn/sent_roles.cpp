#include "turn/sent_roles.h"

#include "base/json.h"
#include "base/json_writer.h"
#include "turn/message_content.h"
#include "wire/native_items.h"

namespace sluice {
namespace {

class Sent {
 public:
  Sent(const Dialect &dialect, const std::string &between, std::deque<std::string> &owned)
      : dialect_(dialect), between_(between), owned_(owned) {}

  void add(std::string_view message, Origin origin) {
    std::string role = json_member_text(message, "role");
    bool instruction = is_instruction(role);
    const bool moved = instruction && !is_taken();
    if (moved) {
      ItemText changed(message);
      changed.set("role", R"("user")");
      message = owned_.emplace_back(changed.write());
      role = "user";
      instruction = false;
    }
    if (joins_last(message, role, instruction)) {
      all_.back() = owned_.emplace_back(joined_messages(all_.back(), message, keeps_parts(role)));
    } else {
      if (role == "user" && last_ == "tool" && dialect_.roles == Roles::alternating)
        add_unseen(owned_.emplace_back(R"({"role":"assistant","content":)" + json_string(between_) + "}"), origin);
      add_unseen(message, origin);
    }
    at_beginning_ = at_beginning_ && instruction;
    last_ = std::move(role);
    last_moved_ = moved;
    last_has_images_ = has_images(message);
  }
  // May messages still follow whose roles matter?
  bool looks_on() const {
    return at_beginning_ || dialect_.instructions != Instructions::anywhere || dialect_.roles != Roles::any;
  }
  void add_unseen(std::string_view message, Origin origin) {
    all_.push_back(message);
    origins_.push_back(origin);
  }
  std::vector<std::string_view> all() { return std::move(all_); }
  std::vector<Origin> origins() { return std::move(origins_); }

 private:
  bool is_taken() const {
    switch (dialect_.instructions) {
      case Instructions::anywhere: return true;
      case Instructions::first: return at_beginning_;
      case Instructions::nowhere: break;
    }
    return false;
  }

  bool joins_last(std::string_view message, const std::string &role, bool instruction) const {
    if (all_.empty()) return false;
    if (instruction) return at_beginning_ && (last_ == role || dialect_.instructions == Instructions::first);
    if (role != "user" || last_ != "user") return false;
    if (last_moved_ || dialect_.roles == Roles::alternating) return true;
    return dialect_.roles == Roles::one_of_user && !last_has_images_ && !has_images(message);
  }

  // A text that was sent stays a part of its own, so that the next request begins with the same words.
  bool keeps_parts(const std::string &role) const {
    return role == "user" && dialect_.roles == Roles::one_of_user && !last_moved_;
  }

  // Does the message hold the images of results? A wire may put them into the results.
  static bool has_images(std::string_view message) {
    return json_member(json_member(message, "metadata").value_or("{}"), "imagesOf").has_value();
  }

  // -- set once
  const Dialect &dialect_;
  const std::string &between_;
  std::deque<std::string> &owned_;
  // -- what was added
  std::vector<std::string_view> all_;
  std::vector<Origin> origins_;
  std::string last_;         // its role
  bool last_moved_ = false;  // it was an instruction
  bool last_has_images_ = false;
  bool at_beginning_ = true;  // all are instructions
};

}  // namespace

void give_roles(const Dialect &dialect, const std::string &between, std::vector<std::string_view> &messages,
                std::vector<Origin> &origins, std::deque<std::string> &owned) {
  Sent sent(dialect, between, owned);
  for (size_t i = 0; i < messages.size(); ++i)
    if (sent.looks_on())
      sent.add(messages[i], origins[i]);
    else
      sent.add_unseen(messages[i], origins[i]);
  messages = sent.all();
  origins = sent.origins();
}

}  // namespace sluice
