// The public types of the elements, free of the library that the elements are made with.
import type {
  ActionDetail,
  AnnounceMode,
  Attachment,
  ChatClient,
  ChatSpeaker,
  ConversationDetail,
  ConversationsClient,
  RefusedDetail,
  SendDetail,
  Suggestion,
  UsageMode,
} from './chat/chat-types.js'
import type { ConfigurationView } from '../../app/bridge/messages.js'
import type { ConfigurationClient } from './configuration/store.js'
import type { ConnectedDetail, ServerClient } from './server/server-panel-types.js'
import type { CopyDetail, LinkDetail, LoadImage, OpenLink, RenderText } from './text/text-types.js'
import type {
  ApprovalsMode,
  QuestionDetail,
  QuestionView,
  CardView,
  CuesMode,
  MessageSource,
  ShownMessage,
} from './ui-types.js'

/**
 * `<sluice-message>`: shows a message while it streams, or a saved one. Fires `sluice-ask`, `sluice-settled`,
 * `sluice-link` and `sluice-copy`. Parts: `message`, `blocks`, `reasoning`, `reasoning-text`, `refusal`, `fabricated`,
 * `fabricated-text`, `retracted`, `retracted-text`, `commentary`, `commentary-text`, `tool`, `calls`, `sources`,
 * `media`, `save`, `error`, `hint`, `waiting`, `retry`, `outcome`, `ending`, `approve-all`, `approve-all-button`,
 * `deny-all`, `missing`, `dialog`, `list`, `bar`, `refuse`, `allow`, `text`, `code`, `table`, `image`, `heading`,
 * `link`, `cue`, `link-question`, `card`, `mark`, `header`, `icon`, `name`, `summary`, `state`, `duration`, `stop`,
 * `writing`, `progress`, `progress-bar`, `notice`, `thumbnails`, `thumbnail`, `lightbox`, `custom`, `approval`, `body`,
 * `section`, `copy`, `arguments`, `question`, `question-header`, `sentence`, `effects`, `expiry`, `argument`,
 * `actions`, `approve`, `deny`, `edit`, `editor`, `remember`, `covers`, `reason`, `tick`, `strong`, `code-point`,
 * `blank`, `cut`, `script`.
 */
export interface SluiceMessageElement extends HTMLElement {
  /** The live message to follow. */
  message: MessageSource | undefined
  /** A saved message, shown if `message` is not set. */
  view: ShownMessage | undefined
  /** Who shows questions. Default `inline`. */
  approvals: ApprovalsMode
  /** Where calls that nobody waits for stand, such as expressions. Default `margin`: a small face beside their line. */
  cues: CuesMode
  /** When the buttons of its questions become active: see `<sluice-approval>`. Default 600 ms. */
  armMs: number
  /** Reads nothing out: for whoever shows several messages, and reads them out itself. Default false. */
  silent: boolean
  /**
   * Opens a link once the person agreed. Default: the message's `openLink`, if it has one; else addresses can be copied
   * only.
   */
  openLink: OpenLink | undefined
  /**
   * Loads a picture of the text when the person asks for it. Without it the picture's address is treated like a link.
   */
  loadImage: LoadImage | undefined
  /** Draws texts in place of the typesetting. */
  renderText: RenderText | undefined
  /** Who asks, in its questions: "Lulu wants to …". Default: the assistant. */
  name: string | undefined
  /**
   * `folded`: two calls or more without text between them are one line, which opens into their cards. Default `each`.
   */
  calls: 'each' | 'folded'
}

/**
 * `<sluice-text>`: a text, typeset while it grows. Fires `sluice-link` and `sluice-copy`. Parts: `text`, `code`,
 * `table`, `image`, `heading`, `link`, `cue`, `link-question`.
 */
export interface SluiceTextElement extends HTMLElement {
  /** The text, as Markdown. */
  text: string
  /** More may come: its end is shown as what it will most likely be. Default false. */
  open: boolean
  /** Draws the text in place of the typesetting. */
  renderText: RenderText | undefined
  /** Opens a link once the person agreed. Without it addresses can be copied only. */
  openLink: OpenLink | undefined
  /**
   * Loads a picture of the text when the person asks for it. Without it the picture's address is treated like a link.
   */
  loadImage: LoadImage | undefined
}

