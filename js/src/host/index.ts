// The host of an engine without a transport: for Tauri, NW.js, a WebSocket server, or windows of another kind.
export { methods } from '../bridge/messages.js'
export { createHost } from './host.js'
export type { Connection, FinishedTurn, Host, HostOptions, Peer, Rights, RunningTool, TurnOptions } from './types.js'
export type {
  AskView, BlockView, BranchView, Bridge, BridgeError, CardView, ConfigurationPatch, ConfigurationView, ConnectionState, ConversationItem,
  ConversationView, Decision, Delta, EntryView, FoundEntry, Frame, MessageView, Method, Methods, PetCapabilities, PetOrder, Picture, Reply, RuleView,
  SendInput, ToolView,
} from '../bridge/messages.js'
