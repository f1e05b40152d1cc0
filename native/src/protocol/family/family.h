// Call formats of open models: each is an entry of one table (families.cpp), read by one of a few grammars.
#pragma once

#include <deque>
#include <optional>
#include <variant>

#include "base/text.h"
#include "protocol/block.h"
#include "protocol/family/words.h"

namespace sluice {

// Options of every protocol; each uses those that its format has a meaning for.
struct ProtocolOptions {
  std::optional<CodeMode> code;
  std::optional<bool> first_duplicate;
  std::optional<bool> trim;
  std::string seal = {};
};

struct OtherGrammar;

// Another way to begin a call: behind `opener` stand a name, `mark` and the arguments.
struct JsonOpening {
  std::string_view opener;     // one of the family's openers as well
  std::string_view mark = {};  // empty: no name stands here, the call only has another closer
  std::string_view closer = {};
  bool object = false;         // a whole call object follows the name, not only its arguments
  std::string_view text = {};  // behind this name follows text, not a call
  // The call is written in this grammar. `closer` and the family's closers end it.
  const OtherGrammar *other = nullptr;
  bool or_json = false;  // unless a bracket follows the opener
  // Ordinary text holds the opener as well: only a tool's name makes a call of it, and arguments by their first name.
  bool plain = false;
  // Only a tool's name makes a call of it, and nobody reads its arguments: an invalid card.
  bool unread = false;
};

// {"name": …, "arguments": {…}}: one object, several in a row, or an array of them.
struct JsonCalls {
  Words names = words<"name">;  // the member that holds the tool's name
  Words arguments = words<"arguments", "parameters">;
  Words ids = words<"id", "tool_call_id", "call_id">;
  Words others = words<"type", "index">;  // ignored
  bool name_is_key = false;               // {"NAME": {arguments}}
  bool array = false;                     // calls are written as one array, even a single one
  bool fence = false;                     // calls are written in a fence
  bool id = false;                        // calls are written with their id
  std::string_view separator = {};        // between calls in a row that no closer ends
  Words wrappers = {};                    // {"tool_calls": [calls]}
  bool alone = true;                      // an object in ordinary text may be a call without a wrapper
  bool strict = false;                    // only exact JSON counts, and only in a wrapper
  std::span<const JsonOpening> openings = {};
};

// NAME and an object of arguments behind it: f<sep>{…}.
struct NamedCalls {
  Words separators = {};                  // between name and arguments: one of these; calls are written with the first
  bool adjacent = false;                  // nothing may stand between them, too
  std::string_view kind = {};             // the kind of call, if it stands in the name's place: function<sep>NAME. Both
                                          // orders are read
  bool fenced = false;                    // ```json around the arguments, behind a kind
  bool kind_written = false;              // calls are written with kind and fence
  std::string_view prefix = {};           // before the name (functions.): the header as a whole is the call's id
  std::string_view id_mark = {};          // between the name and an id: [CALL_ID]
  std::string_view name_mark = {};        // between the id and the name, if calls begin with the id
  std::string_view after_arguments = {};  // before the closer; may be missing
  Words sections = {};                    // the openers that begin a section of calls
  std::string_view text_name = {};        // behind this name follows text, not a call
  bool certain = false;  // the openers begin nothing but calls: a block without a separator is a broken call
  bool json = false;     // JSON calls may follow the opener instead
};

// Parameters as elements with text in them: what all styles of element may have.
struct ElementForm {
  std::string_view prefix = {};  // of every tag's name: ｜DSML｜, steptml: …
  // The bars around the prefix may be other ones (bars.h).
  bool bars = false;
  // Tags may lack the prefix, if the section's mark or an attribute that only this format has is there.
  bool unmarked = false;
  bool attributed = false;  // a call without parameters, or whose first one has no such attribute, is none
  // A second spelling of the tags, which some models use.
  std::string_view other_prefix = {}, other_suffix = {};
  // Line ends at the edges of a value that belong to the notation: none | one at each edge | one at its end, only if
  // one stands at its beginning, too.
  enum class Edges : uint8_t { kept, each, pair };
  Edges edges = Edges::kept;
  bool lines = true;      // calls are written with every tag on a line of its own
  bool wrapped = true;    // calls are written in a section, if the format has one
  bool cdata = false;     // a value may stand in <![CDATA[…]]>
  bool entities = false;  // values are escaped as XML
  bool repeats = false;   // a parameter that stands twice is an array
  bool json = false;      // JSON calls may follow the section's mark (in pairs: the opener) instead
  // Parameters, or tags around the others or around an object, that models put all arguments into.
  Words wrappers = {};
};

// <function=NAME> <parameter=KEY>value</parameter> </function>
struct AssignedElements {
  ElementForm form = {};
};

// <invoke name="NAME"> <parameter name="KEY">value</parameter> </invoke>
struct AttributeElements {
  ElementForm form = {};
  std::string_view call = "invoke", parameter = "parameter";
  // How tags begin and end: <NAME and </NAME, then the bracket.
  std::string_view tag_open = "<", tag_close = "</", tag_end = ">";
  std::string_view call_name = "name", parameter_name = "name";  // the attributes that hold the names
  std::string_view call_number = {};                             // an attribute that counts calls: ignored
  bool json_values = false;                                      // string="false" says that the value is JSON
  bool typed_values = false;                                     // type="…" does, unless it says "string"
};

// NAME <arg_key>KEY</arg_key> <arg_value>value</arg_value>
struct PairElements {
  ElementForm form = {};
  std::string_view separator = {};  // a tag behind the call's name; empty: none
  std::string_view key = "arg_key";
  std::string_view value = "arg_value";           // empty: the value begins where its key ends
  std::string_view type = {};                     // a tag between the two that may say the value's type
  std::string_view key_end = {}, value_end = {};  // what ends them, if no tag does
};

// <NAME> <KEY>value</KEY> </NAME>: the tools' names are the openers.
struct TagElements {
  bool entities = false;  // values are escaped as XML
  bool repeats = false;   // a parameter that stands twice is an array
};

// The same behind a prefix that no text has. Elements in values are objects and arrays.
struct NestedElements {
  std::string_view prefix;
  std::string_view call = "invoke";  // <invoke name="NAME">
};

// f(a=1, b='x'): a list of calls in brackets, or one call behind the other. Between markers both are read.
struct PythonCalls {
  bool list = true;              // written as a list
  bool json = false;             // JSON calls are accepted as well
  bool known = false;            // only a tool's name makes a call
  std::string_view method = {};  // behind a tool's name, and no part of it: .call
};

// call:NAME{key:value,…} with unquoted keys. Models also write NAME(key=value,…), and forget the token before it: then
// it is a call only if NAME is a tool.
inline constexpr std::string_view kGemmaCall = "call:";
struct GemmaCalls {
  std::string_view quote = {};  // <|"|>, <escape>
};

// A YAML mapping in <NAME>…</NAME>.
struct YamlCalls {};

// Messages with a header: <|channel|>commentary to=functions.NAME<|message|>{…}.
struct HarmonyCalls {};

// <server_name>SERVER</server_name><tool_name>TOOL</tool_name><arguments>{…}</arguments>
struct McpCalls {};

using Grammar = std::variant<JsonCalls, NamedCalls, AssignedElements, AttributeElements, PairElements, TagElements,
                             NestedElements, PythonCalls, GemmaCalls, YamlCalls, HarmonyCalls, McpCalls>;

struct OtherGrammar {
  Grammar grammar;
};

// Messages with an address: <|start|>assistant to=NAME<|message|>. Everything from `open` to `close` is never text.
struct Header {
  std::string_view open = {}, close = {};
  std::string_view address =
      {};  // before the addressee; an answer may begin with it, since the prompt ends in what stands before it
  std::string_view thinking = {};  // the addressee of reasoning
};

// One format: the parts of a block as README.md draws it, and how tools and results are written.
struct Family {
  std::string_view id;
  Grammar grammar;
  Words sections = {};       // begins a section of calls, right before the first opener; may be missing
  Words openers = {};        // begins each call (or each array of calls)
  Words first_openers = {};  // openers that count only as the first bytes of an answer
  Words next_openers = {};   // openers that count only right behind a block of the format (BlockReader::follows)
  Words closers = {};        // ends it; a call without its closer lost bytes
  Words section_ends = {};   // dropped right behind a call, text elsewhere
  // Marks of other formats' sections, around calls of this one: read as sections and section_ends are. Not in the
  // table (wrappers_of).
  Words wrappers = {}, wrapper_ends = {};
  Words turn_ends = {};    // dropped at the end of the answer and right behind a call
  Words turn_starts = {};  // dropped at the beginning of an answer: the prompt ends in it
  bool stops = false;      // servers remove the closer, because it ends the answer: a call is complete without it
  bool bare = false;       // an opener is an ordinary bracket: only a tool's name makes a call of it
  bool answers = false;    // an answer that is nothing but NAME(key=value,…), of a tool, is a call
  bool prompted = false;   // the prompt ends in the first opener, so that an answer may begin behind it
  Words think = {}, think_ends = {};  // reasoning tags besides <think>
  Header header = {};
  bool suffixed = false;  // tags may end in a suffix that differs by checkpoint: <tool_call:6124c78e>
  Words dropped = {};     // tokens that are dropped everywhere
  Words noise = {};       // words that are dropped right behind a call, and are no tokens
  bool channels = false;  // answers have channels: a header or a token that begins another one ends reasoning
  bool starts_in_reasoning = false;
  // The words of fences that models put their calls into. Not empty: such a fence is read (CodeMode::whole).
  Words fences = {};
  // Tools and results are written as JSON between these; empty: no mark.
  std::string_view tools_open = {}, tools_close = {};      // around the list of tools, one JSON object per line
  std::string_view results_open = {}, results_close = {};  // around all results
  // Around each result. {name} stands for the tool's name, {id} for the call's.
  std::string_view result_open = {}, result_close = {};
};

// All of them: constant data.
std::span<const Family> families();
const Family *find_family(std::string_view id);  // nullptr: there is none
std::shared_ptr<const Protocol> make_family(const Family &family, const ProtocolOptions &options);

// The tags around sections of calls in other families, and their end tags, in the same order.
struct Wrappers {
  WordList begin, end;
};
Wrappers wrappers_of(const Family &family);

// Reads the beginning of a block, up to behind the opener; each grammar derives from it and reads the rest.
class FamilyReader : public BlockReader {
 public:
  FamilyReader(const Family &family, const ToolView &tools, const ScanLimits &limits)
      : family_(family), tools_(tools), limits_(limits) {}
  State read(std::string_view block, bool ended) final;
  void cut(std::string_view block, std::string_view reason) final;
  // Returns whether `rest` begins with one of `words`; `length`: of the longest that fits. partial: more text may make
  // it one.
  static Fit fit(std::string_view rest, Words words, size_t &length);
  static Fit fit(std::string_view rest, std::string_view word, size_t &length) {
    return fit(rest, Words(&word, 1), length);
  }
  Rest rest(std::string_view) const override {
    if (foreign_ != 0) return {foreign_, Quotation::value()};
    return {begun ? at_ : 0};
  }