/**
 * `<sluice-card>`: one call of a tool. Parts: `card`, `mark`, `header`, `icon`, `name`, `summary`, `state`, `duration`,
 * `stop`, `writing`, `progress`, `progress-bar`, `notice`, `thumbnails`, `thumbnail`, `lightbox`, `custom`, `approval`,
 * `body`, `section`, `copy`, `arguments`, `image`, `media`, `save`, `link`, `link-question`, `question`,
 * `question-header`, `sentence`, `tool`, `effects`, `expiry`, `argument`, `actions`, `missing`, `approve`, `deny`,
 * `edit`, `editor`, `remember`, `covers`, `reason`, `tick`, `strong`, `code-point`, `blank`, `cut`, `script`; the state
 * of its call, and `section-` with the name of a section.
 */
export interface SluiceCardElement extends HTMLElement {
  card: CardView | undefined
  /** The open question about this call, if there is one. */
  ask: QuestionView | undefined
  /** The open questions of the message by call: those about the calls that its tool made of others. Default none. */
  asks: ReadonlyMap<number, QuestionView> | undefined
  /** The message that answers the question and stops the call. A card of a saved message has none. */
  message: MessageSource | undefined
  /** Who shows its question. Default `inline`. */
  approvals: ApprovalsMode
  /** The message has ended: nothing moves, whatever the state is. */
  still: boolean
  /** Who asks, in its question. Default: the assistant. */
  name: string | undefined
  /** Shows arguments, result and more. Default false. */
  open: boolean
}

/**
 * `<sluice-approval>`: asks a person to decide. Parts: `question`, `question-header`, `sentence`, `tool`, `effects`,
 * `expiry`, `argument`, `actions`, `missing`, `approve`, `deny`, `edit`, `editor`, `remember`, `covers`, `reason`,
 * `tick`, `strong`, `code-point`, `blank`, `cut`, `script`.
 */
export interface SluiceApprovalElement extends HTMLElement {
  ask: QuestionView | undefined
  /** The call that the question is about. */
  card: CardView | undefined
  /** The message that takes the answer. */
  message: Pick<MessageSource, 'approve' | 'release' | 'deny'> | undefined
  /** The tool's description, used if the question has none. */
  description: string | undefined
  /** Who asks: "Lulu wants to …". Default: the assistant. */
  name: string | undefined
  /** Draws it in a row, as one of many. Default false. */
  compact: boolean
  /**
   * Milliseconds. Refusing becomes active once the buttons were visible for this long. Allowing also waits until every
   * line of the question was in view, and until head and buttons stood still for this long. Default 600.
   */
  armMs: number
}

/**
 * `<sluice-thread>`: a conversation. The last 100 entries are in the page, earlier ones come on scrolling up. Fires
 * `sluice-action` before it does what a person wants to do with an entry. Slots: `empty`, `actions` (beside the last
 * entry's buttons), `ways` (behind an answer that did not end as it should). Parts: `scroller`, `entries`, `entry`,
 * `jump`, `trouble`, `text`, `code`, `table`, `image`, `heading`, `link`, `cue`, `link-question`, `message`, `blocks`,
 * `reasoning`, `reasoning-text`, `refusal`, `fabricated`, `fabricated-text`, `retracted`, `retracted-text`,
 * `commentary`, `commentary-text`, `tool`, `calls`, `sources`, `media`, `save`, `error`, `error-hint`, `waiting`,
 * `retry`, `outcome`, `ending`, `approve-all`, `approve-all-button`, `deny-all`, `missing`, `dialog`, `list`, `bar`,
 * `refuse`, `allow`, `mine`, `theirs`, `toolbar`, `time`, `day`, `usage`, `note`, `ways`.
 */
export interface SluiceThreadElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ChatClient | undefined
  /** Which conversation. Default `main`. */
  conversation: string
  /** Who answers, for headings and for what is read out. */
  name: string
  /** Which answers tell their time and tokens. Default `last`. */
  usage: UsageMode
  /** Where calls that nobody waits for stand, such as expressions. Default `margin`: a small face beside their line. */
  cues: CuesMode
  /** Who shows questions. Default `inline`. */
  approvals: ApprovalsMode
  /**
   * `folded`: two calls or more without text between them are one line, which opens into their cards. Default `folded`.
   */
  calls: 'each' | 'folded'
  /** What is read out. Default `end`: each answer once, at its end; questions always, but with `off`. */
  announce: AnnounceMode
  /** Draws texts in place of the element's own typesetting. */
  renderText: RenderText | undefined
  /** Loads a picture of a text when a person asks for it. */
  loadImage: LoadImage | undefined
  /** Reads answers aloud: with it every answer has a button for that. */
  voice: ChatSpeaker | undefined
  /** The end is followed: nobody looks further up. */
  readonly follow: boolean
  /** Shows the end, and follows it. */
  scrollToEnd(): void
  /** Opens the last question to be changed. Returns false where there is none in the page. */
  editLast(): boolean
}

