// What a question says by itself, in the languages of the elements; the terminal speaks English.

export interface QuestionWords {
  // The sentence. `{who}` asks; `{what}` is one of `uses` and `usesOf`, or the tool's own words; `{reader}` would read
  // the result.
  someone: string
  wants: string
  prepared: string
  hasResult: string
  uses: string
  usesOf: string
  theModel: string
  modelAt: (model: string, host: string) => string
  /** Behind the name of a stranger, before what that one says of the tool. */
  says: string
  twice: string
  moreTwice: (count: number) => string
  noArguments: string
  /** The question came without what it is about. */
  notWhole: string
  /** Above a name that is cut in the head. */
  wholeName: string
  edited: string
  reserved: string
  written: string
  preview: string
  previewError: string
  imageAt: string
  image: string
  notDrawn: (characters: number) => string
  askedAs: (name: string) => string
  /** In place of blanks and empty lines that would push what follows out of sight. */
  spaces: (count: number) => string
  tabs: (count: number) => string
  blanks: (count: number) => string
  emptyLines: (count: number) => string
  /** How much there is to read. */
  counts: (values: number, characters: number, lines: number) => string
  resultCounts: (characters: number, lines: number) => string
  /** Of a value: what stands between its beginning and its end. */
  leftOut: (characters: number, lines: number) => string
  moreArguments: (count: number, characters: number) => string
  // What a tool may do.
  reads: string
  changes: string
  deletes: string
  leaves: string
  always: string
  toModel: string
  /** What a tool of others says that it does. */
  claims: (effect: string) => string
}

const number = (value: number, lang: string): string => value.toLocaleString(lang)
const en = (value: number, one: string, many = `${one}s`): string =>
  `${number(value, 'en')} ${value === 1 ? one : many}`
const zh = (value: number): string => number(value, 'zh')

export const questionWords: { en: QuestionWords; zh: QuestionWords } = {
  en: {
    someone: 'The assistant',
    wants: '{who} wants to {what}.',
    prepared: '{who} prepared: {what}.',
    // An app's sentence says what would be done ("read your diary"): no rule makes "has read" of every verb.
    hasResult: '{who} wanted to {what}, and has the result. May {reader} see it?',
    uses: 'use {tool}',
    usesOf: 'use “{tool}” of {from}',
    theModel: 'the model',
    modelAt: (model, host) => `${model} at ${host}`,
    says: ' says of it:',
    twice: ' is given twice, the last counts',
    moreTwice: (count) => `${en(count, 'more name is', 'more names are')} given twice`,
    noArguments: 'No arguments',
    notWhole: 'What it is about did not come with it: it can only be refused',
    wholeName: 'The whole name',
    edited: 'Arguments as changed by you',
    reserved: 'Other fields',
    written: 'The model wrote',
    preview: 'The model will see',
    previewError: 'The model will see this error',
    imageAt: 'Image at',
    image: 'Image of the result',
    notDrawn: (characters) => `An image that cannot be shown here, ${en(characters, 'character')} of`,
    askedAs: (name) => `The model wrote the name ${name}`,
    spaces: (count) => en(count, 'space'),
    tabs: (count) => en(count, 'tab'),
    blanks: (count) => en(count, 'blank'),
    emptyLines: (count) => en(count, 'empty line'),
    counts: (values, characters, lines) =>
      `${en(values, 'argument')} · ${en(characters, 'character')} in ${en(lines, 'line')}`,
    resultCounts: (characters, lines) => `${en(characters, 'character')} in ${en(lines, 'line')}`,
    leftOut: (characters, lines) => `${en(characters, 'character')} in ${en(lines, 'line')} are not shown here`,
    moreArguments: (count, characters) =>
      `${en(count, 'more argument')} with ${en(characters, 'character')} are not shown here`,
    reads: 'only reads',
    changes: 'changes something',
    deletes: 'can change or delete',
    leaves: 'leaves this computer',
    always: 'asks every time',
    toModel: 'goes to the model',
    claims: (effect) => `says that it ${effect}`,
  },
  zh: {
    someone: '助手',
    wants: '{who}想{what}。',
    prepared: '{who}准备好了：{what}。',
    hasResult: '{who}想{what}，结果已经有了。可以给{reader}看吗？',
    uses: '使用{tool}',
    usesOf: '使用{from}的“{tool}”',
    theModel: '模型',
    modelAt: (model, host) => `${model}（${host}）`,
    says: ' 的说明：',
    twice: ' 给了两次，以最后一次为准',
    moreTwice: (count) => `还有 ${zh(count)} 个名称给了两次`,
    noArguments: '没有参数',
    notWhole: '没有收到所问的内容：只能拒绝',
    wholeName: '完整的名称',
    edited: '你修改后的参数',
    reserved: '其他字段',
    written: '模型写的是',
    preview: '模型将会看到',
    previewError: '模型将会看到这个错误',
    imageAt: '图片地址',
    image: '结果中的图片',
    notDrawn: (characters) => `无法在这里显示的图片，${zh(characters)} 个字符：`,
    askedAs: (name) => `模型写的名称是 ${name}`,
    spaces: (count) => `${zh(count)} 个空格`,
    tabs: (count) => `${zh(count)} 个制表符`,
    blanks: (count) => `${zh(count)} 个空白`,
    emptyLines: (count) => `${zh(count)} 个空行`,
    counts: (values, characters, lines) => `${zh(values)} 个参数 · ${zh(characters)} 个字符，${zh(lines)} 行`,
    resultCounts: (characters, lines) => `${zh(characters)} 个字符，${zh(lines)} 行`,
    leftOut: (characters, lines) => `这里没有显示其中的 ${zh(characters)} 个字符，${zh(lines)} 行`,
    moreArguments: (count, characters) => `还有 ${zh(count)} 个参数、${zh(characters)} 个字符没有显示`,
    reads: '只读取',
    changes: '会改动内容',
    deletes: '可能修改或删除',
    leaves: '会离开这台电脑',
    always: '每次都询问',
    toModel: '会交给模型',
    claims: (effect) => `自称${effect}`,
  },
}
