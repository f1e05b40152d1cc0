// Parts of elements that stand inside of others, for those around them to hand on: what an app styles from outside.

const listed = (...parts: readonly (readonly string[])[]): string => parts.flat().join(', ')

const approval = [
  'question', 'question-header', 'sentence', 'tool', 'effects', 'expiry', 'argument', 'actions', 'missing', 'approve', 'deny', 'edit', 'editor', 'remember', 'covers', 'reason',
  'tick', 'code-point', 'blank', 'cut', 'script',
]
const card = [
  'card', 'header', 'icon', 'name', 'summary', 'state', 'duration', 'stop', 'writing', 'progress', 'progress-bar', 'notice', 'body', 'section', 'copy', 'image', 'arguments', 'approval',
]
const text = ['text', 'code', 'table', 'image', 'heading', 'link', 'cue', 'link-question']
/** Those of its cards are not among them: their names are those of a chat. */
const message = [
  ...text, 'message', 'blocks', 'reasoning', 'reasoning-text', 'refusal', 'fabricated', 'fabricated-text', 'retracted', 'retracted-text', 'tool', 'error', 'waiting', 'retry',
  'outcome', 'ending', 'approve-all', 'approve-all-button', 'deny-all', 'missing', 'dialog',
]
const entry = [...message, 'mine', 'theirs', 'toolbar', 'time', 'day', 'usage', 'note', 'ways']

/** Of an approval, in a card or a dock. */
export const approvalParts = listed(approval)
/** Of a card, in a message. */
export const cardParts = listed(card, approval)
/** Of a message, in an entry; an error's hint is not that of the field. */
export const messageParts = listed(message, ['hint: error-hint'])
/** Of an entry, in a thread. */
export const entryParts = listed(entry, ['error-hint'])
/** Of a thread, in a chat. */
export const threadParts = listed(entry, ['error-hint', 'scroller', 'entries', 'entry', 'jump', 'trouble: thread-trouble'])
/** Of a field, in a chat. */
export const composerParts = listed(['field', 'send', 'stop', 'attach', 'chip', 'queue', 'row', 'hint', 'trouble: composer-trouble'])
/** Of a dock, in a chat: what an entry has too has a name of its own there. */
export const questionsParts = listed(approval.filter((part) => !entry.includes(part)), ['tool: question-tool', 'missing: question-missing', 'list', 'bar', 'refuse', 'allow'])
