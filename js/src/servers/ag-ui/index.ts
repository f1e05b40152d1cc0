// AG-UI, 1.0 and the versions before it: turns as its streams of events, and the server behind `HttpAgent` and
// CopilotKit.
export { agUIHandler, type AGUIHandlerOptions } from './ag-ui-handler.js'
export type { AGUIRequest, AGUIRunRequest } from './ag-ui-request.js'
export type { DurableAGUIOptions } from './durable-threads.js'
export type { EventOptions as AGUIEventOptions, WrittenRun as AGUIRun } from './event-writer.js'
export { toAGUIEvents } from './to-ag-ui-events.js'
export type {
  AGUIEvent,
  AGUIContentPart,
  AGUIInterrupt,
  AGUIInterruptDetails,
  RunAgentInput,
  RunFinishedOutcome,
  AGUITokenUsage,
} from './ag-ui-types.js'
export type { DurableStart } from '../durable/durable-answers.js'
export type { ChatRun } from '../leg/legs.js'
