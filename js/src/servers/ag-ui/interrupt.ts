import type { ApprovalEvent, Json, JsonObject } from '../../engine/core/events.js'
import { isObject } from '../../engine/core/options.js'
import type { AGUIInterrupt } from './ag-ui-types.js'

/** A question as an interrupt. `parameters`: of the tool, for a form in which its arguments are edited. */
export function interruptOf(
  event: ApprovalEvent,
  { parameters, ...own }: Pick<AGUIInterrupt, 'id' | 'reason' | 'toolCallId'> & { parameters: unknown },
): AGUIInterrupt {
  const {
    stage,
    name,
    title = name,
    description,
    arguments: args,
    level,
    policy,
    digest,
    preview,
    expiresAt,
    protocolFields,
    written,
  } = event
  const question = stage === 'execution' ? `May ${title} run?` : `May the model read what ${title} gave?`
  return {
    ...own,
    message: description === '' ? question : `${question} ${description}`,
    responseSchema: stage === 'execution' ? ofExecution(parameters) : ofResult,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    metadata: {
      sluice: {
        stage,
        name,
        arguments: args,
        ...(written ? { written } : {}),
        ...(protocolFields ? { protocolFields } : {}),
        level,
        policy,
        digest,
        ...(preview ? { preview: preview as unknown as Json } : {}),
      },
    },
  }
}

const reason: JsonObject = { type: 'string', description: 'Why not: the model reads it.' }
const schemaOf = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { approved: { type: 'boolean' }, reason, ...properties },
  required: ['approved'],
})

const ofResult = schemaOf({})
const ofExecution = (parameters: unknown): JsonObject =>
  schemaOf({
    editedArgs: isObject(parameters) ? (parameters as JsonObject) : { type: 'object' },
    remember: { enum: ['once', 'turn', 'session', 'always'] },
    exact: { type: 'boolean' },
  })
