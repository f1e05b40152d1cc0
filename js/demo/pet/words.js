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
  conversation: ['Conversation', '对话'],
  newChat: ['New conversation', '新对话'],
  settings: ['Settings', '设置'],
  close: ['Close', '关闭'],
  theme: ['Light or dark', '浅色或深色'],
  language: ['中文', 'English'],
  switchToText: ['Switch to text and ask again', '切换到文本模式再问一次'],
  startText: ['Who shall answer for me?', '由谁来替我回答呢？'],
  without: ['Try it without a key', '不用密钥，先试试'],
  withoutText: [
    'A script answers: nothing to set up, and nothing leaves this computer.',
    '由脚本回答：无需任何设置，内容也不会离开这台电脑。',
  ],
  startServer: ['Or choose a model', '或者选择一个模型'],
  server: ['Model', '模型'],
  serverText: [
    'Who answers: a model of any provider, or the script of this demo.',
    '由谁来回答：任意服务商的模型，或演示自带的脚本。',
  ],
  scripted: ['Scripted', '脚本演示'],
  answersNow: ['Now: ', '当前：'],
  useScript: ['Use the script instead', '改用脚本'],
  tools: ['Tools and rules', '工具与规则'],
  appearance: ['Appearance', '外观'],
  light: ['Light', '浅色'],
  dark: ['Dark', '深色'],
  system: ['As the system', '跟随系统'],
  tongue: ['Language', '语言'],
  size: ['Size', '大小'],
  bubble: ['Speech bubble', '气泡'],
  bubbleShown: ['Shows what Lulu says, in her own window', '在露露自己的窗口里显示她说的话'],
  letters: ['Size of the letters', '文字大小'],
  duration: ['How long it stays', '停留时间'],
  quietHours: ['Quiet hours', '安静时段'],
  quietOn: ['No bubble and no sound every day', '每天这段时间不出气泡，也不出声'],
  from: ['From', '从'],
  to: ['to', '到'],
  first: ['Speaks first', '主动说话'],
  firstOn: ['Now and then, when nothing else goes on', '没有别的事时，偶尔说上一两句'],
  firstAfter: ['Minutes after the last answer, at least', '距上次回答至少（分钟）'],
  firstPerDay: ['Times a day, at most', '每天最多（次）'],
  hotkey: ['Keys that show and hide Lulu', '显示和隐藏露露的快捷键'],
  hotkeyHint: ['Such as CommandOrControl+Shift+L; empty: none.', '例如 CommandOrControl+Shift+L；留空表示不用。'],
  suggestRain: ['Tell me something nice about rain.', '给我讲讲雨的好处吧。'],
  suggestWeather: ['How is the weather in Hangzhou?', '杭州现在天气怎么样？'],
  suggestNote: ['Put milk and stamps on my list.', '把牛奶和邮票记到我的清单里。'],
  suggestFace: ['Good news: I got the job! Show me how you feel.', '好消息：我拿到那份工作了！你开心吗？'],
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

const stored = (key, allowed, otherwise) =>
  allowed.includes(localStorage.getItem(key)) ? localStorage.getItem(key) : otherwise
const systemLanguage = navigator.language.startsWith('zh') ? 'zh' : 'en'

/** What a person chose for this device; every window of the demo follows. */
export const look = {
  get language() {
    return stored('language', ['en', 'zh'], systemLanguage)
  },
  set language(value) {
    keep('language', value)
  },
  /** `system`, `light` or `dark`. */
  get theme() {
    return stored('theme', ['light', 'dark'], 'system')
  },
  set theme(value) {
    keep('theme', value)
  },
  /** Lulu says what she answers. */
  get voice() {
    return stored('voice', ['on', 'off'], 'off')
  },
  set voice(value) {
    keep('voice', value)
  },
  /** How she speaks first: `{ after, perDay }`, minutes and times; null: she does not. */
  get first() {
    const [after, perDay] =
      /^(\d{1,3}) (\d{1,2})$/
        .exec(localStorage.getItem('first') ?? '')
        ?.slice(1)
        .map(Number) ?? []
    return after >= 1 && perDay >= 1 ? { after, perDay } : null
  },
  set first(value) {
    keep('first', value ? `${value.after} ${value.perDay}` : '')
  },
  get dark() {
    return this.theme === 'system' ? media.matches : this.theme === 'dark'
  },
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
