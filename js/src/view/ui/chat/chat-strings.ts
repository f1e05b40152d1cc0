// The texts of the chat and its parts. A language is one object; a missing text is a type error.
import { pick } from '../shared/locale.js'
import { stateWords, type Doing } from '../../../app/bridge/doing.js'

export interface ChatStrings {
  // -- thread
  conversation: string
  you: string
  /** Who answers, where the app gives no name. */
  assistant: string
  /** Hidden heading of an entry: who, and when. */
  said: (who: string, time: string) => string
  today: string
  yesterday: string
  showMore: string
  showLess: string
  picture: string
  lostPicture: string
  lostFile: (name: string) => string
  saveFile: (name: string, size: string) => string
  earlierLost: string
  earlierComes: string
  latest: (count: number) => string
  interrupted: string
  failed: (detail: string) => string
  tokens: (count: string) => string
  tokensIn: (count: string) => string
  tokensOut: (count: string) => string
  tokensCached: (count: string) => string
  tokensThought: (count: string) => string
  toolsUsed: (count: number) => string
  stillWorking: (name: string) => string

  // -- what is done with an entry
  actions: string
  copy: string
  copied: string
  again: string
  goOn: string
  askAgain: string
  /** Above `askAgain`, where a call was cut off. */
  mayRepeat: string
  edit: string
  editLabel: string
  save: string
  cancel: string
  version: (index: number, count: number) => string
  previous: string
  next: string
  speak: string
  hush: string
  /** How far an answer was heard before the voice was interrupted. */
  heard: (words: string) => string
  heardNothing: string
  /** Nobody asked for this answer. */
  spokeFirst: string
  delete: string
  deleteAsk: string

  // -- composer
  message: string
  placeholder: (name: string) => string
  send: string
  stop: string
  attach: string
  attached: string
  remove: (name: string) => string
  pasted: (size: string) => string
  dropHere: string
  refused: {
    /** `types`: media types that are taken, such as `text/*`. */
    type: (name: string, found: string, types: readonly string[]) => string
    size: (name: string, most: string, found: string) => string
    count: (most: number) => string
    unreadable: (name: string) => string
  }
  queued: string
  queuedHint: (name: string) => string
  queueFull: (most: number) => string
  offlineHint: string
  readOnly: string
  bytes: (count: number) => string

  // -- chat
  doing: { [doing in Doing]: string }
  welcome: (name: string) => string
  welcomeText: string
  suggestions: string
  offlineIn: (seconds: number) => string
  offlineNow: string
  /** Nobody tries: the app ended, or began anew. */
  offlineAnew: string
  /** Behind `offlineIn` and `offlineNow` once it was gone for a minute. */
  offlineLong: string
  retry: string
  online: string
  unsaved: (detail: string) => string

  // -- conversations
  conversations: string
  newConversation: string
  search: string
  untitled: string
  unread: string
  nothingFound: string
  noConversations: string
  rename: string
  newTitle: string
  deleteConversation: (title: string) => string
  export: string
  damaged: string
  more: string
}

const words = (language: 'en' | 'zh'): { [doing in Doing]: string } =>
  Object.fromEntries(Object.entries(stateWords).map(([state, word]) => [state, word[language]])) as {
    [doing in Doing]: string
  }

/** Kinds by their names, all else by the ending of its media type; each once. */
function typeNames(types: readonly string[], kinds: { [kind: string]: string }, between = ', '): string {
  const names = types.map((type) => {
    const [kind = '', ending = ''] = type.split('/')
    if (type === 'text/plain' || ending === '*') return kinds[kind] ?? type
    return kinds[kind] && types.includes(`${kind}/*`) ? kinds[kind] : ending === 'webp' ? 'WebP' : ending.toUpperCase()
  })
  return [...new Set(names)].join(between)
}

const size =
  (units: [string, string, string]) =>
  (count: number): string =>
    count < 1000
      ? `${count} ${units[0]}`
      : count < 1_000_000
        ? `${Math.round(count / 1000)} ${units[1]}`
        : `${(count / 1_000_000).toFixed(1)} ${units[2]}`

