// The texts of the elements. A language is one object; a missing text is a type error.
import { endingWords, type Ending } from '../../../app/bridge/ending.js'
import { questionWords, type QuestionWords } from '../../../app/bridge/question-words.js'
import type { CardStatus, Outcome } from '../../../engine/core/events.js'
import { pick } from './locale.js'

export interface Strings extends QuestionWords {
  status: { [status in CardStatus]: string }
  outcome: { [outcome in Outcome]: string }
  /** For an answer that was cut, withheld or empty. */
  endings: { [ending in Ending]: string }
  /** Titles of error blocks, by code. */
  errors: { [code: string]: string }
  /** What a person can do about an error, by code, in place of the engine's hint for hosts. */
  hints: { [code: string]: string }
  /** Why a call ended as it did, by the code of the engine. */
  reasons: { [reason: string]: string }

  // -- message
  answer: string
  thinking: string
  thought: string
  thoughtFor: (time: string) => string
  /** What came was cut off by the network or the provider. */
  brokeOff: string
  /** The page has no connection to its host: nothing is known of what comes. */
  cutOff: string
  /** The end of an answer that ran tools in so many rounds, and no more. */
  limitRounds: (rounds: number) => string
  /** Above the text of an answer that the model declined to give. */
  refusal: string
  /** Label of a result that the model made up. */
  fabricated: string
  retracted: string
  /** Label of what the model says about its work, before the answer. */
  commentary: string
  waiting: string
  /** For a failed request. With 0 seconds left it is being sent again. */
  retry: (seconds: number, attempt: number, of: number | undefined) => string
  finished: string
  hint: string
  error: string

  // -- typeset text
  code: string
  wrap: string
  table: string
  task: string
  copyCsv: string
  pictureFrom: (host: string) => string
  pictureInText: string
  file: string
  sources: string
  pictureFailed: string
  linkQuestion: string
  /** In place of the question where the app opens no links. */
  linkAddress: string
  linkOpen: string
  linkCancel: string
  linkNotOpened: string

  // -- card
  aCall: string
  arguments: string
  result: string
  noOutput: string
  /** The language tag for numbers. */
  numbers: string
  callsGoing: (done: number, count: number) => string
  callsDone: (count: number, failed: number) => string
  savePicture: string
  pictureName: (number: number) => string
  pictureOf: (number: number, count: number) => string
  previousPicture: string
  nextPicture: string
  close: string
  /** Of a call that was stopped while it ran. */
  mayHaveHappened: string
  modelOutput: string
  /** Title of the text that the app put in place of the result, for the model. */
  rewritten: string
  /** Title of the arguments in which the app replaced references. */
  resolved: string
  notice: string
  progress: string
  raw: string
  approvals: string
  copy: string
  copied: string
  stop: string
  reason: string
  showAll: (characters: string) => string
  moreRows: (count: string) => string
  items: (count: number) => string
  members: (count: number) => string
  /** A tool that the provider runs. */
  byProvider: string
  round: (round: number) => string
  characters: (count: string) => string
  milliseconds: (value: string) => string
  seconds: (value: string) => string
  minutes: (minutes: number, seconds: string) => string
  decision: { approved: string; denied: string; expired: string; released: string; withheld: string }
  by: { user: string; rule: string; policy: string }
  remembered: { once: string; turn: string; session: string; always: string }

  // -- approval
  asks: (name: string) => string
  asksRelease: (name: string) => string
  asked: string
  moreWays: string
  notSeen: (lines: number) => string
  headNotSeen: string
  questionHidden: string
  showLeftOut: string
  questionsNotSeen: (count: number) => string
  finishEdit: string
  holdUnseen: string
  approveUnseen: (size: string) => string
  approve: string
  approveChanged: string
  deny: string
  run: string
  runChanged: string
  releaseButton: string
  withhold: string
  approveAll: (count: number) => string
  denyAll: string
  /** The button of a checklist. */
  allowSome: (allowed: number, refused: number) => string
  asksTogether: (count: number) => string
  tickHint: string
  asksBelow: string
  waitingCount: (count: number) => string
  cameTo: (done: number, failed: number, running: number) => string
  remember: string
  rememberOptions: { once: string; turn: string; session: string; always: string }
  exact: string
  covers: (name: string) => string
  coversExactly: (name: string) => string
  edit: string
  editLabel: string
  editDone: string
  allAsJson: string
  required: string
  unset: string
  jsonField: string
  badJson: (field: string, detail: string) => string
  undoEdit: string
  giveReason: string
  reasonLabel: string
  reasonHint: string
  expiresIn: (time: string) => string
  arming: string
  armed: string
  notYet: string
  questionChanged: string
  faster: (decision: 'approve' | 'deny' | undefined, by: string | undefined) => string
  notJson: (detail: string) => string
  notObject: string
  inexact: (found: string) => string
  refused: (detail: string) => string
}

