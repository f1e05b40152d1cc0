export { SluiceError, type ErrorCode, type ErrorFields } from './core/errors.js'
export { Engine, type EngineOptions, type Described, type NeedsContext, type Parsed, type Resolved } from './core/engine.js'
export type { EffectiveSettings, ListedProfile, ListedTool, Profile, Protocol, Settings, ToolList, ToolTokens, TurnSettings } from './core/settings.js'
export { Turn, parts, type CallRef, type End, type Parts, type TurnConfig, type TurnEngine } from './core/turn.js'
export { Run } from './core/run.js'
export type {
  ChangedRequest, CheckpointReason, OutgoingRequest, RequestFailure, ResumeOptions, RunHooks, RunOptions, RunOutcome, RunResult, Stopped,
} from './core/run-options.js'
export {
  tool, type ArgumentsOf, type CallInfo, type FromSchema, type OutputOf, type Progress, type ReturnOf, type StandardSchema, type Tool, type ToolContext, type ToolOptions, type ToolResult,
} from './core/tool.js'
export { memory, file, type RuleStore } from './core/rules.js'
export { version } from './core/native.js'
export type { Approvals, ApproveOptions, Ask, ExecutionDecision, Remember, ResultDecision } from './core/approvals.js'
export type { HttpRequest, Model, Transport } from './core/transport.js'
export type * from './core/codes.js'
export type * from './core/events.js'
