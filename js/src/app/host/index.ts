// The host of an engine without a transport: for Tauri, NW.js, a WebSocket server, or windows of another kind.
export { createHost } from './host.js'
export { UserError } from './user-error.js'
export type { FileForm, FileForModel } from '../conversations/files-for-model.js'
export type {
  AttachmentOptions,
  ConversationDescription,
  HostConnection,
  FinishedTurn,
  Host,
  HostBridge,
  HostOptions,
  Prepare,
  WindowPeer,
  WindowRights,
  RunInput,
  RunningTool,
  ServerChoice,
  TurnOptions,
} from './host-types.js'
export type * from '../bridge/messages.js'
export type * from '../bridge/server-messages.js'
