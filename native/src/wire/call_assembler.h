// Pieces of tool calls as openai-chat streams them → calls.
#pragma once

#include <cstdint>
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
  bool foreign = false;  // it says that it is something else than a function
  std::string_view id, name;
  std::string_view arguments;                                          // decoded; JSON text where it came as an object
  std::vector<std::pair<std::string_view, std::string_view>> members;  // those nobody knows: key, JSON text
};

class CallAssembler {
 public:
  CallAssembler(WireSink &sink, const WireLimits &limits) : sink_(sink), limits_(limits) {}

  // Entries of one array are different calls unless they say otherwise.
  // `repaired`: bytes of them were not UTF-8.
  void add(const std::vector<CallDelta> &entries, bool surrogates, bool repaired = false);
  // Text or reasoning came: what follows does not stand right behind the call before.
  void interrupt() { parted_ = parted_ || calls_.size() == 1; }
  // Arguments came that may be those of any call.
  bool has_orphans() const;
  // Calls that never got a name, and arguments that never got a call.
  void finish();

  void save(ObjectWriter &saved) const;
  void load(const SavedReader &saved);

 private:
  struct Call {
    int64_t index = -1;
    std::string id, name;
    std::string arguments;  // so far: to recognise those who repeat them
    JsonProgress progress;  // not saved: it reads the arguments again
    Utf8Joiner joiner;
    OpaqueMembers members;
    uint64_t delta = 0;  // the array that touched it last; not saved: it is none of those to come
    uint32_t slot = 0;
    bool shown = false;
    bool members_changed = false;
    bool untracked = false;     // the arguments are beyond their limit: only passed on
    bool heads_repeat = false;  // the provider repeats id or name with every fragment
    bool foreign = false;       // no function: what comes for it is dropped
    bool broken = false;        // bytes of it were lost
    bool long_name = false;     // more of a name than any tool has: told once
    std::string canonical;      // of closed arguments that were compared; not saved

    bool is_orphan() const;
    void save(std::string &out) const;
    void load(const SavedReader &saved, size_t max_depth);
  };

  static constexpr size_t kDropped = SIZE_MAX;

  Call *find(const CallDelta &entry);
  Call *find_index(int64_t index);
  Call *find_last();
  bool continues(Call &call, const CallDelta &entry);
  bool is_closed(Call &call);
  bool same_arguments(Call &call, std::string_view other);
  void settle_orphans();
  void take_head(Call &call, const CallDelta &entry, bool surrogates);
  void take_members(Call &call, const CallDelta &entry);
  void take_arguments(Call &call, std::string_view fragment, bool head_repeated);
  void append(Call &call, std::string_view fragment);
  void replace(Call &call, std::string_view whole, std::string_view code);
  void show(Call &call);
  void show_members(const Call &call);

  // -- set once
  WireSink &sink_;
  const WireLimits limits_;
  // -- position in the stream (saved with the turn)
  std::vector<Call> calls_;
  size_t last_ = 0;      // the call touched last, or kDropped
  uint32_t slots_ = 0;   // calls that were shown
  bool full_ = false;    // calls beyond the limit were dropped
  bool parted_ = false;  // something stands between the first call and the second
  // -- within one add
  uint64_t delta_ = 0;
};

}  // namespace sluice
