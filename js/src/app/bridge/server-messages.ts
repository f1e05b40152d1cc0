// Who answers, where people choose that: what a window sees of it, and what it says.
import type { ServerCheck } from '../../engine/core/server-step.js'
import type { LocalizedText } from '../../engine/core/tool-words.js'

/** Who answers, and whom people can choose instead. */
export interface ServerView {
  /** Who answers now. Absent: nobody was chosen yet, or the app answers by itself. */
  current?: ChosenServer
  /** What people choose from. */
  presets: PresetView[]
  /** The app opens links outside of the page: `openLink` works. */
  opensLinks: boolean
  /** Keys outlast the app, encrypted; false: they end with it. undefined: the app does not say. */
  keysAreKept?: boolean
}

/** A server and its model, as a window sees them. The key stays where it is. */
export interface ChosenServer {
  /** A provider that Sluice knows. */
  provider?: string
  /** Its address, where it is not the provider's first. */
  baseURL?: string
  /** The format of its requests, where it is not the provider's first. */
  wire?: string
  /** What stands behind the address, where it is not the wire's. */
  path?: string
  /** The name of the model. */
  model: string
  /** A key is kept for it. */
  hasKey: boolean
}

/** A service that people choose by its name. */
export interface PresetView {
  /** The provider that `ServerInput` names; absent: any other server, by its address. */
  provider?: string
  /** What people call it. */
  title: LocalizedText
  /** Its addresses, the usual one first. Empty: people write it. */
  places: PlaceView[]
  /** Formats that it speaks, the usual one first. */
  wires: string[]
  /** The environment variables in which people keep its key. Empty: it needs none. */
  keyNames: string[]
  /** How its models are best given tools. */
  mode: 'native' | 'text' | 'auto'
  /** Models to begin with, while the server was not asked for its own. */
  models: string[]
  /** It runs on this machine. */
  local: boolean
}

/** An address of a service. */
export interface PlaceView {
  /** Up to and without the path. */
  baseURL: string
  /** Where it is for, where there are several. */
  title?: LocalizedText
  /** The page on which a key is made. */
  keysAt?: string
  /** The app has a key for this address. */
  hasKey: boolean
}

/** A server, as a person describes it: a provider, an address, or both. */
export interface ServerInput {
  /** One of the package's `providers`. */
  provider?: string
  /** `http` or `https`. Default: the provider's. */
  baseURL?: string
  /**
   * The format of its requests. Default: the provider's first, else `openai-chat`; of the server that is in use, what
   * is used.
   */
  wire?: string
  /** What stands behind the address. Default: the wire's; of the server that is in use, what is used. */
  path?: string
  /** The name of the model. Only a check may be without. */
  model?: string
  /** The key: it goes in and never out. Left out: the one that the host has for this server. Empty: none. */
  apiKey?: string
}

/** A server of this machine that answers. */
export interface LocalServer {
  /** The provider of its preset. */
  provider: string
  /** Its models, by name. */
  models: string[]
}

/** A check that `checkServer` began. */
export interface StartedCheck {
  /** The number of the check, as `checkStep` frames repeat it. */
  check: number
}

/** The methods for a window with the right `server`. */
export interface ServerMethods {
  /** Who answers, and who could. */
  server(): ServerView
  /** Which servers answer on this machine: they are looked for at their usual addresses, for a moment. */
  localServers(): LocalServer[]
  /** The models that a server lists. Rejects with `failed` where it gives no list. */
  serverModels(input: ServerInput): string[]
  /** Begins to try a server, with real requests. The check before it ends. Gives the number for `checkStep`. */
  checkServer(input: ServerInput): StartedCheck
  /** The next step of a check when it is done; null: that was all. `stop`: ends it. */
  checkStep(input: { check: number; stop?: boolean }): ServerCheck | null
  /** Has this server answer from now on; `mode`: and gives it tools this way. null: nobody is chosen any more. */
  useServer(input: { server: ServerInput | null; mode?: 'native' | 'text' | 'auto' }): ServerView
}