const en: Strings = {
  ...questionWords.en,
  status: {
    streaming: 'Writing a tool call…',
    pending: 'Waiting',
    awaiting_approval: 'Waiting for approval',
    executing: 'Running…',
    awaiting_result_approval: 'Result waits for release',
    success: 'Done',
    error: 'Failed',
    denied: 'Denied',
    result_rejected: 'Result withheld',
    not_found: 'No such tool',
    invalid: 'Malformed call',
    timeout: 'Timed out',
    expired: 'Approval expired',
    cancelled: 'Stopped',
    unknown: 'Outcome unknown',
  },
  outcome: {
    completed: 'Finished',
    cancelled: 'Stopped.',
    failed: 'Failed',
    limit: 'Stopped at a limit.',
    awaiting_user: 'Waiting for you',
  },
  endings: endingWords.en,
  errors: {
    provider: 'The provider reports an error',
    http: 'The server refused the request',
    network: 'The connection failed',
    parse: 'The answer could not be read',
    broken_event: 'The answer could not be read',
    first_byte_timeout: 'No answer in time',
    idle_timeout: 'The answer stopped coming',
    tools_unsupported: 'The model takes no tools',
    pictures_unsupported: 'This model cannot see pictures',
    stream_broken: 'The answer broke off',
    unfinished: 'The answer broke off',
    empty_answer: 'The model answered nothing',
    max_rounds: 'Too many rounds of tool calls',
    max_requests: 'Too many answers in one turn',
    oversize: 'The answer is too long',
    hook: 'A part of this app failed',
    limit: 'A limit was reached',
    internal: 'Internal error',
  },
  hints: {
    tools_unsupported: 'Text mode describes tools in the prompt: switch to it, and ask again.',
    pictures_unsupported: 'Choose a model that can, and ask again. Your next message goes without pictures.',
  },
  reasons: {
    max_rounds: 'no more rounds of tool calls are allowed',
    max_requests: 'no more answers are allowed',
    max_calls: 'no more tool calls are allowed',
    repeat_limit: 'the same call came again and again',
    policy: 'a rule refuses it',
    no_approver: 'nobody could be asked',
    truncated: 'it broke off',
    schema: 'the arguments do not fit the tool',
    disabled: 'the tool is switched off',
    not_callable: 'the tool is not for models',
    unsendable: 'the server takes the tool in no form',
    oversize: 'it is too long',
    no_result: 'no result came',
  },

  answer: 'Answer',
  thinking: 'Thinking…',
  thought: 'Thoughts',
  thoughtFor: (time) => `Thought for ${time}`,
  brokeOff: 'The answer broke off.',
  cutOff: 'It goes on when the connection is back.',
  limitRounds: (rounds) =>
    rounds === 1 ? 'Stopped after 1 round of tools.' : `Stopped after ${rounds} rounds of tools.`,
  refusal: 'The model declined',
  fabricated: 'Result made up by the model',
  retracted: 'Answer taken back',
  commentary: 'Note while working',
  waiting: 'Waiting for the answer',
  retry: (seconds, attempt, of) =>
    `Trying again${seconds > 0 ? ` in ${seconds} s` : ''} (${of === undefined ? attempt : `${attempt} of ${of}`})`,
  finished: 'Answer finished.',
  hint: 'Hint',
  code: 'Code',
  wrap: 'Wrap lines',
  table: 'Table',
  task: 'Task',
  copyCsv: 'Copy as CSV',
  pictureFrom: (host) => `Picture from ${host}`,
  pictureInText: 'Picture',
  file: 'File',
  sources: 'Sources',
  pictureFailed: 'The picture could not be loaded.',
  linkQuestion: 'Open this address?',
  linkAddress: 'The link leads here',
  linkOpen: 'Open',
  linkCancel: 'Not now',
  linkNotOpened: 'This app opens no links. Copy the address.',
  error: 'Error',

  aCall: 'Tool call',
  arguments: 'Arguments',
  result: 'Result',
  noOutput: 'No output',
  numbers: 'en',
  callsGoing: (done, count) => `${done} of ${count} …`,
  callsDone: (count, failed) => `${count} calls${failed === 0 ? '' : `, ${failed} failed`}`,
  savePicture: 'Save',
  pictureName: (number) => `picture-${number}`,
  pictureOf: (number, count) => `Picture ${number} of ${count}`,
  previousPicture: 'Previous picture',
  nextPicture: 'Next picture',
  close: 'Close',
  mayHaveHappened: 'It may already have happened',
  modelOutput: 'What the model reads',
  rewritten: 'The model was told something else',
  resolved: 'Arguments that the app put in',
  notice: 'Notice',
  progress: 'Progress',
  raw: 'As the model wrote it',
  approvals: 'Decisions',
  copy: 'Copy',
  copied: 'Copied',
  stop: 'Stop this call',
  reason: 'Reason',
  showAll: (characters) => `Show all (${characters} characters)`,
  moreRows: (count) => `Show ${count} more`,
  items: (count) => (count === 1 ? '1 item' : `${count} items`),
  members: (count) => (count === 1 ? '1 member' : `${count} members`),
  byProvider: 'Run by the provider',
  round: (round) => `Round ${round}`,
  characters: (count) => `${count} characters`,
  milliseconds: (value) => `${value} ms`,
  seconds: (value) => `${value} s`,
  minutes: (minutes, seconds) => `${minutes} min ${seconds} s`,
  decision: {
    approved: 'Approved',
    denied: 'Denied',
    expired: 'Expired',
    released: 'Result released',
    withheld: 'Result withheld',
  },
  by: { user: 'by you', rule: 'by a remembered rule', policy: 'by policy' },
  remembered: { once: 'this call only', turn: 'for this answer', session: 'for this session', always: 'from now on' },

  asks: (name) => `Approval needed: ${name}`,
  asksRelease: (name) => `The result of ${name} waits for release`,
  asked: 'What is asked',
  moreWays: 'More: edit, remember, reason',
  notSeen: (lines) => (lines === 1 ? '1 line not seen' : `${lines.toLocaleString('en')} lines not seen`),
  headNotSeen: 'The question is out of view',
  questionHidden: 'Something hides the question',
  showLeftOut: 'Show what is left out',
  questionsNotSeen: (count) => (count === 1 ? '1 question not seen' : `${count} questions not seen`),
  finishEdit: 'Finish the edit to allow it',
  holdUnseen: 'Hold the button for 2 s',
  approveUnseen: (size) => `Allow with ${size} characters unseen`,
  approve: 'Allow',
  approveChanged: 'Allow with changes',
  deny: 'Not now',
  run: 'Run',
  runChanged: 'Run with changes',
  releaseButton: 'Let it read',
  withhold: 'Keep it here',
  approveAll: (count) => `Allow all ${count}`,
  denyAll: 'Refuse all',
  allowSome: (allowed, refused) =>
    allowed === 0 ? 'Allow' : refused === 0 ? `Allow ${allowed}` : `Allow ${allowed} · refuse ${refused}`,
  asksTogether: (count) => `${count} questions`,
  tickHint: 'Tick what you allow',
  asksBelow: 'Asks below',
  waitingCount: (count) => `${count} calls wait for approval`,
  cameTo: (done, failed, running) =>
    `Calls: ${[done && `${done} done`, failed && `${failed} not done`, running && `${running} running`].filter(Boolean).join(', ')}`,
  remember: 'Remember',
  rememberOptions: { once: 'This call only', turn: 'For this answer', session: 'For this session', always: 'Always' },
  exact: 'Only with exactly these arguments',
  covers: (name) => `Every ${name}, whatever its arguments are`,
  coversExactly: (name) => `${name} with exactly what stands here`,
  edit: 'Edit arguments',
  editLabel: 'Arguments as JSON',
  editDone: 'Done',
  allAsJson: 'All as JSON',
  required: 'required',
  unset: '(left out)',
  jsonField: 'JSON',
  badJson: (field, detail) => `${field}: this is not JSON (${detail})`,
  undoEdit: 'Undo changes',
  giveReason: 'Give a reason',
  reasonLabel: 'Why not',
  reasonHint: 'The model reads it',
  expiresIn: (time) => `Expires in ${time}`,
  arming: 'The buttons become active in a moment.',
  armed: 'You can decide now.',
  notYet: 'Not yet.',
  questionChanged: 'The question changed. Nothing was decided.',
  faster: (decision, by) =>
    decision
      ? `${by ?? 'Somebody'} ${decision === 'approve' ? 'approved' : 'denied'} it before you.`
      : 'This was decided elsewhere.',
  notJson: (detail) => `This is not JSON: ${detail}`,
  notObject: 'Expected a JSON object: { "name": value, … }',
  inexact: (found) => `The number ${found} is too large to be exact; write it as a text: "${found}"`,
  refused: (detail) => `Not accepted: ${detail}`,
}

