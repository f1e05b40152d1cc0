export { createHost } from './host.js'
export type { Connection, Host, HostOptions, Peer, Rights, TurnOptions } from './types.js'
