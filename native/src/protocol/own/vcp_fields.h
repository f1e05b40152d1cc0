// The fields of a vcp block → its calls.
#pragma once

#include <map>
#include <optional>

#include "protocol/own/vcp.h"

namespace sluice {

// One field as it stands in the block. Positions count from the block's first byte.
struct VcpField {
  size_t key, key_end, value, value_end;
  bool escape;
  bool bare;  // JSON without brackets
};

class VcpFields {
 public:
  // What is passed outlives it.
  VcpFields(const VcpOptions &options, const ToolView &tools, const ScanLimits &limits,
            std::vector<BlockReader::Note> &notes)
      : options_(options), tools_(tools), limits_(limits), notes_(notes) {}

  void add(const VcpField &field) { fields_.push_back(field); }
  // What the field's value stands for.
  std::string text_of(std::string_view block, const VcpField &field) const;
  // `first`: the call without its arguments, which begin at `where`. One call, or with `serial` one for each number.
  std::vector<ParsedCall> write_calls(std::string_view block, size_t where, ParsedCall first);

 private:
  struct Argument {
    std::string_view key;
    std::string json;
  };
  // An argument of one of several numbered commands, under its name without the number.
  using Numbered = std::pair<std::string_view, const Argument *>;

  // The fields of a block, sorted, duplicates settled.
  struct Gathered {
    std::vector<Argument> arguments;
    std::map<std::string_view, size_t> places;                       // of arguments
    std::vector<std::pair<std::string_view, std::string>> reserved;  // few
    std::optional<std::string> input;                                // lenient, plain: input_json
    bool bare_input = false;

    std::string *reserved_field(std::string_view key) {
      for (auto &[name, text] : reserved)
        if (name == key) return &text;
      return nullptr;
    }
  };

  void gather(std::string_view block, std::string_view tool, Gathered &out);
  // Makes arguments of an input that is no JSON. Empty: the tool has no text for it, or the input may have lost a byte.
  std::string plain_arguments(std::string_view input, std::string_view tool, const Gathered &fields) const;
  std::vector<ParsedCall> split(const Gathered &fields, std::map<int64_t, std::vector<Numbered>> numbered,
                                const ParsedCall &first, const std::string &members);

  const VcpOptions &options_;
  const ToolView &tools_;
  const ScanLimits limits_;
  std::vector<BlockReader::Note> &notes_;
  std::vector<VcpField> fields_;
};

}  // namespace sluice
