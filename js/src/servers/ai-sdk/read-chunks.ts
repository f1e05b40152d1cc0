// Chunks → the message that the AI SDK's reader makes of them: for messages that are given to a page whole.
import type { UIMessage, UIMessageChunk } from './ai-sdk-types.js'

type Part = UIMessage['parts'][number] & { [member: string]: unknown }

/** What is to be kept of a part's chunk, beside its type. */
const without = ({ type: _, ...rest }: UIMessageChunk): { [member: string]: unknown } => rest

/** Chunks in the order that a page would take them; data that no message keeps is left out. */
export function messageFrom(id: string, chunks: readonly UIMessageChunk[]): UIMessage {
  const parts: Part[] = []
  const calls = new Map<string, Part>()
  let metadata: { [member: string]: unknown } | undefined
  let open: Part | undefined
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start-step':
        parts.push({ type: 'step-start' })
        break
      case 'text-start':
      case 'reasoning-start':
        open = {
          type: chunk.type === 'text-start' ? 'text' : 'reasoning',
          text: '',
          ...(chunk.providerMetadata ? { providerMetadata: chunk.providerMetadata } : {}),
          state: 'streaming',
        }
        parts.push(open)
        break
      case 'text-delta':
      case 'reasoning-delta':
        if (open)
          Object.assign(open, {
            text: String(open['text']) + chunk.delta,
            ...(chunk.providerMetadata ? { providerMetadata: chunk.providerMetadata } : {}),
          })
        break
      case 'text-end':
      case 'reasoning-end':
        if (open) open['state'] = 'done'
        break
      case 'tool-input-start':
      case 'tool-input-available':
      case 'tool-input-error': {
        const { toolCallId, toolName, dynamic, input, ...more } = without(chunk) as {
          toolCallId: string
          toolName: string
          dynamic?: boolean
          input?: unknown
        }
        const part =
          calls.get(toolCallId) ??
          ({
            type: dynamic ? 'dynamic-tool' : `tool-${toolName}`,
            ...(dynamic ? { toolName } : {}),
            toolCallId,
          } as Part)
        if (!calls.has(toolCallId)) parts.push(part)
        calls.set(toolCallId, part)
        const state = {
          'tool-input-start': 'input-streaming',
          'tool-input-available': 'input-available',
          'tool-input-error': 'output-error',
        }[chunk.type]
        Object.assign(part, more, { state }, chunk.type === 'tool-input-start' ? {} : { input })
        break
      }
      case 'tool-input-delta': {
        const part = calls.get(chunk.toolCallId)
        if (part) part['input'] = JSON.parse(chunk.inputTextDelta) // whole: nothing is retold in pieces
        break
      }
      case 'tool-approval-request': {
        const { toolCallId, approvalId, approvalDescriptor } = chunk
        Object.assign(calls.get(toolCallId) ?? {}, {
          state: 'approval-requested',
          approval: { id: approvalId, descriptor: approvalDescriptor },
        })
        break
      }
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied': {
        const { toolCallId, ...more } = without(chunk) as { toolCallId: string }
        Object.assign(calls.get(toolCallId) ?? {}, more, { state: chunk.type.slice('tool-'.length) })
        break
      }
      case 'source-url':
      case 'source-document':
      case 'file':
        parts.push({ ...chunk })
        break
      case 'message-metadata':
      case 'finish':
        if (chunk.messageMetadata !== undefined) metadata = { ...metadata, ...(chunk.messageMetadata as object) }
        break
      default:
        if (chunk.type.startsWith('data-') && !('transient' in chunk && chunk.transient))
          parts.push({ ...chunk } as Part)
    }
  }
  return { id, role: 'assistant', ...(metadata ? { metadata } : {}), parts }
}
