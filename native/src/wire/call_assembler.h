// Pieces of tool calls as openai-chat streams them → calls.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_progress.h"
#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/opaque_members.h"
#include "wire/wire.h"

namespace sluice {

// One entry of `tool_calls`, or a legacy `function_call`. Empty: absent, null, or "".
struct CallDelta {
  int64_t index = -1;  // -1: missing; some providers write it
  bool legacy = false;
  bool foreign = false;  // its type is neither "function" nor "custom"
  bool custom = false;   // of a tool whose input is free text: `arguments` is a piece of that
  bool damaged = false;  // a member that holds arguments has the wrong type
  std::string_view id, name;
  std::string_view arguments;                                          // decoded; JSON text where it came as an object
  std::vector<std::pair<std::string_view, std::string_view>> members;  // unknown ones: key, JSON text
};

class CallAssembler {
 public:
  CallAssembler(WireSink &sink, const WireLimits &limits) : sink_(sink), limits_(limits) {}

  // Takes the entries of one `tool_calls` array. Two entries are two calls unless id or index say otherwise.
  // `repaired`: some of their bytes were not UTF-8.
  void add(const std::vector<CallDelta> &entries, bool surrogates, bool repaired = false);
  // Text or reasoning came between two calls.
  void interrupt() { parted_ = parted_ || calls_.size() == 1; }
  // An event was lost: a piece of each call that was not shown yet may have been in it.
  void lose_event();
  // Has it arguments that may belong to any of several calls?
  bool has_orphans() const { return orphans_ != 0; }
  // The unknown members of every call that was shown, an object each, as one JSON array; empty: there are none.
  std::string members() const;
  // Settles what is left: calls without a name, arguments without a call. `well`: the answer ended with a good reason,
  // so that an input of free text, which tells no end, is whole.
  void finish(bool well);

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  struct Call {
    int64_t index = -1;
    std::string id, name;
    std::string arguments;  // so far; kept to recognize a provider that repeats them
    JsonProgress progress;  // not saved: made again from the arguments
    Utf8Joiner joiner;
    OpaqueMembers members;
    uint64_t delta = 0;    // number of the array that touched it last; not saved, for no later array has that number
    uint64_t touched = 0;  // number of the entry that touched it last
    uint32_t slot = 0;
    bool shown = false;
    bool untracked = false;     // the arguments exceed their limit: passed on, not kept
    bool heads_repeat = false;  // the provider repeats id or name with every fragment
    bool custom = false;        // its arguments are {"input": "…"}, made of free text
    bool foreign = false;       // not a function: everything that comes for it is dropped
    bool broken = false;        // some of its bytes were lost
    bool in_doubt = false;   // while its arguments were open, arguments without a call came: they may be a part of them
    bool long_name = false;  // its name is too long for any tool; reported once
    std::string canonical;   // canonical arguments, once they were compared; not saved

    bool is_orphan() const;
    void save(std::string &out, uint64_t last_orphan) const;
    void load(const SavedReader &saved, size_t max_depth);
  };

  static constexpr size_t kDropped = SIZE_MAX;

  Call *find(const CallDelta &entry);
  Call *find_index(int64_t index);
  Call *find_last();
  bool continues(Call &call, const CallDelta &entry);
  bool is_whole_object(std::string_view arguments) const;
  bool is_closed(Call &call);
  bool same_arguments(Call &call, std::string_view other);
  void count_orphans();
  void settle_orphans();
  static std::string take_input(Call &call, std::string_view piece);
  void take_head(Call &call, const CallDelta &entry, bool surrogates);
  void take_members(Call &call, const CallDelta &entry);
  void take_arguments(Call &call, std::string_view fragment, bool head_repeated);
  void append(Call &call, std::string_view fragment);
  void replace(Call &call, std::string_view whole, std::string_view code);
  void show(Call &call);

  // -- set once
  WireSink &sink_;
  const WireLimits limits_;
  // -- position in the stream (saved with the turn)
  std::vector<Call> calls_;
  size_t last_ = 0;     // index of the call touched last, or kDropped
  uint32_t slots_ = 0;  // calls that were shown
  size_t orphans_ = 0;  // calls of whose arguments nobody knows the owner; not saved: a restore counts them
  std::set<std::string, std::less<>>
      ids_;  // of the calls, and the highest index of one; not saved: made again from them
  int64_t top_index_ = -1;
  uint64_t entries_ = 0;      // how many came; a restore begins at 1
  uint64_t last_orphan_ = 0;  // number of the last entry that began a call without a name; 0: none did
  bool full_ = false;         // calls beyond the limit were dropped
  bool parted_ = false;       // something stands between the first call and the second
  // -- within one add
  uint64_t delta_ = 0;
};

}  // namespace sluice
