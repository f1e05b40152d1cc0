export { startServer, type RecordedRequest, type ScriptedServer, type ServerOptions } from './server.js'
export type { Answer, AnswerPart, ScriptedCall, Usage } from '../wire/answer.js'
export { checkMessages } from './check-messages.js'
