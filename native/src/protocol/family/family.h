// Call formats of open models: each is an entry of one table (families.cpp), read by one of a few grammars.
#pragma once

#include <array>
#include <optional>
#include <variant>

#include "base/text.h"
#include "protocol/block.h"

namespace sluice {

using Words = std::vector<std::string_view>;

struct ProtocolOptions {  // of every protocol, as far as its format has a use for them
  std::optional<CodeMode> code;
  std::optional<bool> first_duplicate;
  std::optional<bool> trim;
};

struct ElementCalls;

// Another way to begin: behind `opener` stands a name up to `mark` and then its arguments.
struct JsonOpening {
  std::string_view opener;     // one of the family's openers as well
  std::string_view mark = {};  // empty: no name stands here, only the closer is another one
  std::string_view closer = {};
  bool object = false;                     // a whole call object follows the name, not its arguments
  std::string_view text = {};              // with this name it is no call: what follows is text
  const ElementCalls *elements = nullptr;  // then the call is one of elements; `closer` and the family's end it
};

// {"name": …, "arguments": {…}}: one object, several in a row, or an array of them.
struct JsonCalls {
  Words names = {"name"};  // the member that holds the tool's name
  Words arguments = {"arguments", "parameters"};
  Words ids = {"id", "tool_call_id", "call_id"};
  Words others = {"type", "index"};  // known, and of no use
  bool name_is_key = false;          // {"NAME": {arguments}}
  bool array = false;                // calls are written as one array, even a single one
  bool fence = false;                // calls are written in a fence
  bool id = false;                   // calls are written with their id
  std::string_view separator = {};   // between calls that are written in a row, where no closer ends the row
  Words wrappers = {};               // {"tool_calls": [calls]}
  bool alone = true;                 // an object in ordinary text may be a call without them
  bool strict = false;               // nothing but JSON, and nothing without its wrapper
  std::vector<JsonOpening> openings = {};
};

// NAME and an object of arguments behind it: f<sep>{…}.
struct NamedCalls {
  Words separators = {};                  // between them: one of these, the first as it is written
  bool adjacent = false;                  // or nothing
  std::string_view kind = {};             // where a kind of call stands in the name's place, and the name behind the
                                          // separator, this one: function<sep>NAME; both orders are read
  bool fenced = false;                    // ```json around the arguments, behind a kind
  bool kind_written = false;              // calls are written with kind and fence
  std::string_view prefix = {};           // functions. before the name: then the whole header is the call's id
  std::string_view id_mark = {};          // between the name and an id: [CALL_ID]
  std::string_view name_mark = {};        // between an id and the name, where calls begin with the id
  std::string_view after_arguments = {};  // before the closer; may be missing
  Words sections = {};                    // those of the openers that begin a section of calls
  std::string_view text_name = {};        // with this name it is no call: what follows is text
  bool certain = false;  // only a call begins with the openers: one without a separator is a broken one
  bool json = false;     // JSON calls may follow the opener instead
};

// Parameters as elements with text in them.
struct ElementCalls {
  enum class Style : uint8_t {
    assigned,   // <function=NAME> <parameter=KEY>value</parameter> </function>
    attribute,  // <invoke name="NAME"> <parameter name="KEY">value</parameter> </invoke>
    pairs,      // NAME <arg_key>KEY</arg_key> <arg_value>value</arg_value>
    tags,       // <NAME> <KEY>value</KEY> </NAME>; the tool list says which names there are
  };
  Style style = Style::assigned;
  std::string_view prefix = {};              // of every tag's name: ｜DSML｜, steptml:, ]<]minimax[>[ …
  std::string_view call = "function";        // invoke, function; pairs: a tag behind the name, or nothing
  std::string_view parameter = "parameter";  // pairs: arg_key
  std::string_view value = "arg_value";      // pairs only; empty: it begins where its key ends
  std::string_view type = {};                // pairs: a tag that may say the value's type, between the two
  // How tags are written: <NAME and </NAME, then the bracket.
  std::string_view tag_open = "<", tag_close = "</", tag_end = ">";
  std::string_view call_name = "name", parameter_name = "name";  // the attribute that holds it
  std::string_view call_number = {};                             // an attribute that counts calls: of no use
  std::string_view key_end = {}, value_end = {};                 // pairs: what ends them, where no tag does
  // Newlines at a value's two ends that belong to the notation: none | one at each end | one at its end only where one
  // stands at its beginning, too.
  enum class Edges : uint8_t { kept, each, pair };
  Edges edges = Edges::kept;
  bool lines = true;          // written with every tag on a line of its own
  bool cdata = false;         // a value may stand in <![CDATA[…]]>
  bool json_values = false;   // a string="false" attribute says: the value is JSON
  bool typed_values = false;  // a type="…" attribute does, where it is not "string"
  bool entities = false;      // values are escaped as XML
  bool nested = false;        // elements in values are objects and arrays
  bool repeats = false;       // a parameter that stands twice is an array
  bool json = false;          // JSON calls may follow the section's mark (pairs: the opener) instead
  bool wrapped = true;        // written in a section, where the format has one
  // A second spelling of the tags: some models write them so.
  std::string_view other_prefix = {}, other_suffix = {};
  // Models put all arguments into one of these: a parameter, or a tag around the others, or around an object.
  std::array<std::string_view, 2> wrappers = {};
};

// f(a=1, b='x'): a list of calls in brackets, or one behind the other. Between markers both are read.
struct PythonCalls {
  bool list = true;   // written as a list
  bool json = false;  // JSON calls are accepted as well
};

// call:NAME{key:value,…} with unquoted keys. Models write NAME(key=value,…) as well, and forget the token before it:
// then only a tool's name makes it a call.
inline constexpr std::string_view kGemmaCall = "call:";
struct GemmaCalls {
  std::string_view quote = {};  // <|"|>, <escape>
};

// A YAML mapping in <NAME>…</NAME>.
struct YamlCalls {};

// Messages with a header: <|channel|>commentary to=functions.NAME<|message|>{…}.
struct HarmonyCalls {};

using Grammar = std::variant<JsonCalls, NamedCalls, ElementCalls, PythonCalls, GemmaCalls, YamlCalls, HarmonyCalls>;

// Messages with an address: <|start|>assistant to=NAME<|message|>. What stands between the two is never text.
struct Header {
  std::string_view open = {}, close = {};
  std::string_view address = {};   // an answer may begin with it: the prompt ends in what stands before it
  std::string_view thinking = {};  // who the model writes to when it thinks
};

struct Family {
  std::string_view id;
  Grammar grammar;
  // A block: [section] opener call closer. What stands in brackets may be missing; empty lists: the format has none.
  Words sections = {};                // begins a section of calls, right before the first one's opener
  Words openers = {};                 // one of these begins each call (or each array of calls)
  Words closers = {};                 // one of these ends it; what lacks it lost bytes
  Words section_ends = {};            // right behind the last call: dropped
  Words turn_ends = {};               // ends the answer: dropped there, and right behind a call
  Words turn_starts = {};             // what the prompt ends in: dropped at the beginning of an answer
  bool stops = false;                 // its closer ends the answer, and servers take it away: complete without it
  bool bare = false;                  // the opener is an ordinary bracket: only a tool's name makes it a call
  bool prompted = false;              // the prompt ends in the first opener: an answer may begin behind it
  Words think = {}, think_ends = {};  // reasoning tags besides <think>
  Header header = {};
  bool suffixed = false;  // tags may end in what each checkpoint drew: <tool_call:6124c78e>
  Words dropped = {};     // tokens that are never text
  Words noise = {};       // words that models leave right behind a call: dropped there, and no tokens
  bool ends_reasoning = false;
  bool starts_in_reasoning = false;
  CodeMode code = CodeMode::whole;
  // How tools and results are written: JSON between these; empty: no mark.
  std::string_view tools_open = {}, tools_close = {};      // around the list of tools, one JSON object per line
  std::string_view results_open = {}, results_close = {};  // around all results
  // Around each result; {name} in it is the tool's, {id} the call's.
  std::string_view result_open = {}, result_close = {};
};

const std::vector<Family> &families();
std::shared_ptr<const Protocol> make_family(const Family &family, const ProtocolOptions &options);

// Reads the beginning of a block for every grammar; what follows is the grammar's.
class FamilyReader : public BlockReader {
 public:
  FamilyReader(const Family &family, const ToolView &tools, const ScanLimits &limits)
      : family_(family), tools_(tools), limits_(limits) {}
  State read(std::string_view block, bool ended) final;
  void cut(std::string_view block, std::string_view reason) final;
  Rest rest(std::string_view) const override {
    if (foreign_ != 0) return {foreign_, Quotation::value()};
    return {begun ? at_ : 0};
  }

