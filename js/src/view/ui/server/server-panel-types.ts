// What <sluice-server> needs of a client, and what it tells.
import type { ChosenServer, LocalServer, ServerInput, ServerView } from '../../../app/bridge/server-messages.js'
import type { ServerCheck } from '../../../engine/core/server-step.js'

/** The part of a client that `<sluice-server>` needs. */
export interface ServerClient {
  /** Absent: the app lets nobody choose. */
  server?: {
    /** Who answers now, and who could. */
    view(): Promise<ServerView>
    /** Which servers answer on this machine. */
    local(): Promise<LocalServer[]>
    /** The models that a server lists. */
    models(server: ServerInput): Promise<string[]>
    /** Tries a server: each step as it is done. */
    check(server: ServerInput, options?: { signal?: AbortSignal }): AsyncIterable<ServerCheck>
    /** Has a server answer from now on. */
    use(server: ServerInput | null, mode?: 'native' | 'text' | 'auto'): Promise<ServerView>
  }
  /** Opens the page on which keys are made, where the app opens links. */
  openLink?(url: string): Promise<void>
}

/** `detail` of `sluice-connected`. */
export interface ConnectedDetail {
  /** Who answers from now on. */
  server: ChosenServer
}
