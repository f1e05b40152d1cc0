// Memory runs out at each allocation in turn: no exception leaves the library, the poisoned turn says so once, its
// other functions still answer, and nothing leaks (the sanitizers check).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "sluice/sluice.h"

namespace {

constexpr long kNever = std::numeric_limits<long>::max();
thread_local long allocations_left = kNever;

void *take(std::size_t size) {
  if (allocations_left != kNever && allocations_left-- <= 0) throw std::bad_alloc();
  if (void *const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void *operator new(std::size_t size) { return take(size); }
void *operator new[](std::size_t size) { return take(size); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  try {
    return take(size);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
void *operator new[](std::size_t size, const std::nothrow_t &nothrow) noexcept { return operator new(size, nothrow); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { std::free(memory); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }

namespace {

constexpr const char *kEngine =
    R"({"tools":[{"name":"look","agentCallable":true,"permission":"public","parameters":{"type":"object","properties":{"at":{"type":"string"}}}}]})";
constexpr const char *kTurn =
    R"({"wire":"openai-chat","request":{"model":"m","messages":[{"role":"user","content":"go"}]}})";
constexpr const char *kAnswer =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Let me see, this is a text that is long "
    "enough.\"}}]}\n\n"
    "data: "
    "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_with_a_long_id\",\"function\":{"
    "\"name\":"
    "\"look\",\"arguments\":\"{\\\"at\\\":\\\"the sea behind the house\\\"}\"}}]}}]}\n\n";

std::vector<std::string> events(sluice_turn *turn) {
  std::vector<std::string> out;
  while (const char *event = sluice_turn_next_event(turn, nullptr)) out.emplace_back(event);
  return out;
}

// Runs one step of a turn with a limited number of allocations; returns the code of the step.
template <class Step>
int32_t run(long allocations, Step &&step) {
  sluice_engine *const engine = sluice_engine_new(kEngine, std::strlen(kEngine));
  sluice_turn *const turn = sluice_turn_new(engine, kTurn, std::strlen(kTurn));
  const size_t before = events(turn).size();
  allocations_left = allocations;
  const int32_t code = step(turn);
  allocations_left = kNever;
  if (code == SLUICE_E_MEMORY) {
    CHECK(sluice_turn_feed(turn, "x", 1) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_finish(turn, SLUICE_END_COMPLETE, nullptr, 0) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_approve(turn, 1, SLUICE_ONCE, nullptr, 0) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_cancel(turn, 0, nullptr, 0) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_submit(turn, 1, SLUICE_RESULT, "x", 1) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_tick(turn, 1) == SLUICE_E_MEMORY);
    CHECK(sluice_turn_get(turn, SLUICE_GET_MESSAGE, nullptr) == nullptr);
    CHECK(std::string(sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr)).find("\"memory\"") != std::string::npos);
    int32_t kind = 77;
    CHECK(sluice_turn_next_delta(turn, &kind, nullptr, nullptr) == nullptr);
    CHECK(kind == SLUICE_DELTA_EVENT);
    const std::vector<std::string> last = events(turn);
    REQUIRE(last.size() == 2);
    CHECK(last[0].find("\"fatal\":true") != std::string::npos);
    CHECK(last[0].find("\"seq\":" + std::to_string(before + 1) + "}") != std::string::npos);
    CHECK(last[1].find(R"("type":"done","outcome":"failed")") != std::string::npos);
    CHECK(events(turn).empty());
    CHECK(sluice_turn_next_delta(turn, &kind, nullptr, nullptr) == nullptr);
    CHECK(kind == SLUICE_DELTA_NONE);
  }
  sluice_turn_free(turn);
  sluice_engine_free(engine);
  return code;
}

template <class Step>
long poisoned_until_there_is_enough(Step &&step) {
  for (long allocations = 0; allocations < 5000; ++allocations)
    if (run(allocations, step) == SLUICE_OK) return allocations;
  return -1;
}

}  // namespace

TEST_CASE("a turn that runs out of memory anywhere is poisoned, and says so once") {
  CHECK(poisoned_until_there_is_enough(
            [](sluice_turn *turn) { return sluice_turn_feed(turn, kAnswer, std::strlen(kAnswer)); }) > 3);
}

TEST_CASE("an engine or a turn for which there is no memory is NULL") {
  long failed = 0;
  for (long allocations = 0; allocations < 5000; ++allocations) {
    allocations_left = allocations;
    sluice_engine *const engine = sluice_engine_new(kEngine, std::strlen(kEngine));
    allocations_left = kNever;
    const bool usable = engine != nullptr && sluice_engine_error(engine, nullptr) == nullptr;
    sluice_engine_free(engine);
    if (usable) break;
    ++failed;
  }
  CHECK(failed > 3);
  CHECK(failed < 5000);
  sluice_engine *const engine = sluice_engine_new(kEngine, std::strlen(kEngine));
  failed = 0;
  for (long allocations = 0; allocations < 5000; ++allocations) {
    allocations_left = allocations;
    sluice_turn *const turn = sluice_turn_new(engine, kTurn, std::strlen(kTurn));
    allocations_left = kNever;
    const bool usable = turn != nullptr && sluice_turn_get(turn, SLUICE_GET_ERROR, nullptr) == nullptr;
    sluice_turn_free(turn);
    if (usable) break;
    ++failed;
  }
  CHECK(failed > 3);
  CHECK(failed < 5000);
  sluice_engine_free(engine);
}
