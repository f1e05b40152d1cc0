// What a check of a server tells: plain data, for windows too.
import type { LocalizedText } from './tool-words.js'

/** What is tried, in this order. */
export type CheckStep = 'reach' | 'key' | 'model' | 'stream' | 'tools' | 'pictures'

/** What came out of a step. */
export interface ServerCheck {
  /**
   * What was tried: the server answers, takes the key, has the model, streams; the model calls tools, sees pictures.
   */
  step: CheckStep
  ok: boolean
  /** Milliseconds that it took; of `stream`, until the first word. */
  ms: number
  /**
   * One sentence for people. It holds no key; the server's words in it are as they came, and are to be shown as a
   * stranger's.
   */
  says: LocalizedText
  /** One thing to do where it does not work. */
  hint?: LocalizedText
}
