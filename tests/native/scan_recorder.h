// Records what a scanner reports, with neighbouring pieces joined, so that two records of the same text can be
// compared.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "protocol/protocol.h"
#include "sanitized.h"

namespace sluice_test {

using Json = nlohmann::ordered_json;

struct KnownTools : sluice::ToolView {
  std::vector<std::pair<std::string, std::string>> parameters;  // (tool, parameter)
  std::vector<std::string> tools;                               // sorted; none: any name is known
  bool known(std::string_view tool) const override {
    return tools.empty() || std::find(tools.begin(), tools.end(), tool) != tools.end();
  }
  std::vector<std::string_view> names() const override { return {tools.begin(), tools.end()}; }
  std::string text_parameter(std::string_view) const override { return {}; }
  List takes_list(std::string_view, std::string_view) const override { return List::maybe; }
  bool declares(std::string_view tool, std::string_view parameter) const override {
    for (const auto &[t, p] : parameters)
      if (t == tool && p == parameter) return true;
    return false;
  }
};

class ScanRecorder : public sluice::ScanSink {
 public:
  Json events = Json::array();  // in order; joined
  Json blocks = Json::array();  // as in the vectors
  std::string broken;           // a promise of the interface that was not kept

  void on_scan_text(std::string_view utf8) override {
    need(!open_ && !utf8.empty(), "text inside a call, or empty");
    join("text", utf8);
    if (!blocks.empty() && blocks.back().contains("text"))
      blocks.back()["text"] = blocks.back()["text"].get<std::string>() + std::string(utf8);
    else
      blocks.push_back({{"text", std::string(utf8)}});
  }
  void on_scan_reasoning(std::string_view utf8, bool first) override {
    need(!open_ && !utf8.empty(), "reasoning inside a call, or empty");
    if (first || events.empty() || !events.back().contains("reasoning")) events.push_back({{"reasoning", ""}});
    join("reasoning", utf8);
    if (first || blocks.empty() || !blocks.back().contains("reasoning")) blocks.push_back({{"reasoning", ""}});
    blocks.back()["reasoning"] = blocks.back()["reasoning"].get<std::string>() + std::string(utf8);
  }
  void on_call_open(std::string_view, std::string_view name, size_t start) override {
    need(!open_ && !name.empty(), "a call opened twice, or without a name");
    open_ = true;
    pieces_.clear();
    name_ = name;
    events.push_back({{"open", std::string(name)}, {"start", start}});
  }
  void on_call_arguments(std::string_view piece, size_t) override {
    need(open_ && !piece.empty(), "arguments outside of a call, or empty");
    pieces_ += piece;
    join("arguments", piece);
  }
  void on_call_close(std::string_view protocol, std::vector<sluice::ParsedCall> &calls, std::string_view raw,
                     size_t start, size_t end) override {
    need(!calls.empty() && end - start == raw.size(), "a close without a call, or with wrong offsets");
    need(open_ != calls[0].name.empty(), "only a block without a name is not opened");
    if (open_)
      need(calls[0].raw_arguments == pieces_ && calls[0].name == name_, "the pieces are not the raw arguments");
    open_ = false;
    Json all = Json::array();
    for (const sluice::ParsedCall &call : calls) {
      Json said = {{"name", call.name},
                   {"id", call.id},
                   {"arguments", call.arguments},
                   {"raw", call.raw_arguments},
                   {"reserved", call.reserved},
                   {"typed", call.typed},
                   {"reason", std::string(call.reason)}};
      all.push_back(said);
      Json block;
      if (call.reason.empty()) {
        block["call"] = {{"name", call.name}, {"arguments", Json::parse(call.arguments)}};
        if (!call.reserved.empty()) block["call"]["reserved"] = Json::parse(call.reserved);
      } else {
        block["invalid"] = {{"reason", std::string(call.reason)}};
        if (!call.name.empty()) block["invalid"]["name"] = call.name;
      }
      blocks.push_back(block);
    }
    events.push_back(
        {{"close", std::string(protocol)}, {"calls", all}, {"raw", std::string(raw)}, {"start", start}, {"end", end}});
  }
  void on_scan_diagnostic(std::string_view code, std::string_view detail, size_t offset,
                          std::string_view raw) override {
    events.push_back({{"diagnostic", std::string(code)},
                      {"detail", std::string(detail)},
                      {"offset", offset},
                      {"raw", std::string(raw)}});
  }

  bool reported(const std::string &code) const {
    for (const Json &event : events)
      if (event.value("diagnostic", "") == code) return true;
    return false;
  }
  // Everything that was shown or kept, in order.
  std::string kept() const {
    std::string out;
    for (const Json &event : events) {
      for (const char *kind : {"text", "reasoning"})
        if (event.contains(kind)) out += event[kind].get<std::string>();
      if (event.contains("close")) out += event["raw"].get<std::string>();
    }
    return out;
  }

 private:
  void need(bool held, const char *what) {
    if (!held && broken.empty()) broken = what;
  }
  void join(const char *kind, std::string_view piece) {
    if (events.empty() || !events.back().contains(kind)) events.push_back({{kind, ""}});
    events.back()[kind] = events.back()[kind].get<std::string>() + std::string(piece);
  }

  bool open_ = false;
  std::string name_, pieces_;
};

struct Scanning {
  sluice::Protocols protocols;
  KnownTools tools;
  sluice::ScanLimits limits;
  bool starts_in_reasoning = false;
  bool calls_in_reasoning = false;

  // `cuts`: where pieces end.
  ScanRecorder scan(std::string_view text, const std::vector<size_t> &cuts) const {
    ScanRecorder record;
    const auto scanner =
        sluice::make_scanner(protocols, tools, limits, {starts_in_reasoning, calls_in_reasoning}, record);
    size_t from = 0;
    for (const size_t cut : cuts) {
      const std::string piece(text.substr(from, cut - from));  // its own memory: a view that outlives it is found
      scanner->feed(piece);
      from = cut;
    }
    const std::string piece(text.substr(from));
    scanner->feed(piece);
    scanner->finish();
    return record;
  }
  // Saved and restored behind every piece; of many, behind some hundreds.
  ScanRecorder restored(std::string_view text, const std::vector<size_t> &cuts) const {
    ScanRecorder record;
    auto scanner = sluice::make_scanner(protocols, tools, limits, {starts_in_reasoning, calls_in_reasoning}, record);
    for (size_t i = 0; i <= cuts.size(); ++i) {
      const size_t from = i == 0 ? 0 : cuts[i - 1], to = i == cuts.size() ? text.size() : cuts[i];
      scanner->feed(std::string(text.substr(from, to - from)));
      if (i % (cuts.size() / 500 + 1) != 0) continue;
      std::string saved;
      scanner->save(saved);
      if (!sluice::check_json(saved, 16).ok()) record.broken = "what was saved is no JSON";
      scanner = sluice::make_scanner(protocols, tools, limits, {starts_in_reasoning, calls_in_reasoning}, record);
      scanner->load(saved);
    }
    scanner->finish();
    return record;
  }
  ScanRecorder whole(std::string_view text) const { return scan(text, {}); }
};

inline std::vector<size_t> every_byte(std::string_view text) {
  std::vector<size_t> cuts;
  for (size_t i = 1; i < text.size(); ++i) cuts.push_back(i);
  return cuts;
}

inline std::vector<size_t> random_cuts(std::string_view text, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<size_t> cuts;
  for (size_t at = 0; at < text.size();) {
    at += 1 + random() % 9;
    if (at < text.size()) cuts.push_back(at);
  }
  return cuts;
}

}  // namespace sluice_test
