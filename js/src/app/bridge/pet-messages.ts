// What a pet and its host say to each other: plain data. No Node, no DOM.
import type { Json } from '../../engine/core/events.js'

/** A fire-and-forget call of a tool with `ipc`, for the window of the pet. It answers with `petReply`. */
export interface PetOrder {
  /** The number that the answer to it repeats. */
  id: number
  /** As the tool's `ipc` names it. */
  channel: string
  /** Filled in from the call's arguments. */
  payload: Json[]
  /** Id of the message that the call stands in. */
  message: string
  /** The number of the call in it. */
  call: number
  /** It waits for its words, where this window speaks the message. `petHold` says so. */
  spoken?: true
}

/**
 * The expressions and motions of the model that the pet window has loaded. Ranges of parameters are kept, not used yet.
 */
export interface PetCapabilities {
  /** Name of the model. */
  model?: string
  expressions: string[]
  /** Motions by group: how many. */
  motions: { [group: string]: number }
  /** The model's own, with their ranges. */
  parameters?: PetParameter[]
}

/** A parameter of a Live2D model, such as `ParamMouthOpenY`. */
export interface PetParameter {
  /** The model's name for it. */
  id: string
  /** The smallest value that the model takes. */
  min: number
  /** The largest value that the model takes. */
  max: number
  /** Its value at rest. */
  default?: number
}

/** How far a person heard an answer. */
export interface HeardInput {
  /** Id of the message. */
  message: string
  /** The text block that it was heard to. */
  block: number
  /** How much of its text, in UTF-16 units; beyond its end the text blocks behind it count. */
  to: number
}

/** What a voice does. `off`: nobody speaks, or it is to be quiet. */
export type VoiceState = 'off' | 'idle' | 'speaking'

/** What the voice of a pet's window does. */
export interface PetVoice {
  state: VoiceState
  /** How often it began to speak: who ends it ends this time, and no later one. */
  turn: number
}

/** A file that a person dropped on the pet. */
export interface DroppedFile {
  /** Its name. Up to 255 characters. */
  name: string
  /** What the system takes it for; may be empty. Whoever takes it looks at its bytes. */
  mediaType: string
  /** The bytes in base64: 10 MB of all files of a drop together. */
  data: string
}

/** The pet wants to speak first. */
export interface ProactiveInput {
  /** In which conversation. Default `main`. */
  conversation?: string
  /** What the model is told: what it may speak of. Up to 2,000 characters. Without it nothing is said. */
  prompt?: string
  /** A person wants no more of it today. */
  notToday?: boolean
}

/** What became of that. */
export interface ProactiveReply {
  /** The message that began. */
  message?: string
  /** How often it may still speak first today. */
  left: number
}