/**
 * `<sluice-composer>`: a person writes, attaches and sends. While an answer comes, up to 5 messages wait for its end.
 * Fires `sluice-send`, `sluice-stop` and `sluice-refused`. Slots: `start`, `end`. Parts: `field`, `send`, `stop`,
 * `attach`, `chip`, `queue`, `row`, `hint`, `trouble`.
 */
export interface SluiceComposerElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ChatClient | undefined
  /** Which conversation; each has its own draft. Default `main`. */
  conversation: string
  /** Who answers, for the placeholder. */
  name: string
  value: string
  attachments: readonly Attachment[]
  /** What sends. Default `enter`; with `ctrl-enter` Enter makes a new line. */
  submitKey: 'enter' | 'ctrl-enter'
  /** Types of files that are taken. Default `image/*,text/plain`. */
  accept: string
  /** Bytes of all files of a message. Default 10,000,000. */
  maxBytes: number
  /** Files of a message. Default 8. */
  maxCount: number
  /** An answer goes on. */
  readonly busy: boolean
  /** Texts that are sent when the answer is there. */
  readonly queue: readonly string[]
  /** Sends what is written; while an answer comes, it waits. */
  send(): Promise<void>
  /** Stops the answer that comes. */
  stop(): Promise<void>
  /** Adds files. What cannot be taken is said, and fires `sluice-refused`. */
  attach(files: Iterable<File>): Promise<void>
}

/**
 * `<sluice-chat>`: a conversation with its header, its beginning, the field, and a banner where the host is gone. Fires
 * the events of its parts. Slots: `header`, `tools` (in the header), `welcome`, `before-composer`, `composer-start`,
 * `composer-end`, `actions`, `ways` (as `<sluice-thread>` has them). Parts: `header`, `avatar`, `banner`, `thread`,
 * `composer`, `dock`, `foot`, `welcome`, `suggestion`, `text`, `code`, `table`, `image`, `heading`, `link`, `cue`,
 * `link-question`, `message`, `blocks`, `reasoning`, `reasoning-text`, `refusal`, `fabricated`, `fabricated-text`,
 * `retracted`, `retracted-text`, `commentary`, `commentary-text`, `tool`, `calls`, `sources`, `media`, `save`, `error`,
 * `error-hint`, `waiting`, `retry`, `outcome`, `ending`, `approve-all`, `approve-all-button`, `deny-all`, `missing`,
 * `dialog`, `mine`, `theirs`, `toolbar`, `time`, `day`, `usage`, `note`, `ways`, `scroller`, `entries`, `entry`,
 * `jump`, `thread-trouble`, `field`, `send`, `stop`, `attach`, `chip`, `queue`, `row`, `hint`, `composer-trouble`,
 * `question`, `question-header`, `sentence`, `effects`, `expiry`, `argument`, `actions`, `approve`, `deny`, `edit`,
 * `editor`, `remember`, `covers`, `reason`, `tick`, `strong`, `code-point`, `blank`, `cut`, `script`, `question-tool`,
 * `question-missing`, `list`, `bar`, `refuse`, `allow`.
 */
export interface SluiceChatElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ChatClient | undefined
  /** Which conversation. Default `main`. */
  conversation: string
  name: string
  /** Address of their picture. */
  avatar: string
  /** What a person can begin with. */
  suggestions: readonly Suggestion[]
  /** Which answers tell their time and tokens. Default `last`. */
  usage: UsageMode
  /** Where calls that nobody waits for stand, such as expressions. Default `margin`: a small face beside their line. */
  cues: CuesMode
  /** Who shows questions. Default `dock`: they stand above the field. */
  approvals: ApprovalsMode
  /**
   * `folded`: two calls or more without text between them are one line, which opens into their cards. Default `folded`.
   */
  calls: 'each' | 'folded'
  /** What is read out. Default `end`. */
  announce: AnnounceMode
  /** What sends. Default `enter`. */
  submitKey: 'enter' | 'ctrl-enter'
  /** Draws texts in place of the elements' own typesetting. */
  renderText: RenderText | undefined
  /** Loads a picture of a text when a person asks for it. */
  loadImage: LoadImage | undefined
  voice: ChatSpeaker | undefined
  /** What is written and not sent. */
  value: string
  readonly attachments: readonly Attachment[]
  /** What goes on: also an attribute, for styles. */
  readonly state: 'idle' | 'thinking' | 'speaking' | 'busy' | 'asking' | 'offline'
  /** Puts the focus on the field. */
  focusComposer(): void
  /** Puts the focus on the conversation: a question that comes then may take it. */
  focusThread(): void
  /** Shows the end of the conversation, and follows it. */
  scrollToEnd(): void
}

