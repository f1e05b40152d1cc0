// The parts of the elements, for `::part()` of a page, and which of them the elements around hand on. `elements.ts`
// tells people the same.

const approval = [
  'question',
  'question-header',
  'sentence',
  'tool',
  'effects',
  'expiry',
  'argument',
  'actions',
  'missing',
  'approve',
  'deny',
  'edit',
  'editor',
  'remember',
  'covers',
  'reason',
  'tick',
  'strong',
  'code-point',
  'blank',
  'cut',
  'script',
]
/** Beside these a card has its state, and `section-` with what stands in a section. */
const card = [
  'card',
  'mark',
  'header',
  'icon',
  'name',
  'summary',
  'state',
  'duration',
  'stop',
  'writing',
  'progress',
  'progress-bar',
  'notice',
  'thumbnails',
  'thumbnail',
  'lightbox',
  'custom',
  'approval',
  'body',
  'section',
  'copy',
  'arguments',
  'image',
  'media',
  'save',
  'link',
  'link-question',
]
const text = ['text', 'code', 'table', 'image', 'heading', 'link', 'cue', 'link-question']
/** Of several questions, in a dock or a dialog. */
const checklist = ['list', 'bar', 'refuse', 'allow']
const message = [
  'message',
  'blocks',
  'reasoning',
  'reasoning-text',
  'refusal',
  'fabricated',
  'fabricated-text',
  'retracted',
  'retracted-text',
  'commentary',
  'commentary-text',
  'tool',
  'calls',
  'sources',
  'media',
  'save',
  'error',
  'hint',
  'waiting',
  'retry',
  'outcome',
  'ending',
  'approve-all',
  'approve-all-button',
  'deny-all',
  'missing',
  'dialog',
  ...checklist,
]
/** An error's hint is not that of the field; parts of cards are not among them: their names are those of a chat. */
const inEntry = [...text, ...message.map((name) => (name === 'hint' ? 'hint: error-hint' : name))]
const entry = ['mine', 'theirs', 'toolbar', 'time', 'day', 'usage', 'note', 'ways']
const thread = ['scroller', 'entries', 'entry', 'jump', 'trouble']
const composer = ['field', 'send', 'stop', 'attach', 'chip', 'queue', 'row', 'hint', 'trouble']
const questions = ['dock', 'row', 'title', ...checklist]
const chat = ['header', 'avatar', 'banner', 'thread', 'composer', 'dock', 'foot', 'welcome', 'suggestion']
const conversations = ['list', 'item', 'title', 'date', 'state']
const server = ['service', 'model', 'test', 'use', 'steps', 'step']

/** What a part is called outside: `missing` of `missing: question-missing` is the second. */
const outside = (names: readonly string[]): string[] => names.map((name) => name.slice(name.indexOf(':') + 1).trim())
const given = { entry: [...outside(inEntry), ...entry] }
/** The thread and the field of a chat have a line for what went wrong each. */
const troubled = (names: readonly string[], of: string): string[] =>
  names.map((name) => (name === 'trouble' ? `trouble: ${of}-trouble` : name))
const inChat = { thread: [...given.entry, ...troubled(thread, 'thread')], composer: troubled(composer, 'composer') }
/** Of a dock, in a chat: what an entry has too has a name of its own there. */
const inDock = [
  ...approval.filter((name) => !given.entry.includes(name)),
  'tool: question-tool',
  'missing: question-missing',
  ...checklist,
]

/** Parts by element: its own, and those of the elements inside of it that it hands on. */
export const partsOf = (): { readonly [tag: string]: readonly string[] } => ({
  'sluice-text': text,
  'sluice-approval': approval,
  'sluice-card': [...card, ...approval],
  'sluice-message': [...message, ...text, ...card, ...approval],
  'sluice-questions': [...questions, ...approval],
  'sluice-thread': [...thread, ...given.entry],
  'sluice-composer': composer,
  'sluice-chat': [...chat, ...outside(inChat.thread), ...outside(inChat.composer), ...outside(inDock)],
  'sluice-conversations': conversations,
  'sluice-server': server,
})

/** `exportparts` of elements that stand inside of others. */
export const exported = {
  /** Of an approval, in a card or a list of questions. */
  approval: approval.join(', '),
  /** Of the questions of a dialog, in a message. */
  dialog: [...approval, ...checklist].join(', '),
  /** Of a card, in a message. */
  card: [...card, ...approval].join(', '),
  /** Of a message, in an entry. */
  message: inEntry.join(', '),
  /** Of an entry, in a thread. */
  entry: given.entry.join(', '),
  /** Of a thread, in a chat. */
  thread: inChat.thread.join(', '),
  /** Of a field, in a chat. */
  composer: inChat.composer.join(', '),
  /** Of a dock, in a chat. */
  dock: inDock.join(', '),
  /** Of what is loaded late, in `<sluice-server>`. */
  server: server.join(', '),
}
