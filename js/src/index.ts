export { SluiceError, type ErrorCode, type ErrorFields } from './core/errors.js'
export { Engine, type EngineOptions, type Described, type NeedsContext, type Parsed, type Resolved } from './core/engine.js'
export type { Around, DeclaredProtocol, MemberNames, OneOrMore, TagNames } from './core/declared-protocol.js'
export type { EffectiveSettings, Fallback, FallbackReason, Language, ListedProfile, ListedTool, ObservedServer, Profile, Protocol, ServerResults, Settings, ToolList, ToolTokens, TurnSettings, Words } from './core/settings.js'
export { Turn, parts, type CallRef, type End, type FinalDecision, type FoundTool, type Parts, type Replaced, type SentBack, type TurnConfig, type TurnEngine } from './core/turn.js'
export { Run } from './core/run.js'
export type {
  BeforeExecute, ChangedRequest, CheckpointReason, FinalAnswer, OutgoingRequest, RefusedCall, RequestFailure, ResolvedArguments, ResumeOptions, RunHooks, RunOptions, RunOutcome, RunResult, Stopped,
} from './core/run-options.js'
export {
  tool, type ArgumentsOf, type CallInfo, type FromSchema, type OutputOf, type Progress, type ReturnOf, type StandardSchema, type Tool, type ToolContext, type ToolOptions, type ToolResult,
} from './core/tool.js'
export type { IconName, Text, ToolWords } from './core/tool-words.js'
export { memory, file, type RuleStore } from './core/rules.js'
export { version } from './core/native.js'
export type { Approvals, ApproveOptions, Ask, ExecutionDecision, Remember, ResultDecision } from './core/approvals.js'
export type { Model, ServerAddress, ServerOptions } from './core/model.js'
export { models, type AskOptions } from './core/models.js'
export { checkServer, type CheckStep, type Endpoint, type ServerCheck } from './core/server-check.js'
export { providers, type Provider, type ProviderName, type WireName } from './core/providers.js'
export type { HttpRequest, Transport } from './core/transport.js'
export type * from './core/codes.js'
export type * from './core/events.js'
