// Codes that events and cards carry. js/docs/codes.md says what each means and what to do about it; a test holds the
// two and the engine against each other. All are open: a later version may add some.

/** Why a call was not read as it stands, or is none: of diagnostics, and the `reason` of cards that are `invalid`. */
export type CallCode =
  | 'unterminated_block'
  | 'unterminated_argument'
  | 'opener_in_value'
  | 'residue_in_block'
  | 'nested_opener'
  | 'missing_tool_name'
  | 'malformed_argument'
  | 'double_encoded'
  | 'duplicate_argument'
  | 'invalid_json'
  | 'arguments_not_object'
  | 'truncated'
  | 'placeholder_arguments'
  | 'forged_result'
  | 'quoted'
  | 'oversize'
  | 'unknown_parameter'
  | 'schema'
  | 'stream_broken'

/** `code` of a `diagnostic` event. */
export type DiagnosticCode =
  | CallCode
  | 'late_arguments'
  | 'orphaned_arguments'
  | 'repeated_arguments'
  | 'repeated_text'
  | 'late_result'
  | 'unknown_rule'
  | 'unknown_toggle'
  | 'in_code'
  | 'in_reasoning'
  | 'text_call_in_native_mode'
  | 'unsealed'
  | 'other_format'
  | 'tokens_missing'
  | 'dangling_opener'
  | 'broken_event'
  | 'unknown_call'
  | 'unknown_part'
  | 'unknown_tag'
  | 'broken_tag'
  | 'unsent_part'
  | 'tool_left_out'
  | 'schema_changed'
  | 'too_many_tools'
  | 'reasoning_required'
  | 'cache_refused'
  | 'context_edited'
  | 'reasoning_refused'
  | 'not_remembered'
  | 'provider_error'
  | 'fallback_to_text'
  | 'usage_refused'
  | 'schema_refused'
  | 'signature_dropped'
  | 'ipc_withdrawn'
  | 'unknown_model'
  | 'unfinished'
  | 'empty_answer'
  | 'no_answer'
  | 'no_callable_tool'
  | (string & {})

/** `code` of an `error` event and of an error block. */
export type ErrorEventCode =
  | 'http'
  | 'network'
  | 'provider'
  | 'tools_unsupported'
  | 'pictures_unsupported'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'oversize'
  | 'max_rounds'
  | 'max_requests'
  | 'unfinished'
  | 'empty_answer'
  | 'hook'
  | 'internal'
  | (string & {})

/** `reason` of a card. */
export type CallReason =
  | CallCode
  | 'not_found'
  | 'not_callable'
  | 'unsendable'
  | 'disabled'
  | 'user'
  | 'policy'
  | 'expired'
  | 'timeout'
  | 'tool'
  | 'cancelled'
  | 'repeat_limit'
  | 'max_calls'
  | 'max_rounds'
  | 'max_requests'
  | 'no_result'
  | 'turn_ended'
  | 'caller_ended'
  | (string & {})

/**
 * Why `autoFallback` may go on in mode text: the provider refuses tools, misses a signature that only Gemini gives
 * (`signature`), cannot render its chat template (a status from 500, with `jinja` or `template` in its words),
 * or refuses the schema of a tool that it does not name.
 */
export type FallbackReason = 'tools_unsupported' | 'signature' | 'template' | 'schema'