const en: ChatStrings = {
  conversation: 'Conversation',
  you: 'You',
  assistant: 'Assistant',
  said: (who, time) => `${who}, ${time}`,
  today: 'Today',
  yesterday: 'Yesterday',
  showMore: 'Show more',
  showLess: 'Show less',
  picture: 'Picture',
  lostPicture: 'This picture is gone.',
  lostFile: (name) => `${name} is gone.`,
  saveFile: (name, size) => `Save ${name}, ${size}`,
  earlierLost: 'Earlier messages are no longer kept.',
  earlierComes: 'Loading earlier messages …',
  latest: (count) => (count > 0 ? `Latest ↓ ${count}` : 'Latest ↓'),
  interrupted: 'This answer was interrupted.',
  failed: (detail) => `That did not work: ${detail}`,
  tokens: (count) => `${count} tokens`,
  tokensIn: (count) => `${count} tokens in`,
  tokensOut: (count) => `${count} out`,
  tokensCached: (count) => `${count} of the input cached`,
  tokensThought: (count) => `${count} of the output thought`,
  toolsUsed: (count) => (count === 1 ? '1 tool used' : `${count} tools used`),
  stillWorking: (name) => `${name} is still working.`,

  actions: 'Actions',
  copy: 'Copy',
  copied: 'Copied',
  again: 'Another answer',
  goOn: 'Go on',
  askAgain: 'Ask again',
  mayRepeat: 'A call may have happened. If you ask again, it may happen twice.',
  edit: 'Change the question',
  editLabel: 'The question',
  save: 'Ask this instead',
  cancel: 'Cancel',
  version: (index, count) => `Version ${index} of ${count}`,
  previous: 'Previous version',
  next: 'Next version',
  speak: 'Read aloud',
  hush: 'Stop the voice',
  heard: (words) => `You heard it up to “${words}”`,
  heardNothing: 'You interrupted it before it was heard',
  spokeFirst: 'Nobody asked: said of its own accord',
  delete: 'Delete',
  deleteAsk: 'Delete this and everything that follows?',

  message: 'Message',
  placeholder: (name) => (name ? `Write to ${name} …` : 'Write a message …'),
  send: 'Send',
  stop: 'Stop',
  attach: 'Attach files',
  attached: 'Attached files',
  remove: (name) => `Remove ${name}`,
  pasted: (size) => `Pasted text · ${size}`,
  dropHere: 'Drop files here',
  refused: {
    type: (name, found, types) =>
      `${name} cannot be sent: its type is ${found}. Allowed: ${typeNames(types, { image: 'pictures', text: 'text', audio: 'sound', video: 'video' })}.`,
    size: (name, most, found) => `${name} is too large: ${most} go with a message, and it has ${found}.`,
    count: (most) => `At most ${most} files go with a message.`,
    unreadable: (name) => `${name} cannot be read.`,
  },
  queued: 'Waiting to be sent',
  queuedHint: (name) => `Sent when ${name} has answered. Ctrl+Enter stops the answer and sends at once.`,
  queueFull: (most) => `At most ${most} messages wait. Ctrl+Enter stops the answer and sends at once.`,
  offlineHint: 'Not connected: your text stays here.',
  readOnly: 'You can read here, but not write.',
  bytes: size(['B', 'kB', 'MB']),

  doing: words('en'),
  welcome: (name) => (name ? `Hi, I am ${name}.` : 'Hello.'),
  welcomeText: 'Ask me anything.',
  suggestions: 'Suggestions',
  offlineIn: (seconds) => `Not connected. Trying again in ${seconds} s.`,
  offlineNow: 'Not connected. Trying again …',
  offlineAnew: 'Not connected. The app has ended or begun anew: open its page again.',
  offlineLong: 'If the app was started again, open the address that it gives now.',
  retry: 'Try now',
  online: 'Connected again.',
  unsaved: (detail) => `This could not be saved yet: ${detail}`,

  conversations: 'Conversations',
  newConversation: 'New conversation',
  search: 'Search',
  untitled: 'Untitled',
  unread: 'new',
  nothingFound: 'Nothing found.',
  noConversations: 'No conversations yet.',
  rename: 'Rename',
  newTitle: 'Title',
  deleteConversation: (title) => `Delete “${title}”?`,
  export: 'Save as a file',
  damaged: 'This conversation cannot be read.',
  more: 'More',
}

