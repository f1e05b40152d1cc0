// The host of an engine without a transport: for Tauri, NW.js, a WebSocket server, or windows of another kind.
export { methods } from '../bridge/messages.js'
export { createHost } from './host.js'
export type { Connection, Host, HostOptions, Peer, Rights, RunningTool, TurnOptions } from './types.js'
export type {
  AskView, BlockView, Bridge, BridgeError, CardView, ConfigurationPatch, ConfigurationView, ConnectionState, ConversationView, Decision, Delta,
  EntryView, Frame, MessageView, Method, Methods, PetCapabilities, PetOrder, Reply, RuleView, SendInput, ToolView,
} from '../bridge/messages.js'