 protected:
  // Goes on at at_, which stands behind the opener when this is first called. As BlockReader::read.
  virtual State body(std::string_view block, bool ended) = 0;
  // Fills `calls`; the block was read to its end, or nothing follows. `reason`: of all calls; empty: each has its own.
  virtual void close(std::string_view block, std::string_view reason) = 0;

  State reject(std::string_view why, size_t where) {
    code = why;
    decided = where;
    return State::rejected;
  }
  // The block begins with a header.
  State header(std::string_view block, bool ended);
  // No opener follows the section's mark. Returns whether this byte may begin a call all the same.
  virtual bool leads(char) const { return false; }
  // Returns whether a call may have this name: behind a bare opener only a tool's, else any.
  bool may_be(std::string_view tool) const { return !family_.bare || exists(tool); }
  bool exists(std::string_view tool) const { return tools_.known(tool) || tools_.names().empty(); }
  static Fit fit_mark(std::string_view rest, std::string_view word, size_t &length);
  // Tells, behind a value without a closer, whether the value seems to go on (`more`) or has ended.
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
  size_t payload_ = 0;   // the first byte behind the opener
  bool opened_ = false;  // the block has an opener
  size_t foreign_ = 0;   // where the arguments of an unknown tool begin: no call, but a value that is passed over

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

// A family with such a prefix, as it is read: its words with kBars (bars.h), and (ElementForm::unmarked) without the
// prefix.
class BarredWords {
 public:
  // The family outlives it.
  explicit BarredWords(const Family &family);
  BarredWords(const BarredWords &) = delete;
  BarredWords &operator=(const BarredWords &) = delete;