const zh: ChatStrings = {
  conversation: '对话',
  you: '你',
  assistant: '助手',
  said: (who, time) => `${who}，${time}`,
  today: '今天',
  yesterday: '昨天',
  showMore: '展开',
  showLess: '收起',
  picture: '图片',
  lostPicture: '这张图片已不存在。',
  lostFile: (name) => `${name} 已不存在。`,
  saveFile: (name, size) => `保存 ${name}，${size}`,
  earlierLost: '更早的消息已不再保留。',
  earlierComes: '正在加载更早的消息……',
  latest: (count) => (count > 0 ? `最新 ↓ ${count}` : '最新 ↓'),
  interrupted: '这个回答中断了。',
  failed: (detail) => `没有成功：${detail}`,
  tokens: (count) => `${count} 个词元`,
  tokensIn: (count) => `输入 ${count} 个词元`,
  tokensOut: (count) => `输出 ${count} 个`,
  tokensCached: (count) => `其中输入命中缓存 ${count} 个`,
  tokensThought: (count) => `其中思考 ${count} 个`,
  toolsUsed: (count) => `使用了 ${count} 个工具`,
  stillWorking: (name) => `${name}还在处理。`,

  actions: '操作',
  copy: '复制',
  copied: '已复制',
  again: '再答一次',
  goOn: '继续',
  askAgain: '再问一次',
  mayRepeat: '有一个调用可能已经生效。再问一次可能会重复执行。',
  edit: '修改问题',
  editLabel: '问题',
  save: '改问这个',
  cancel: '取消',
  version: (index, count) => `第 ${index} 个版本，共 ${count} 个`,
  previous: '上一个版本',
  next: '下一个版本',
  speak: '朗读',
  hush: '停止发声',
  heard: (words) => `你听到了“${words}”为止`,
  heardNothing: '还没听到就被打断了',
  spokeFirst: '没有人问：主动说的',
  delete: '删除',
  deleteAsk: '删除这一条以及之后的全部内容？',

  message: '消息',
  placeholder: (name) => (name ? `跟${name}说点什么……` : '写点什么……'),
  send: '发送',
  stop: '停止',
  attach: '添加文件',
  attached: '已添加的文件',
  remove: (name) => `移除 ${name}`,
  pasted: (size) => `粘贴的文本 · ${size}`,
  dropHere: '把文件拖到这里',
  refused: {
    type: (name, found, types) =>
      `${name} 无法发送：类型为 ${found}。支持：${typeNames(types, { image: '图片', text: '文本', audio: '音频', video: '视频' }, '、')}。`,
    size: (name, most, found) => `${name} 太大（${found}）：一条消息最多 ${most}。`,
    count: (most) => `一条消息最多 ${most} 个文件。`,
    unreadable: (name) => `无法读取 ${name}。`,
  },
  queued: '等待发送',
  queuedHint: (name) => `${name}答完后发送。按 Ctrl+Enter 停止回答并立即发送。`,
  queueFull: (most) => `最多排队 ${most} 条。按 Ctrl+Enter 停止回答并立即发送。`,
  offlineHint: '未连接：你写的内容会留在这里。',
  readOnly: '这里只能看，不能写。',
  bytes: size(['字节', 'kB', 'MB']),

  doing: words('zh'),
  welcome: (name) => (name ? `你好，我是${name}。` : '你好。'),
  welcomeText: '有什么想问的，尽管说。',
  suggestions: '建议',
  offlineIn: (seconds) => `连接断开，${seconds} 秒后重试。`,
  offlineNow: '连接断开，正在重试……',
  offlineAnew: '连接断开。应用已退出或重新启动，请重新打开它的页面。',
  offlineLong: '如果应用已重新启动，请打开它现在给出的地址。',
  retry: '立即重试',
  online: '已重新连接。',
  unsaved: (detail) => `尚未保存：${detail}`,

  conversations: '对话列表',
  newConversation: '新对话',
  search: '搜索',
  untitled: '无标题',
  unread: '新消息',
  nothingFound: '没有找到。',
  noConversations: '还没有对话。',
  rename: '改名',
  newTitle: '标题',
  deleteConversation: (title) => `删除“${title}”？`,
  export: '保存为文件',
  damaged: '这个对话无法读取。',
  more: '更多',
}

const languages: { en: ChatStrings; zh: ChatStrings; [language: string]: ChatStrings } = { en, zh }

/** The texts for a language tag; English for any other language. */
export const chatText = (lang: string): ChatStrings => pick(languages, lang)
