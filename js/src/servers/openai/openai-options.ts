import type { DiagnosticCode } from '../../engine/core/codes.js'
import type { DeclaredProtocol } from '../../engine/core/declared-protocol.js'
import { anything, func, members, milliseconds, type Check } from '../../engine/core/options.js'
import type { Settings } from '../../engine/core/settings.js'

/** Settings of the engine that say how calls are written and read. */
export type TextCallSettings = Pick<
  Settings,
  | 'protocol'
  | 'profiles'
  | 'alsoParse'
  | 'startsInReasoning'
  | 'reasoningCalls'
  | 'injectTools'
  | 'resultRole'
  | 'words'
  | 'limits'
>

/** What was noticed about a request or its answer. */
export interface TextToolCallDiagnostic {
  /** The model that the request names. */
  model: string
  /** Which of those in js/docs/codes.md. */
  code: DiagnosticCode
  /** What was found, and what was expected. */
  detail: string
}

/** What `textToolCalls` takes. */
export interface TextToolCallOptions extends TextCallSettings {
  /** How the model writes calls: js/docs/protocols.md. Default `'auto'`: by the model's name. */
  protocol?: Settings['protocol']
  /** Ways to write calls as text that are this app's own: `protocol` may name them. Default none. */
  protocols?: readonly DeclaredProtocol[]
  /** Does the requests. Default: the global one. */
  fetch?: typeof fetch
  /**
   * Milliseconds until an answer begins; 0: no limit. A client waits for the headers by its own clock, the handler by
   * this one. Default 300,000.
   */
  firstByteTimeoutMs?: number
  /** Milliseconds of silence within an answer; 0: no limit. Default 90,000. */
  idleTimeoutMs?: number
  /**
   * Is told what was noticed about an answer: a call that broke off, a model whose format is not known. Default none.
   */
  onDiagnostic?: (diagnostic: TextToolCallDiagnostic) => void
}

/** How long an answer may be silent. */
export type AnswerTimes = Required<Pick<TextToolCallOptions, 'firstByteTimeoutMs' | 'idleTimeoutMs'>>

const setting: Check = anything // the engine says what is wrong with it

export const settingChecks = {
  protocol: setting,
  profiles: setting,
  alsoParse: setting,
  startsInReasoning: setting,
  reasoningCalls: setting,
  injectTools: setting,
  resultRole: setting,
  words: setting,
  limits: setting,
  protocols: setting,
  fetch: func('(input, init) => Promise<Response>'),
  firstByteTimeoutMs: milliseconds,
  idleTimeoutMs: milliseconds,
  onDiagnostic: func('(diagnostic) => void'),
} satisfies { [member in keyof Required<TextToolCallOptions>]: Check }

export const checkTextToolCalls = members({ members: settingChecks })
