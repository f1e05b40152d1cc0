// The host of an engine without a transport: for Tauri, NW.js, a WebSocket server, or windows of another kind.
export { methods } from '../bridge/messages.js'
export { createHost } from './host.js'
export type { Connection, FinishedTurn, Host, HostBridge, HostOptions, Peer, Rights, RunningTool, ServerChoice, TurnOptions } from './host-types.js'
export type * from '../bridge/messages.js'
export type * from '../bridge/server-messages.js'
