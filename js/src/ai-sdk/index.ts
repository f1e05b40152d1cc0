// The AI SDK of Vercel, versions 6 and 7: turns as streams of UI messages, and the server's side of `useChat`.
export { chatHandler, type ChatHandlerOptions, type ChatRequest, type ChatRun } from './chat-handler.js'
export type { WriterOptions as UIMessageStreamOptions } from './message-writer.js'
export { toUIMessageStream } from './to-ui-message-stream.js'
export type { ApprovalDescriptor, UIMessageChunk } from './types.js'