  const Family &barred() const { return barred_; }
  const Family &unmarked() const { return unmarked_; }  // without openers: there are no such calls
  // <｜DSML or </｜DSML in each spelling.
  std::vector<std::string> stems(std::string_view before) const;

 private:
  Words keep(Words words, bool marked);
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  const std::string_view prefix_, core_;  // ｜DSML｜, DSML
  std::deque<std::string> texts_;
  std::deque<WordList> lists_;
  Family barred_, unmarked_;
};

// Where the bars of the prefix may be other ones. What is passed outlives the reader.
std::unique_ptr<BlockReader> make_barred_reader(const BarredWords &, const ProtocolOptions &, const ToolView &,
                                                const ScanLimits &);

// Where an answer may be a call as Python writes it, without any mark. What is passed outlives the reader.
std::unique_ptr<BlockReader> make_answer_reader(const Family &, const ProtocolOptions &, const ToolView &,
                                                const ScanLimits &);

// One per grammar; the family outlives the reader.
std::unique_ptr<BlockReader> make_reader(const Family &, const JsonCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const NamedCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const AssignedElements &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const AttributeElements &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const PairElements &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const TagElements &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const NestedElements &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const PythonCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const GemmaCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const YamlCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const HarmonyCalls &, const ProtocolOptions &,
                                         const ToolView &, const ScanLimits &);
std::unique_ptr<BlockReader> make_reader(const Family &, const McpCalls &, const ProtocolOptions &, const ToolView &,
                                         const ScanLimits &);

// A call as the model should have written it, with its opener and closer. `arguments`: checked JSON object text.
struct CallText {
  std::string_view id, name, arguments;
};
void write_call(const Family &, const JsonCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const NamedCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const AssignedElements &, const CallText &call, std::string &out);
void write_call(const Family &, const AttributeElements &, const CallText &call, std::string &out);
void write_call(const Family &, const PairElements &, const CallText &call, std::string &out);
void write_call(const Family &, const TagElements &, const CallText &call, std::string &out);
void write_call(const Family &, const NestedElements &, const CallText &call, std::string &out);
void write_call(const Family &, const PythonCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const GemmaCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const YamlCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const HarmonyCalls &, const CallText &call, std::string &out);
void write_call(const Family &, const McpCalls &, const CallText &call, std::string &out);

// Puts a backslash in front of the first key of each JSON object in ordinary text that would be a call of a format
// without markers, if every name were a tool's: {\"name": …
void break_bare_calls(std::string &text, const JsonCalls &grammar);

}  // namespace sluice
