// What checkServer says, in the languages of the elements.
import { starts } from './local-servers.js'
import type { LocalizedText } from './tool-words.js'

export interface Said {
  says: LocalizedText
  hint?: LocalizedText
}

const seconds = (ms: number): string => (ms < 950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`)

const pulls: typeof starts = {
  ollama: { en: 'Get one: `ollama pull qwen3:8b`.', zh: '请下载一个：`ollama pull qwen3:8b`。' },
  lmstudio: { en: 'Load one in LM Studio.', zh: '请在 LM Studio 里加载一个。' },
}

/** What each step says. `who`: the provider, or the address. */
export const words = {
  answers: (who: string, url: string): Said => ({
    says: { en: `${who} answers at ${url}.`, zh: `${who} 在 ${url} 有回应。` },
  }),
  nobody: (url: string, why: string, provider?: string): Said => ({
    says: { en: `Nothing answers at ${url}: ${why}`, zh: `${url} 没有回应：${why}` },
    hint: (provider && starts[provider]) || {
      en: 'Check the address and the network: a proxy or a VPN may be needed.',
      zh: '请检查地址和网络：可能需要代理或 VPN。',
    },
  }),
  slow: (url: string, ms: number): Said => ({
    says: { en: `No answer from ${url} within ${seconds(ms)}.`, zh: `${url} 在 ${seconds(ms)} 内没有回应。` },
    hint: {
      en: 'Try again: the server may be busy or still starting.',
      zh: '请再试一次：服务器可能正忙，或还在启动。',
    },
  }),
  page: (url: string): Said => ({
    says: { en: `A web page answers at ${url}, not the API of a model.`, zh: `${url} 返回的是网页，不是模型接口。` },
    hint: { en: 'Check the address: it usually ends with /v1.', zh: '请检查地址：通常以 /v1 结尾。' },
  }),
  noApi: (url: string, detail: string): Said => ({
    says: { en: `The server has nothing at ${url}: ${detail}`, zh: `服务器的 ${url} 没有内容：${detail}` },
    hint: {
      en: 'Check the address and the format (wire): it usually ends with /v1.',
      zh: '请检查地址和接口格式（wire）：通常以 /v1 结尾。',
    },
  }),
  keyTaken: (): Said => ({ says: { en: 'The key is accepted.', zh: '密钥有效。' } }),
  keyUntested: (): Said => ({
    says: {
      en: 'The server did not refuse the key; only a model can test it.',
      zh: '服务器没有拒绝密钥；选择模型后才能确认。',
    },
  }),
  keyless: (): Said => ({ says: { en: 'No key is needed.', zh: '不需要密钥。' } }),
  keyMissing: (who: string, names: readonly string[] = []): Said => ({
    says: { en: `${who} wants a key, and there is none.`, zh: `${who} 需要密钥，但没有提供。` },
    hint:
      names.length > 0
        ? {
            en: `Put in a key; people keep it in ${names.join(' or ')}.`,
            zh: `请填写密钥；通常保存在 ${names.join(' 或 ')}。`,
          }
        : { en: 'Put in a key.', zh: '请填写密钥。' },
  }),
  keyRefused: (detail: string, elsewhere: boolean): Said => ({
    says: { en: `The key is refused: ${detail}`, zh: `密钥被拒绝：${detail}` },
    hint: elsewhere
      ? {
          en: 'Check the key, and the region: keys of mainland China need another address.',
          zh: '请检查密钥和地区：中国大陆的密钥要用另一个地址。',
        }
      : { en: 'Check the key: copy it again, whole, from the provider.', zh: '请检查密钥：从服务商处重新完整复制。' },
  }),
  noCredit: (detail: string): Said => ({
    says: { en: `The key is known, but may not be used now: ${detail}`, zh: `密钥有效，但现在不能使用：${detail}` },
    hint: { en: 'Look at the billing page of the provider.', zh: '请查看服务商的账单页面。' },
  }),
  noModel: (who: string, provider?: string): Said => ({
    says: { en: `${who} answers, but has no model yet.`, zh: `${who} 有回应，但还没有模型。` },
    hint: (provider && pulls[provider]) || { en: 'Load a model there.', zh: '请先在那里加载一个模型。' },
  }),
  choose: (names: readonly string[]): Said => ({
    says: {
      en: `It has ${names.length} ${names.length === 1 ? 'model' : 'models'}; none is chosen.`,
      zh: `共有 ${names.length} 个模型；还没有选择。`,
    },
    hint: { en: `Choose one, such as ${names[0] ?? ''}.`, zh: `请选择一个，例如 ${names[0] ?? ''}。` },
  }),
  chooseUnlisted: (): Said => ({
    says: { en: 'No model is chosen, and the server lists none.', zh: '没有选择模型，服务器也没有列出模型。' },
    hint: { en: "Put in the model's name.", zh: '请填写模型名称。' },
  }),
  modelThere: (name: string): Said => ({ says: { en: `${name} answers.`, zh: `${name} 有回应。` } }),
  modelGone: (name: string, detail: string, near: readonly string[], provider?: string): Said => ({
    says: { en: `The server does not have ${name}: ${detail}`, zh: `服务器没有 ${name}：${detail}` },
    hint:
      near.length > 0
        ? { en: `Choose another one, such as ${near.join(', ')}.`, zh: `请换一个，例如 ${near.join('、')}。` }
        : (provider === 'ollama' && {
            en: `Get it: \`ollama pull ${name}\`.`,
            zh: `请下载它：\`ollama pull ${name}\`。`,
          }) || { en: 'Check the name of the model.', zh: '请检查模型名称。' },
  }),
  streams: (ms: number): Said => ({
    says: {
      en: `The first words came after ${seconds(ms)}, as they are written.`,
      zh: `${seconds(ms)} 后收到第一段文字，并且边写边发。`,
    },
  }),
  atOnce: (): Said => ({
    says: { en: 'The answer comes in one piece, at its end.', zh: '回答写完后才一次发来。' },
    hint: {
      en: 'The server or a proxy ignores `stream: true`; text appears late.',
      zh: '服务器或代理忽略了 `stream: true`；文字会晚出现。',
    },
  }),
  silent: (name: string): Said => ({
    says: { en: `${name} answered without a word.`, zh: `${name} 的回答是空的。` },
    hint: { en: 'Try another model: this one may be no chat model.', zh: '请换一个模型：它可能不是对话模型。' },
  }),
  late: (name: string, ms: number): Said => ({
    says: { en: `${name} said nothing within ${seconds(ms)}.`, zh: `${name} 在 ${seconds(ms)} 内没有回答。` },
    hint: {
      en: 'Try again: the model may still be loading. A smaller one is quicker.',
      zh: '请再试一次：模型可能还在加载。小一些的模型更快。',
    },
  }),
  broke: (detail: string, hint?: string): Said => ({
    says: { en: `The request failed: ${detail}`, zh: `请求失败：${detail}` },
    hint: hint ?? { en: 'Try again later.', zh: '请稍后再试。' },
  }),
  calls: (): Said => ({ says: { en: 'It calls tools.', zh: '可以调用工具。' } }),
  noTools: (detail: string): Said => ({
    says: { en: `It takes no tools in the request: ${detail}`, zh: `请求里不能带工具：${detail}` },
    hint: {
      en: "Use mode 'text', which describes the tools in the prompt.",
      zh: '请用模式 “text”：在提示词里描述工具。',
    },
  }),
  ownFormat: (protocol: string): Said => ({
    says: {
      en: `It writes calls into its text, in the format ${protocol}.`,
      zh: `它把调用写在文字里，格式是 ${protocol}。`,
    },
    hint: { en: `Use mode 'text' with protocol '${protocol}'.`, zh: `请用模式 “text”，协议 “${protocol}”。` },
  }),
  noCall: (): Said => ({
    says: { en: 'It was asked to call a tool, and did not do so properly.', zh: '请它调用工具，但它没有正确调用。' },
    hint: { en: "Use mode 'text', or a larger model.", zh: '请用模式 “text”，或换更大的模型。' },
  }),
  sees: (): Said => ({ says: { en: 'It sees pictures.', zh: '可以看图片。' } }),
  blind: (detail: string): Said => ({
    says: { en: `It takes no pictures: ${detail}`, zh: `不能看图片：${detail}` },
    hint: { en: 'Choose a model that sees if people are to send pictures.', zh: '如果要发图片，请选择能看图的模型。' },
  }),
  sawNothing: (): Said => ({
    says: {
      en: 'It took a red picture, and did not see that it is red.',
      zh: '它收下了一张红色图片，却没有看出是红色。',
    },
    hint: { en: 'Choose a model that sees if people are to send pictures.', zh: '如果要发图片，请选择能看图的模型。' },
  }),
}
