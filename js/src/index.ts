export { SluiceError, type ErrorCode, type ErrorFields } from './engine/core/errors.js'
export { OutcomeUnknown } from './engine/core/outcome-unknown.js'
export { ToolError } from './engine/core/tool-error.js'
export type { EngineWarning, WarningKind, Warnings } from './engine/core/engine-warnings.js'
export {
  Engine,
  type EngineOptions,
  type EngineDescription,
  type NeedsContext,
  type ParsedText,
  type ParseOptions,
  type ResolvedTool,
  type ResolveOptions,
} from './engine/core/engine.js'
export type { ResultToWrite } from './engine/core/written-results.js'
export type {
  TextPair,
  DeclaredProtocol,
  DeclaredResults,
  MemberNames,
  OneOrMore,
  TagNames,
} from './engine/core/declared-protocol.js'
export type {
  EffectiveSettings,
  Fallback,
  FailedAnswer,
  Language,
  ListedProfile,
  ListedTool,
  NameRules,
  ObservedServer,
  Profile,
  Protocol,
  ResultEntries,
  ServerResults,
  Settings,
  TagRule,
  ToolList,
  ToolTokens,
  TurnSettings,
  ModelWords,
} from './engine/core/settings.js'
export {
  Turn,
  resultParts,
  type CallRef,
  type AnswerEnd,
  type FinalDecision,
  type FoundTool,
  type ResultParts,
  type ReplaceFinal,
  type RetryFinal,
  type TurnConfig,
  type TurnEngine,
} from './engine/core/turn.js'
export { Run } from './engine/core/run.js'
export type {
  BeforeApproval,
  BeforeExecute,
  ChangedRequest,
  CheckpointReason,
  FinalAnswer,
  RequestSource,
  OutgoingRequest,
  DeniedCall,
  RequestFailure,
  ResolvableCall,
  ResolvedArguments,
  ResumeOptions,
  RunHooks,
  RunOptions,
  RunOutcome,
  RunResult,
  StoppedRun,
  ThrownError,
} from './engine/core/run-options.js'
export {
  tool,
  type ArgumentsOf,
  type CallInfo,
  type FromSchema,
  type OutputOf,
  type ToolProgress,
  type ReturnOf,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolResult,
} from './engine/core/tool.js'
export type { ToolFile, ToolFileInfo } from './engine/core/tool-files.js'
export type { IconName, LocalizedText, ToolWords } from './engine/core/tool-words.js'
export { memoryRules, type RuleStore } from './engine/core/rules.js'
export { fileRules } from './engine/core/rules-file.js'
export { version } from './engine/core/native.js'
export { backend, loadEngine, type Backend, type BackendName, type ReadyOptions } from './engine/core/backend.js'
export type { WasmSource } from './engine/core/wasm-source.js'
export type {
  Approvals,
  ApproveOptions,
  ApprovalQuestion,
  ExecutionDecision,
  ApprovalDuration,
  ResultDecision,
} from './engine/core/approvals.js'
export type { Model, ServerAddress, ModelServerOptions } from './engine/core/model.js'
export { listModels, type ServerRequestOptions } from './engine/core/models.js'
export { checkServer, type Endpoint } from './engine/core/server-check.js'
export type { CheckStep, ServerCheck } from './engine/core/server-step.js'
export { serverPresets, type KeyPlace, type ServerPreset } from './engine/core/presets.js'
export { providers, type Provider, type ProviderName, type WireName } from './engine/core/providers.js'
export type { HttpRequest, Transport } from './engine/core/transport.js'
export type * from './engine/core/codes.js'
export type * from './engine/core/events.js'
