// The page in English and Chinese.
const words = {
  title: ['Lulu', '露露'],
  chat: ['Chat with Lulu', '和露露聊天'],
  pet: ['Lulu, the pet', '桌宠露露'],
  welcome: ['Hi, I am Lulu!', '嗨，我是露露！'],
  welcomeText: [
    'I chat, I use tools while I speak, and I ask before I do anything that matters. Pick a scene, or write to me.',
    '我会聊天，一边说话一边用工具，重要的事会先问你。挑一个场景，或者直接跟我说话吧。',
  ],
  talk: ['Talk and tools', '聊天与工具'],
  petGroup: ['Live2D', 'Live2D'],
  approval: ['You decide', '由你决定'],
  trouble: ['When things go wrong', '出点状况'],
  scenes: ['Scenes', '场景'],
  talks: ['Conversations', '对话列表'],
  newChat: ['New conversation', '新对话'],
  settings: ['Settings', '设置'],
  close: ['Close', '关闭'],
  theme: ['Light or dark', '浅色或深色'],
  language: ['中文', 'English'],
  mode: ['How tools are called', '工具调用方式'],
  auto: ['Auto', '自动'],
  native: ['Native', '原生'],
  text: ['Text', '文本'],
  autoHint: ['Native calls; where the provider refuses them, you are told', '原生调用；服务拒绝时会告诉你'],
  nativeHint: ['Tools go into the request', '工具放进请求里'],
  textHint: ['Tools are described in the prompt, calls are read from the text', '工具写在提示里，从文本中读取调用'],
  protocol: ['Protocol', '协议'],
  otherProtocols: ['For a real model,', '适合真实模型，'],
  inScript: ['In the script', '脚本支持'],
  switchToText: ['Switch to text and ask again', '切换到文本模式再问一次'],
  server: ['Model', '模型'],
  serverText: ['Who answers: the scripted model of this demo, or a model of any provider.', '由谁来回答：演示自带的脚本模型，或任意服务商的模型。'],
  scripted: ['Scripted', '脚本演示'],
  real: ['A server', '真实服务'],
  provider: ['Provider', '服务商'],
  otherProvider: ['Another server with the API of OpenAI', '其他兼容 OpenAI 接口的服务'],
  baseURL: ['Base URL', '接口地址'],
  model: ['Model name', '模型名称'],
  apiKey: ['API key', 'API 密钥'],
  keyHint: ['Stays in the main process; it is never sent to a window.', '只保存在主进程里，不会发给任何窗口。'],
  keyKept: ['A key is set. Leave this empty to keep it.', '已设置密钥，留空即保持不变。'],
  use: ['Use it', '使用'],
  saved: ['Done: the next message goes there.', '好了：下一条消息就发到那里。'],
  tools: ['Tools and prompt', '工具与提示'],
  appearance: ['Appearance', '外观'],
  light: ['Light', '浅色'],
  dark: ['Dark', '深色'],
  system: ['As the system', '跟随系统'],
  tongue: ['Language', '语言'],
  voice: ['Voice', '声音'],
  voiceOff: ['Silent', '静音'],
  voiceOn: ['Speaks', '说话'],
  noVoice: ['This system has no voice.', '本机没有可用的语音。'],
  open: ['Open the chat', '打开聊天'],
  needsYou: ['Lulu has a question', '露露有事问你'],
  quit: ['Quit', '退出'],
  move: ['Move', '移动'],
  failed: ['That did not work: ', '没有成功：'],
}

const at = { en: 0, zh: 1 }
const listeners = new Set()
const media = matchMedia('(prefers-color-scheme: dark)')

const stored = (key, allowed, otherwise) => (allowed.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : otherwise)
const systemLanguage = navigator.language.startsWith('zh') ? 'zh' : 'en'

/** What a person chose for this device; every window of the demo follows. */
export const look = {
  get language() { return stored('language', ['en', 'zh'], systemLanguage) },
  set language(value) { keep('language', value) },
  /** `system`, `light` or `dark`. */
  get theme() { return stored('theme', ['light', 'dark'], 'system') },
  set theme(value) { keep('theme', value) },
  /** Lulu says what she answers. */
  get voice() { return stored('voice', ['on', 'off'], 'off') },
  set voice(value) { keep('voice', value) },
  get dark() { return this.theme === 'system' ? media.matches : this.theme === 'dark' },
}

export const word = (name) => words[name]?.[at[look.language]] ?? name

/** Calls now, and whenever something of it changes. */
export function onLook(listener) {
  listeners.add(listener)
  listener()
}

/** Texts and labels of what is marked with `data-t`, `data-label`, `data-hint`, `data-alt` and `data-placeholder`. */
export function translate(root = document) {
  const each = (name, put) => {
    for (const element of root.querySelectorAll(`[data-${name}]`)) put(element, word(element.dataset[name]))
  }
  each('t', (element, text) => (element.textContent = text))
  each('label', (element, text) => {
    element.setAttribute('aria-label', text)
    if (element.matches('button')) element.title = text
  })
  each('hint', (element, text) => (element.title = text))
  each('alt', (element, text) => (element.alt = text))
  each('placeholder', (element, text) => (element.placeholder = text))
}

function keep(key, value) {
  localStorage.setItem(key, value)
  show()
}

function show() {
  document.documentElement.lang = look.language === 'zh' ? 'zh-CN' : 'en'
  document.documentElement.dataset.theme = look.dark ? 'dark' : 'light'
  translate()
  for (const listener of listeners) listener()
}

addEventListener('storage', show) // another window chose
media.addEventListener('change', show)
show()