/**
 * `<sluice-conversations>`: the conversations that a host keeps, to be found, opened, renamed, saved as files and
 * deleted. Fires `sluice-open`, `sluice-rename` and `sluice-delete`. Slots: `new`, `empty`. Parts: `list`, `item`,
 * `title`, `date`, `state`.
 */
export interface SluiceConversationsElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ConversationsClient | undefined
  /** Id of the conversation that is open. A click changes it, and fires `sluice-open`. */
  current: string
  /** What is looked for, in titles and texts. */
  query: string
  /** Opens a conversation that is empty. */
  begin(): void
  /** Reads the list anew. */
  refresh(): Promise<void>
}

/**
 * `<sluice-questions>`: what waits for a decision, in one place: a question, or a checklist of several. Fires
 * `sluice-ask` and `sluice-settled`. Parts: `dock`, `row`, `title`, `list`, `bar`, `refuse`, `allow`, `question`,
 * `question-header`, `sentence`, `tool`, `effects`, `expiry`, `argument`, `actions`, `missing`, `approve`, `deny`,
 * `edit`, `editor`, `remember`, `covers`, `reason`, `tick`, `strong`, `code-point`, `blank`, `cut`, `script`.
 */
export interface SluiceQuestionsElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ChatClient | undefined
  /** Whose questions. Default `main`. */
  conversation: string
  /** Instead of `client`: the message that asks. */
  message: MessageSource | undefined
  /** Who asks: "Lulu wants to …". Default: the assistant. */
  name: string | undefined
  /** Drawn smaller. Default false. */
  compact: boolean
  /** When its buttons become active: see `<sluice-approval>`. Default 600 ms. */
  armMs: number
}

/**
 * `<sluice-configuration>`: shows and changes the configuration. Fires `sluice-configured` with every change that was
 * saved. Needs the right `configure`.
 */
export interface SluiceConfigurationElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ConfigurationClient | undefined
  /** Reads the configuration anew. */
  refresh(): Promise<void>
}

/**
 * `<sluice-server>`: people choose who answers, with key and model, and test it. Fires `sluice-connected`. Needs the
 * right `server`. Parts: `service`, `model`, `test`, `use`, `steps`, `step`.
 */
export interface SluiceServerElement extends HTMLElement {
  /** The client, from `connect()`. */
  client: ServerClient | undefined
  /** Reads anew who answers, and looks for the servers of this machine. */
  refresh(): Promise<void>
}

declare global {
  interface HTMLElementTagNameMap {
    'sluice-server': SluiceServerElement
    'sluice-message': SluiceMessageElement
    'sluice-card': SluiceCardElement
    'sluice-approval': SluiceApprovalElement
    'sluice-questions': SluiceQuestionsElement
    'sluice-configuration': SluiceConfigurationElement
    'sluice-text': SluiceTextElement
    'sluice-thread': SluiceThreadElement
    'sluice-composer': SluiceComposerElement
    'sluice-chat': SluiceChatElement
    'sluice-conversations': SluiceConversationsElement
  }
  interface HTMLElementEventMap {
    'sluice-connected': CustomEvent<ConnectedDetail>
    'sluice-configured': CustomEvent<ConfigurationView>
    'sluice-ask': CustomEvent<QuestionDetail>
    'sluice-settled': CustomEvent<QuestionDetail>
    'sluice-action': CustomEvent<ActionDetail>
    'sluice-link': CustomEvent<LinkDetail>
    'sluice-copy': CustomEvent<CopyDetail>
    'sluice-send': CustomEvent<SendDetail>
    'sluice-stop': CustomEvent<undefined>
    'sluice-open': CustomEvent<ConversationDetail>
    'sluice-rename': CustomEvent<ConversationDetail>
    'sluice-delete': CustomEvent<ConversationDetail>
    'sluice-refused': CustomEvent<RefusedDetail>
  }
}
