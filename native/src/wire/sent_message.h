// The conversation of a request, taken apart for wires whose messages are not OpenAI's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/data_url.h"
#include "wire/sent_ids.h"
#include "wire/wire.h"

namespace sluice {

// A piece of a message's content.
struct SentPart {
  enum class Kind : uint8_t {
    text,
    image,  // `text` is its URL, which may be a data: URL
    file,   // `json` is OpenAI's `file` object
    other   // `json` is the part as the host wrote it: in the provider's own shape, or unknown
  };
  Kind kind = Kind::text;
  std::string text;
  std::string_view json;
};

struct SentCall {
  std::string id;         // as the provider may read it
  std::string name;       // the wire's
  std::string arguments;  // JSON text of an object
};

struct SentMessage {
  enum class Role : uint8_t { system, user, assistant, tool };
  Role role = Role::user;
  Origin origin = Origin::host;
  bool developer = false;       // a system message that the host wrote as the developer's
  std::vector<SentPart> parts;  // no text part is empty
  // -- assistant
  std::vector<SentCall> calls;
  std::string_view native;  // the items that go back in place of parts and calls, a JSON array; empty: none
  bool opaque = false;      // they go back whole: the provider refused no opaque member of them
  std::string_view beside;  // what the request repeats beside its messages, a JSON object; empty: nothing
  // -- tool: the result of one call of the assistant's message before it
  std::string answers;           // the call's id, as the provider may read it; empty: the provider gave it none
  std::string name;              // the wire's
  std::string_view call_native;  // the call's own item, where the message with it goes back as items; else empty
  bool failed = false;
  bool by_user = false;          // a person approved the call
  bool json = false;             // its text is JSON
  std::vector<SentPart> images;  // of the result

  std::string text() const;  // all text parts, with a line end between them
};

// A call of a provider's own items.
struct NativeCall {
  std::string id;         // empty: it has none
  std::string_view item;  // its JSON text
};

// How a wire wants its conversation.
struct SentRules {
  // The client's calls in the items of an answer, in order.
  std::vector<NativeCall> (*calls_of)(std::string_view items);
  IdRules ids = {};
  // The images of results become SentMessage::images. If not, they stay in a message of the user behind the results.
  bool images_with_results = true;
};

std::vector<SentMessage> sent_messages(const RequestParts &parts, const SentRules &rules);

// The model that a request's body names, or nothing.
std::string model_of(std::string_view body);

// The wire's name for a tool of the engine; for any other name a legal one.
class WireNames {
 public:
  explicit WireNames(const RequestParts &parts) : tools_(parts.names) {}
  std::string operator()(std::string_view name) const;

 private:
  const std::vector<ToolOffer> *tools_;  // sorted by name
};

// The keys that the server knows by other names in calls of `name`. nullptr: none.
const KeyNames *renamed_keys(const RequestParts &parts, std::string_view name);

}  // namespace sluice
