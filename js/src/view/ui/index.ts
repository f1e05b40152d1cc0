// Custom elements for messages, cards, questions and the configuration. Importing this defines them.
import { SluiceApproval as Approval } from './approval/approval-element.js'
import { SluiceCard as Card } from './card/card-element.js'
import { SluiceChat as Chat } from './chat/chat-element.js'
import { SluiceComposer as Composer } from './chat/composer.js'
import { SluiceConversations as Conversations } from './chat/conversations-element.js'
import { SluiceThread as Thread } from './chat/thread.js'
import { SluiceConfiguration as Configuration } from './configuration/late-configuration.js'
import type {
  SluiceApprovalElement,
  SluiceCardElement,
  SluiceChatElement,
  SluiceComposerElement,
  SluiceConfigurationElement,
  SluiceConversationsElement,
  SluiceMessageElement,
  SluiceQuestionsElement,
  SluiceServerElement,
  SluiceTextElement,
  SluiceThreadElement,
} from './elements.js'
import { SluiceMessage as Message } from './message/message-element.js'
import { SluiceQuestions as Questions } from './questions/questions-element.js'
import { SluiceServer as Server } from './server/late-server-panel.js'
import { SluiceText as Text } from './text/text-element.js'

/** The class of `<sluice-message>`: a message. */
export const SluiceMessage: new () => SluiceMessageElement = Message
/** The class of `<sluice-card>`: one call. */
export const SluiceCard: new () => SluiceCardElement = Card
/** The class of `<sluice-approval>`: a question. */
export const SluiceApproval: new () => SluiceApprovalElement = Approval
/** The class of `<sluice-questions>`: what waits for a decision. */
export const SluiceQuestions: new () => SluiceQuestionsElement = Questions
/** The class of `<sluice-configuration>`: the configuration page. */
export const SluiceConfiguration: new () => SluiceConfigurationElement = Configuration
/** The class of `<sluice-server>`: who answers. */
export const SluiceServer: new () => SluiceServerElement = Server
/** The class of `<sluice-chat>`: a conversation with everything around it. */
export const SluiceChat: new () => SluiceChatElement = Chat
/** The class of `<sluice-composer>`: a person writes. */
export const SluiceComposer: new () => SluiceComposerElement = Composer
/** The class of `<sluice-text>`: a text. */
export const SluiceText: new () => SluiceTextElement = Text
/** The class of `<sluice-conversations>`: the conversations that a host keeps. */
export const SluiceConversations: new () => SluiceConversationsElement = Conversations
/** The class of `<sluice-thread>`: a conversation. */
export const SluiceThread: new () => SluiceThreadElement = Thread

export { splitInvisible } from '../../app/bridge/invisible.js'
export { argumentForm, FormProblem, type ArgumentForm, type ArgumentFormWords } from './approval/form.js'
export { languageOf } from './shared/locale.js'
export { registerCards, type CardContext, type CardRenderer } from './card/card-renderers.js'
export type * from './chat/chat-types.js'
export type * from './elements.js'
export type { CopyDetail, LinkDetail, OpenLink, RenderTextContext } from './text/text-types.js'
export type { ConfigurationClient } from './configuration/store.js'
export type { ConnectedDetail, ServerClient } from './server/server-panel-types.js'
export type {
  ApprovalsMode,
  ApproveOptions,
  QuestionDetail,
  CuesMode,
  MessageSource,
  ShownMessage,
  SluiceAskEvent,
} from './ui-types.js'
