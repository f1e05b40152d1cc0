// The AI SDK of Vercel, versions 6 and 7: turns as streams of UI messages, the server's side of `useChat`, and models
// that write calls as text behind `streamText`.
export { chatHandler, type ChatHandlerOptions, type ChatRun } from './chat-handler.js'
export { createSluice, type CreateSluiceOptions, type SluiceProvider } from './create-sluice.js'
export type { ChatRequest } from './chat-request.js'
export type { DurableChatOptions } from './durable-chat.js'
export { fromToolSet, type AISDKTool, type FromToolSetOptions } from './from-tool-set.js'
export type { PageStore } from './keeping.js'
export type { WriterOptions as UIMessageStreamOptions } from './message-writer.js'
export {
  toolCallMiddleware,
  type StreamedModelAnswer,
  type ToolCallMiddleware,
  type ToolCallMiddlewareOptions,
  type WholeModelAnswer,
} from './tool-call-middleware.js'
export type {
  ModelCallOptions,
  ModelContent,
  ModelFinishReason,
  ModelStreamPart,
  ModelToolCall,
  ModelUsage,
  ModelWarning,
  PromptMessage,
  PromptTool,
  ProviderData,
  SluiceLanguageModel,
} from './model-types.js'
export type { MalformedCalls } from './model-answer.js'
export { pageStore, type PageStoreOptions } from './page-store.js'
export type { Encryption, EncryptionFunctions, EncryptionKey } from '../../engine/core/encryption.js'
export { memorySpend, type Spend } from './spend.js'
export type { DurableStart } from '../durable/durable-answers.js'
export { encryptedLog } from '../leg/encrypted-log.js'
export { memoryLog, type LoggedChunks, type MemoryLogOptions, type StreamLog } from '../leg/stream-log.js'
export { toChatMessages } from './to-chat-messages.js'
export { toUIMessageStream } from './to-ui-message-stream.js'
export { toUIMessages } from './to-ui-messages.js'
export type { ApprovalDescriptor, UIMessage, UIMessageChunk, UIMessagePart } from './ai-sdk-types.js'
