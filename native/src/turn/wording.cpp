#include "turn/wording.h"

#include <algorithm>
#include <optional>

#include "base/json_writer.h"
#include "base/reading.h"

namespace sluice {
namespace {

constexpr Choice<Language> kLanguages[] = {{"en", Language::english}, {"zh", Language::chinese}};

struct Sentence {
  std::string_view key;   // its name in the configuration
  std::string_view fill;  // the name of its placeholder; empty: it has none
  std::string_view english, chinese;
};

// In the order of Word.
constexpr Sentence kSentences[] = {
    {"malformed", "reason", "This call was not run, it is malformed ({reason}). Write it again, whole.",
     "此调用未执行：格式有误（{reason}）。请完整地重写一遍。"},
    {"nameless", "example",
     "This call was not run, its block names no tool (missing_tool_name). A call is written so:\n{example}",
     "此调用未执行：这个区块没有写明工具（missing_tool_name）。调用应这样书写：\n{example}"},
    {"argumentsTooLong", "", "The arguments are longer than limits.argumentBytes.",
     "参数过长，超过了 limits.argumentBytes。"},
    {"argumentsBroken", "detail", "The arguments are no JSON: {detail}", "参数不是 JSON：{detail}"},
    {"argumentsNotObject", "", "The arguments must be a JSON object.", "参数必须是一个 JSON 对象。"},
    {"flatArguments", "",
     "The arguments of this call are flat texts; a tool with flat parameters (a facade) would fit.",
     "此调用的参数是平铺的文本，适合参数平铺的工具（门面工具）。"},
    {"notFound", "name", "There is no tool \"{name}\".", "没有名为“{name}”的工具。"},
    {"nearest", "names", " Nearest names: {names}.", "名称最接近的有：{names}。"},
    {"separator", "", ", ", "、"},
    {"notFoundAnyMore", "name", "There is no tool \"{name}\" any more.", "名为“{name}”的工具已不存在。"},
    {"notAvailable", "name", "The tool \"{name}\" is not available.", "工具“{name}”不可用。"},
    {"noMoreCalls", "", "Not run: no further tool calls are allowed.", "未执行：不能再调用工具。"},
    {"maxRounds", "limit", "Not run: the limit of {limit} rounds of tool calls is reached. Answer now.",
     "未执行：工具调用已达到 {limit} 轮的上限。请现在作答。"},
    {"maxCalls", "limit", "Not run: the limit of {limit} tool calls is reached. Answer now.",
     "未执行：工具调用已达到 {limit} 次的上限。请现在作答。"},
    {"repeatLimit", "rounds",
     "Not run: the same call came in {rounds} rounds running. Its result is above; go on with it, or do something "
     "else.",
     "未执行：同样的调用已连续出现 {rounds} 轮。结果就在上文，请据此继续，或改用别的办法。"},
    {"deniedByRule", "", "Not run: a rule of the user refuses this call.", "未执行：用户的规则拒绝了此调用。"},
    {"deniedByUser", "", "Not run: the user refused this call.", "未执行：用户拒绝了此调用。"},
    {"deniedByPolicy", "", "Not run: this call was refused by policy.", "未执行：此调用被策略拒绝。"},
    {"notDecided", "", "Not run: nobody decided in time.", "未执行：无人及时做出决定。"},
    {"notStarted", "ms", "Not run: it was not started within {ms} ms.", "未执行：{ms} 毫秒内没有开始执行。"},
    {"cancelledCall", "", "Not run: the user cancelled this call.", "未执行：用户取消了此调用。"},
    {"cancelledTurn", "", "Not run: the user cancelled.", "未执行：用户已取消。"},
    {"turnEnded", "", "Not run: the turn ended.", "未执行：本轮对话已结束。"},
    {"because", "reason", " Reason: {reason}", "原因：{reason}"},
    {"unsealed", "example", "Calls without their word are not run. This is how a call is written:\n{example}",
     "缺少标记词的调用不会执行。调用应这样书写：\n{example}"},
    {"notRun", "", "No result: this call was not run.", "没有结果：此调用未执行。"},
    {"notFinished", "", "No result: this call has not finished.", "没有结果：此调用尚未结束。"},
    {"edited", "arguments", "(The user changed the arguments to {arguments})\n", "（用户把参数改成了 {arguments}）\n"},
    {"failed", "text", "Error: {text}", "错误：{text}"},
    {"failedLater", "text", "\nLater: {text}", "\n之后：{text}"},
    {"noOutput", "", "(no output)", "（没有输出）"},
    {"imageOutput", "", "(see the image)", "（见图片）"},
    {"leftOut", "bytes", "\n[{bytes} bytes left out]\n", "\n[省略了 {bytes} 字节]\n"},
    {"images", "", "The images of the tool results:", "工具结果中的图片："},
    {"between", "", "I have the results.", "我已收到结果。"},
    {"started", "", "Started. Its result is not waited for.", "已开始，不等待其结果。"},
    {"timedOut", "ms", "The tool gave no result within {ms} ms. It may or may not have taken effect.",
     "工具在 {ms} 毫秒内没有给出结果，不能确定它是否已生效。"},
    {"stopped", "", "This call was stopped while it ran.", "此调用在执行中被停止。"},
    {"interrupted", "", "This call was interrupted while it ran: it may or may not have taken effect.",
     "此调用在执行中被中断，不能确定它是否已生效。"},
    {"withheldByUser", "", "The call was run, but the user does not release its result.",
     "调用已执行，但用户不公开其结果。"},
    {"withheldByPolicy", "", "The call was run, but its result is not released by policy.",
     "调用已执行，但策略不允许公开其结果。"},
    {"withheldExpired", "", "The call was run, but nobody released its result in time.",
     "调用已执行，但无人及时公开其结果。"},
    {"withheld", "", "The call was run, but its result was not released.", "调用已执行，但其结果未公开。"},
    {"notSent", "", "Not sent: the turn was restored where this call is not allowed as it was.",
     "未发送：恢复对话后，不再允许按原样执行此调用。"},
    {"malformedAnswer", "", "The tool call could not be read: it was malformed. Write it again, whole.",
     "工具调用无法读取：格式有误。请完整地重写一遍。"},
    {"providerTool", "call", "(Tool of the provider: {call})", "（服务商的工具：{call}）"},
    {"madeMedia", "what", "(The assistant made: {what})", "（助手生成了：{what}）"},
    {"madePictures", "", "The picture that the assistant made:", "助手生成的图片："},
};
static_assert(std::size(kSentences) == static_cast<size_t>(Word::made_pictures) + 1);

// The placeholder at the beginning of `text`, with its braces; empty: there is none.
std::string_view placeholder(std::string_view text) {
  const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
  return end > 1 && end != text.npos && text[end] == '}' ? text.substr(0, end + 1) : std::string_view();
}

Status read_sentence(std::string_view value, const Sentence &sentence, std::string &out) {
  if (Status status = read_text(value, out); !status.ok()) return status;
  if (out.empty()) return unexpected(value, "a sentence");
  for (size_t at = out.find('{'); at != out.npos; at = out.find('{', at + 1)) {
    const std::string_view name = placeholder(std::string_view(out).substr(at));
    if (name.empty() || name.substr(1, name.size() - 2) == sentence.fill) continue;
    return unexpected(json_string(name), sentence.fill.empty()
                                             ? "a sentence without placeholders"
                                             : "no placeholder but {" + std::string(sentence.fill) + "}");
  }
  return {};
}

}  // namespace

std::string Wording::operator()(Word word, std::string_view fill) const {
  const auto index = static_cast<size_t>(word);
  const Sentence &sentence = kSentences[index];
  const std::string_view text = index < own_.size() && !own_[index].empty() ? std::string_view(own_[index])
                                : language_ == Language::chinese            ? sentence.chinese
                                                                            : sentence.english;
  const std::string name = "{" + std::string(sentence.fill) + "}";
  std::string out;
  size_t done = 0;
  if (!sentence.fill.empty())
    for (size_t at; (at = text.find(name, done)) != text.npos; done = at + name.size())
      out.append(text, done, at - done).append(fill);
  return out.append(text, done);
}

Status Wording::read(std::string_view value) {
  if (json_kind(value) == '"') return read_choice(value, kLanguages, language_);
  if (json_kind(value) != '{') return unexpected(value, "en | zh, or an object of sentences");
  std::vector<std::string_view> known = {"language"};
  for (const Sentence &sentence : kSentences) known.push_back(sentence.key);
  for (JsonSlices members(value); members.next();) {
    const std::string name = members.key_text();
    if (name.starts_with("x-")) continue;
    const auto sentence = std::find_if(std::begin(kSentences), std::end(kSentences),
                                       [&](const Sentence &one) { return one.key == name; });
    Status status;
    if (name == "language") {
      status = read_choice(members.value(), kLanguages, language_);
    } else if (sentence != std::end(kSentences)) {
      own_.resize(std::size(kSentences));
      status = read_sentence(members.value(), *sentence, own_[static_cast<size_t>(sentence - kSentences)]);
    } else {
      return unknown_member(name, known);
    }
    if (!status.ok()) return std::move(status).inside(name);
  }
  return {};
}

void Wording::write(std::string &out) const {
  const std::string_view language = language_ == Language::chinese ? "zh" : "en";
  if (std::all_of(own_.begin(), own_.end(), [](const std::string &sentence) { return sentence.empty(); }))
    return append_json_string(out, language);
  ObjectWriter object(out);
  object.text("language", language);
  for (size_t i = 0; i < own_.size(); ++i)
    if (!own_[i].empty()) object.text(kSentences[i].key, own_[i]);
  object.close();
}

}  // namespace sluice
