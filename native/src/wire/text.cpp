// The wire "text": the bytes of the answer are its text, in no provider's format.
#include <utility>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/http_error.h"
#include "wire/request_writer.h"
#include "wire/wires.h"

namespace sluice {
namespace {

class TextReader final : public WireReader {
 public:
  explicit TextReader(WireSink &sink) : sink_(sink) {}

  void response(int32_t status, std::string_view headers) override { http_error_.response(status, headers); }

  void feed(std::string_view bytes) override {
    if (http_error_.active())
      http_error_.feed(bytes);
    else
      show(joiner_.feed(bytes));
  }

  void end() override {
    if (ended_) return;
    ended_ = true;
    if (http_error_.active())
      http_error_.report(sink_);
    else
      show(joiner_.finish());
  }

  void finish(bool) override { end(); }

  Refusal refusal() const override { return http_error_.refusal(); }

  void save(std::string &out) const override {
    ObjectWriter saved(out);
    http_error_.save(saved);
    append_saved_bytes(saved.value("held"), joiner_.held());
    saved.boolean("ended", ended_);
    saved.close();
  }

  void load(std::string_view saved) override {
    const SavedReader from(saved);
    http_error_.load(from);
    std::string held;
    from.get("held", held);
    joiner_.restore(std::move(held));
    from.get("ended", ended_);
  }

 private:
  void show(std::string_view text) {
    size_t shown = 0;
    const auto show_to = [&](size_t end) {
      if (end > shown) sink_.on_text(text.substr(shown, end - shown));
      shown = end;
    };
    for (const size_t lost : joiner_.replaced()) {
      show_to(lost);
      sink_.on_bytes_lost();
    }
    show_to(text.size());
  }

  // -- set once
  WireSink &sink_;
  // -- position in the stream (saved with the turn)
  HttpError http_error_;
  Utf8Joiner joiner_;
  bool ended_ = false;
};

class TextWire final : public Wire {
 public:
  std::string_view id() const override { return "text"; }

  std::unique_ptr<WireReader> read(WireSink &sink, const WireLimits &) const override {
    return std::make_unique<TextReader>(sink);
  }

  Status check(std::string_view body, const std::vector<ToolOffer> &tools) const override {
    return check_request(body, tools);
  }

  std::string write(const RequestParts &parts) const override {
    RequestParts text = parts;
    text.tools = nullptr;
    text.names = nullptr;  // names stay as they are: no provider restricts them
    text.ask_usage = false;
    return write_request(text);
  }

  bool has_end() const override { return false; }
  bool takes_results_as_text() const override { return true; }
};

}  // namespace

const Wire &text_wire() {
  static const TextWire wire;
  return wire;
}

}  // namespace sluice