const zh: Strings = {
  ...questionWords.zh,
  status: {
    streaming: '正在生成工具调用…',
    pending: '等待中',
    awaiting_approval: '等待批准',
    executing: '执行中…',
    awaiting_result_approval: '结果等待放行',
    success: '完成',
    error: '失败',
    denied: '已拒绝',
    result_rejected: '结果未放行',
    not_found: '没有这个工具',
    invalid: '调用格式错误',
    timeout: '超时',
    expired: '批准已过期',
    cancelled: '已停止',
    unknown: '结果未知',
  },
  outcome: {
    completed: '已完成',
    cancelled: '已停止。',
    failed: '失败',
    limit: '达到上限，已停止。',
    awaiting_user: '等待你的操作',
  },
  endings: endingWords.zh,
  errors: {
    provider: '模型服务报告了错误',
    http: '服务器拒绝了请求',
    network: '连接失败',
    parse: '无法读取回答',
    broken_event: '无法读取回答',
    first_byte_timeout: '等待回答超时',
    idle_timeout: '回答中断',
    tools_unsupported: '模型不支持工具',
    pictures_unsupported: '这个模型看不了图片',
    stream_broken: '回答中途断开',
    unfinished: '回答中途断开',
    empty_answer: '模型没有回答',
    max_rounds: '工具调用轮数过多',
    max_requests: '本轮对话请求次数过多',
    oversize: '回答太长',
    hook: '应用的一部分出错了',
    limit: '达到上限',
    internal: '内部错误',
  },
  hints: {
    tools_unsupported: '换成文本模式，工具会写在提示里，再问一次就好。',
    pictures_unsupported: '换一个能看图的模型再问一次。接下来写的内容会不带图片发送。',
  },
  reasons: {
    max_rounds: '不再允许更多轮工具调用',
    max_requests: '不再允许更多次请求',
    max_calls: '不再允许更多工具调用',
    repeat_limit: '同样的调用反复出现',
    policy: '有规则拒绝了它',
    no_approver: '没有人可以询问',
    truncated: '内容中途断开',
    schema: '参数不符合工具的要求',
    disabled: '工具已关闭',
    not_callable: '工具不对模型开放',
    unsendable: '服务器无法接收该工具',
    oversize: '内容过长',
    no_result: '没有收到结果',
  },

  answer: '回答',
  thinking: '正在思考…',
  thought: '思考过程',
  thoughtFor: (time) => `思考了 ${time}`,
  brokeOff: '回答中途断开。',
  cutOff: '恢复连接后，会从这里继续。',
  limitRounds: (rounds) => `用了 ${rounds} 轮工具后停止。`,
  refusal: '模型拒绝回答',
  fabricated: '模型编造的结果',
  retracted: '已撤回的回答',
  commentary: '工作中的说明',
  waiting: '等待回答',
  retry: (seconds, attempt, of) =>
    `${seconds > 0 ? `${seconds} 秒后重试` : '正在重试'}（第 ${attempt} 次${of === undefined ? '' : `，共 ${of} 次`}）`,
  finished: '回答完毕。',
  hint: '提示',
  code: '代码',
  wrap: '自动换行',
  table: '表格',
  task: '任务',
  copyCsv: '复制为 CSV',
  pictureFrom: (host) => `来自 ${host} 的图片`,
  pictureInText: '图片',
  file: '文件',
  sources: '来源',
  pictureFailed: '图片无法加载。',
  linkQuestion: '打开这个地址？',
  linkAddress: '链接指向这里',
  linkOpen: '打开',
  linkCancel: '暂不',
  linkNotOpened: '本应用不打开链接。请复制地址，在别处打开。',
  error: '错误',

  aCall: '工具调用',
  arguments: '参数',
  result: '结果',
  noOutput: '没有输出',
  numbers: 'zh',
  callsGoing: (done, count) => `${count} 个调用，完成 ${done} 个…`,
  callsDone: (count, failed) => `${count} 个调用${failed === 0 ? '' : `，${failed} 个失败`}`,
  savePicture: '保存',
  pictureName: (number) => `图片-${number}`,
  pictureOf: (number, count) => `图片 ${number} / ${count}`,
  previousPicture: '上一张',
  nextPicture: '下一张',
  close: '关闭',
  mayHaveHappened: '可能已经执行了',
  modelOutput: '模型读到的内容',
  rewritten: '告诉模型的内容与此不同',
  resolved: '应用代入的参数',
  notice: '通知',
  progress: '进度',
  raw: '模型的原文',
  approvals: '决定',
  copy: '复制',
  copied: '已复制',
  stop: '停止这个调用',
  reason: '原因',
  showAll: (characters) => `显示全部（${characters} 个字符）`,
  moreRows: (count) => `再显示 ${count} 项`,
  items: (count) => `${count} 项`,
  members: (count) => `${count} 个成员`,
  byProvider: '由服务商运行',
  round: (round) => `第 ${round} 轮`,
  characters: (count) => `${count} 个字符`,
  milliseconds: (value) => `${value} 毫秒`,
  seconds: (value) => `${value} 秒`,
  minutes: (minutes, seconds) => `${minutes} 分 ${seconds} 秒`,
  decision: { approved: '已批准', denied: '已拒绝', expired: '已过期', released: '结果已放行', withheld: '结果未放行' },
  by: { user: '由你决定', rule: '按已记住的规则', policy: '按策略' },
  remembered: { once: '仅此一次', turn: '本次回答内', session: '本次会话内', always: '以后始终' },

  asks: (name) => `需要批准：${name}`,
  asksRelease: (name) => `${name} 的结果等待放行`,
  asked: '询问的内容',
  moreWays: '更多：修改、记住、原因',
  notSeen: (lines) => `还有 ${lines.toLocaleString('zh')} 行没看`,
  headNotSeen: '问题不在视野内',
  questionHidden: '问题被遮住了',
  showLeftOut: '显示略去的内容',
  questionsNotSeen: (count) => `还有 ${count} 个问题没看`,
  finishEdit: '先完成修改，再允许',
  holdUnseen: '按住按钮 2 秒',
  approveUnseen: (size) => `允许（${size} 个字符未看）`,
  approve: '允许',
  approveChanged: '按修改允许',
  deny: '先不要',
  run: '运行',
  runChanged: '按修改运行',
  releaseButton: '让它看',
  withhold: '留在这里',
  approveAll: (count) => `全部允许（${count}）`,
  denyAll: '全部拒绝',
  allowSome: (allowed, refused) =>
    allowed === 0 ? '允许' : refused === 0 ? `允许 ${allowed} 个` : `允许 ${allowed} 个 · 拒绝 ${refused} 个`,
  asksTogether: (count) => `${count} 个问题`,
  tickHint: '勾选你允许的',
  asksBelow: '在下方询问',
  waitingCount: (count) => `${count} 个调用等待批准`,
  cameTo: (done, failed, running) =>
    `调用：${[done && `${done} 个完成`, failed && `${failed} 个未完成`, running && `${running} 个执行中`].filter(Boolean).join('，')}`,
  remember: '记住',
  rememberOptions: { once: '仅此一次', turn: '本次回答内', session: '本次会话内', always: '始终' },
  exact: '仅限完全相同的参数',
  covers: (name) => `所有 ${name}，不论参数`,
  coversExactly: (name) => `${name}，且内容与此完全相同`,
  edit: '修改参数',
  editLabel: '参数（JSON）',
  editDone: '完成',
  allAsJson: '全部用 JSON 编辑',
  required: '必填',
  unset: '（不填）',
  jsonField: 'JSON',
  badJson: (field, detail) => `${field}：不是 JSON（${detail}）`,
  undoEdit: '撤销修改',
  giveReason: '填写原因',
  reasonLabel: '拒绝的原因',
  reasonHint: '模型会读到它',
  expiresIn: (time) => `${time} 后过期`,
  arming: '按钮稍后可用。',
  armed: '现在可以决定。',
  notYet: '现在还不行。',
  questionChanged: '问题已变，未作任何决定。',
  faster: (decision, by) =>
    decision ? `${by ?? '有人'}已先于你${decision === 'approve' ? '允许' : '拒绝'}。` : '已在别处决定。',
  notJson: (detail) => `不是 JSON：${detail}`,
  notObject: '应为 JSON 对象：{ "名称": 值, … }',
  inexact: (found) => `数字 ${found} 过大，无法精确表示；请写成文本："${found}"`,
  refused: (detail) => `未被接受：${detail}`,
}

const languages: { en: Strings; zh: Strings; [language: string]: Strings } = { en, zh }

/** The texts for a language tag; English for any other language. */
export function text(lang: string): Strings {
  return pick(languages, lang)
}
