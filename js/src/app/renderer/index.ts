// The window's side: messages that live in the main process (or behind a local server), kept up to date here. No
// dependencies; `subscribe` and `getSnapshot` are what React's useSyncExternalStore wants, and little else is needed
// without React.
import type { Bridge } from '../bridge/messages.js'
import { Client } from './window-client.js'
import { ClientError } from './client-errors.js'

declare global {
  interface Window {
    /** The bridge that `sluice/preload` puts there. */
    readonly sluice?: Bridge
  }
}

const clients = new WeakMap<Bridge, Client>()

/**
 * The client of a bridge; by default of `window.sluice`, which the preload makes. Until it is closed there is one for
 * each bridge: two would take each other's messages for their own.
 */
export function connect(bridge: Bridge | undefined = (globalThis as { sluice?: Bridge }).sluice): Client {
  if (
    typeof bridge?.call !== 'function' ||
    typeof bridge.onFrame !== 'function' ||
    typeof bridge.onPet !== 'function'
  ) {
    const found = bridge === undefined ? 'there is no window.sluice' : 'this is not a bridge'
    const hint = 'give sluice/preload to the window as webPreferences.preload, or a bridge to connect()'
    throw new ClientError({ code: 'bridge', detail: `${found}: expected call, onFrame and onPet`, hint })
  }
  let client = clients.get(bridge)
  if (!client) clients.set(bridge, (client = new Client(bridge, () => clients.delete(bridge))))
  return client
}

export { ClientError }
export type { ApproveOptions } from '../../engine/core/approvals.js'
export type { Client, ConversationList, SendOptions, ServerSide } from './window-client.js'
export type { Drafts } from './kept-drafts.js'
export type { LiveConnection } from './live-connection.js'
export type { LiveConversation } from './live-conversation.js'
export type { LiveMessage } from './live-message.js'
export type { LiveVoice } from './live-voice.js'
export { postJson, webBridge, type WebBridge, type WebBridgeOptions } from './web-bridge.js'
export type { WindowTool, WindowToolContext } from './window-tools.js'
export type * from '../bridge/messages.js'
export type * from '../bridge/server-messages.js'
