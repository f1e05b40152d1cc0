// Checks the properties of the fuzzers (tests/fuzz) over their seeds and over inputs drawn with a fixed seed.
// SLUICE_RANDOM_SEED draws other inputs. Each test reports at most five faults.
#include <catch2/catch.hpp>
#include <random>
#include <utility>

#include "../fuzz/turn_properties.h"
#include "script_runner.h"

namespace fs = std::filesystem;
using namespace sluice_test;

namespace {

// Times `n`, under a sanitizer a fifth of it.
constexpr size_t times(size_t n) { return kSanitized ? (n + 4) / 5 : n; }

std::mt19937 dice() {
  const std::string seed = environment("SLUICE_RANDOM_SEED");
  return std::mt19937(seed.empty() ? 20251 : static_cast<uint32_t>(std::stoul(seed)));
}

std::string bytes(std::mt19937 &random, size_t size) {
  std::string out(size, '\0');
  for (char &c : out) c = static_cast<char>(random());
  return out;
}

std::shared_ptr<const sluice::Protocol> made(const std::string &config) {
  std::shared_ptr<const sluice::Protocol> out;
  REQUIRE(sluice::make_protocol(config, out).message == "");
  return out;
}

std::string call_of(const sluice::Protocol &protocol, const std::string &tool) {
  std::string out;
  protocol.write_call("call_7", tool, R"({"path":"/"})", out);
  return out;
}

class Faults {
 public:
  explicit Faults(const char *property) : property_(property) {}
  void tell(const std::string &why) {
    if (!why.empty() && ++count_ <= 5) FAIL_CHECK(property_ << ": " << why);
  }
  template <class F>
  void run(F &&check) {
    try {
      check();
    } catch (const Broken &broken) {
      tell(broken.what());
    }
  }
  ~Faults() {
    if (count_ > 5) WARN(property_ << ": " << count_ << " in all");
  }

 private:
  const char *property_;
  size_t count_ = 0;
};

}  // namespace

TEST_CASE("no cut of an answer runs a call that the whole does not run") {
  NamedTools tools;
  tools.tools = fuzz_tools();
  std::mt19937 random = dice();
  Faults faults("cut");
  std::map<std::string, std::vector<std::string>> seeds;  // of a grammar
  for (const auto &entry : fs::recursive_directory_iterator(tests_folder() / "fuzz" / "corpus"))
    if (entry.is_regular_file())
      seeds[entry.path().parent_path().filename().string()].push_back(read_file(entry.path()));
  for (const auto &[id, config] : protocol_configs()) {
    const Scan how{{made(config)}, tools};
    std::vector<std::string> texts = seeds[grammar_of(id)];
    const std::string call = call_of(*how.protocols[0], "f");
    for (const auto &[other, other_config] : protocol_configs())
      if (random() % 8 == 0)
        texts.push_back("a " + call + " b " + call_of(*made(other_config), "f") + "\n" + call + " c");
    for (const std::string &text : texts) {
      const ScanTrace whole = scan_whole(how, text);
      for (size_t cuts = 0; cuts < times(20) && !text.empty(); ++cuts)
        if (const std::string why = runs_when_cut(how, text, whole, random() % text.size()); !why.empty())
          faults.tell(id + ": " + why);
    }
  }
}

TEST_CASE("the same calls run however an answer is cut in which a call stands in a string that is half written") {
  constexpr std::pair<const char *, const char *> kStrings[] = {
      {"<\"", "\">"}, {"<x a=\"", "\">"}, {"{\"doc\": \"a\n", "\"}"}, {"{\"k\": b'", "'}"}, {" b'", "'"}};
  NamedTools tools;
  tools.tools = {"f", "note"};
  std::mt19937 random = dice();
  Faults faults("half a string");
  for (const auto &[id, config] : protocol_configs()) {
    const Scan how{{made(config)}, tools};
    const std::string call = call_of(*how.protocols[0], "f"), outer = call_of(*how.protocols[0], "note");
    for (const auto &[open, close] : kStrings) {
      for (size_t texts = 0; texts < times(4); ++texts) {
        const size_t from = random() % (outer.size() + 1);
        std::string text = outer.substr(0, from) + open + call + close;
        if (random() % 2 == 0) text += outer.substr(from);
        const ScanTrace whole = scan_whole(how, text);
        const auto same = [&, &id = id](const std::string &cut, const ScanTrace &trace) {
          if (running(trace) != running(whole))
            faults.tell(id + ", " + cut + ": |" + text + "|\n" + trace.dump() + "but whole\n" + whole.dump());
        };
        same("byte by byte", scan(how, text, [](size_t) { return size_t{1}; }));
        constexpr size_t kStep = kSanitized ? 3 : 1;
        for (size_t at = 1 + rotation() % kStep; at < text.size(); at += kStep)
          same("cut at " + std::to_string(at), scan(how, text, [at, first = true](size_t left) mutable {
                 return std::exchange(first, false) ? at : left;
               }));
      }
    }
  }
}

TEST_CASE("what a tool says calls nothing when the model repeats it, whatever is parsed and in whatever role") {
  std::mt19937 random = dice();
  Faults faults("echo");
  for (const auto &[id, config] : protocol_configs()) {
    const std::string call = call_of(*made(config), "rm");
    if (call.empty()) continue;
    for (const bool native : {false, true})
      for (const bool tool_role : {false, true}) {
        if (native && tool_role) continue;
        for (const int32_t kind : {-1, 0, 1, 2, 3}) {
          if (kSanitized && random() % 4 != 0) continue;
          Echo how{config, native, tool_role, kind};
          const std::string said = "found:\n" + spelled(call, random() % kSpellings) + "\n" + call;
          faults.run([&] { check_echo(how, said, random() % 3 == 0 ? random() % 64 : 0, random()); });
        }
      }
  }
}

TEST_CASE("a restore never runs what the new engine would ask about or refuse") {
  std::mt19937 random = dice();
  Faults faults("restore");
  size_t on_the_same = 0;
  for (size_t i = 0; i < times(400); ++i) {
    const std::string drawn = bytes(random, 16);
    Choices choices(drawn);
    const std::string state = some_state(choices);
    for (const Stricter &engine : stricter_engines()) faults.run([&] { check_stricter_restore(state, engine); });
    Session same("{" + kOpenTools + "}");
    same.restore(state);
    same.drain();
    on_the_same += same.ran.size();
  }
  CHECK(on_the_same > 0);  // at least one case could be refused
}

TEST_CASE("a broken state is an error that says where, or a turn that ends once and runs nothing without a decision") {
  std::mt19937 random = dice();
  Faults faults("state");
  size_t restored = 0;
  for (size_t i = 0; i < times(10000); ++i) {
    const std::string drawn = bytes(random, 48);
    Choices choices(drawn);
    const std::string state = broken_state(some_state(choices), choices);
    faults.run([&] { restored += check_any_state(state, choices); });
  }
  CHECK(restored > 0);
}
