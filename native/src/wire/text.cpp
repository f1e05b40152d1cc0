#include "wire/text.h"

#include <utility>

#include "base/json_writer.h"
#include "base/saved.h"
#include "base/utf8.h"
#include "wire/http_error.h"
#include "wire/request_writer.h"

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
    if (!text.empty()) sink_.on_text(text);
  }

  // -- set once
  WireSink &sink_;
  // -- position in the stream (saved with the turn)
  HttpError http_error_;
  Utf8Joiner joiner_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<WireReader> TextWire::read(WireSink &sink, const WireLimits &) const {
  return std::make_unique<TextReader>(sink);
}

Status TextWire::check(std::string_view body, const std::vector<ToolOffer> &tools) const {
  return check_request(body, tools);
}

std::string TextWire::write(const RequestParts &parts) const {
  RequestParts text = parts;
  text.tools = nullptr;
  text.names = nullptr;  // names stay as they are: no provider restricts them
  text.ask_usage = false;
  return write_request(text);
}

}  // namespace sluice
