export { createHost } from './host.js'
export type { Connection, Host, HostOptions, Peer, Rights, RunningTool, TurnOptions } from './types.js'