 protected:
  // Goes on at at_, which stands behind the opener when this is first called. As BlockReader::read.
  virtual State body(std::string_view block, bool ended) = 0;
  // Everything up to the block's end was seen (or nothing follows): fills `calls`. `reason`: of all of them; empty:
  // each its own.
  virtual void close(std::string_view block, std::string_view reason) = 0;

  State reject(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  // The block begins with a header.
  State header(std::string_view block, bool ended);
  // Behind a section's mark, no opener follows: may what follows be a call all the same?
  virtual bool leads(char) const { return false; }
  // A bare opener is a call only with a tool's name; a marked one with any.
  bool may_be(std::string_view tool) const { return !family_.bare || tools_.known(tool) || tools_.names().empty(); }
  // Does `rest` begin with one of `words`? The longest one that fits, in `length`. partial: more text could make it
  // one.
  static Fit fit(std::string_view rest, const Words &words, size_t &length);
  static Fit fit_mark(std::string_view rest, std::string_view word, size_t &length);
  // Behind a value that no closer follows: does it look as if the value had ended too early?
  enum class Behind : uint8_t { wait, end, more };
  static constexpr size_t kLongestBetween = 64;  // white space around a separator
  // `plain`: the value stands in ordinary text, which may go on with any byte.
  static Behind look_behind(std::string_view block, size_t at, bool ended, bool plain = false);
  // What the format does not know: up to the first byte at which `stop(rest, quoted)` says yes, where `rest` begins
  // with it; `partial` waits. A string in it holds no opener, and no tag. What closes the block closes it in a string
  // as well: that one does not end, or quotes the closer.
  // `tag`: it begins within one, where a string is one up to its end, on however many lines.
  void start_residue(bool tag = false) {
    if (lost_to == 0) lost_from = at_;
    if (tag) strings_.enter_tag();
  }
  template <class Stop>
  bool pass_residue(std::string_view block, const Stop &stop) {
    for (; at_ < block.size(); ++at_) {
      const bool quoted = strings_.inside();
      const Fit found = stop(block.substr(at_), quoted);
      if (found == Fit::yes && quoted) lost_to = at_;
      if (found != Fit::no) return found == Fit::yes;
      strings_.step(block[at_ - 1], block[at_]);
    }
    return false;
  }
  // The same where tags are all that may stand behind it.
  bool pass_to_tag(std::string_view block) {
    return pass_residue(block, [this](std::string_view rest, bool quoted) {
      size_t length = 0;
      return rest[0] != '<' ? Fit::no : quoted ? fit(rest, family_.closers, length) : Fit::yes;
    });
  }
  void skip_white(std::string_view block) {
    while (at_ < block.size() && is_white(block[at_])) ++at_;
  }

  const Family &family_;
  const ToolView &tools_;
  const ScanLimits limits_;
  size_t at_ = 0;        // next byte to look at
  size_t payload_ = 0;   // where it stood behind the opener
  bool opened_ = false;  // there was one
  size_t foreign_ = 0;   // where the arguments begin of a tool that nobody has: no call, and a value all the same

 private:
  StringTracker strings_;  // of residue
  bool led_ = false;
};

// An opener that is the first line of a fence: the fence is the block, and its body calls as Python writes them.
inline constexpr std::string_view kFence = "```";
inline bool is_fence(std::string_view opener) { return opener.starts_with(kFence); }
// Where a family has such an opener. What is passed outlives the reader.
std::unique_ptr<BlockReader> make_fenced_reader(const Family &, const ProtocolOptions &, const ToolView &,
                                                const ScanLimits &);
// By the family's grammar.
std::unique_ptr<BlockReader> make_family_reader(const Family &, const ProtocolOptions &, const ToolView &,
                                                const ScanLimits &);

// Where tags have suffixes. What is passed outlives the reader.
std::unique_ptr<BlockReader> make_suffixed_reader(const Family &, const ProtocolOptions &, const ToolView &,
                                                  const ScanLimits &);
// What every tag of the family that may begin a block, or stand behind one, looks like up to its suffix.
std::vector<std::string> suffixed_openers(const Family &), suffixed_section_ends(const Family &);

// One per grammar; the family outlives the reader.
std::unique_ptr<BlockReader> make_reader(const Family &, const JsonCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const NamedCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const ElementCalls &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const PythonCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const GemmaCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const YamlCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const HarmonyCalls &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);

// A call as the model should have written it, with its opener and closer. `arguments`: checked JSON object text.
struct CallText {
  std::string_view id, name, arguments;
};
void write_call(const Family &, const JsonCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const NamedCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const ElementCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const PythonCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const GemmaCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const YamlCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const HarmonyCalls &, const CallText &call, std::string &out);

}  // namespace sluice
