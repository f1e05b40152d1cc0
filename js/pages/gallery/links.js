// Ways to the host that are not as they should be: what a host does not do on demand. Behind each is the same host, or
// none.
import { connect } from '/sluice/renderer/index.js'

const refused = (code, detail) => Promise.resolve({ ok: false, error: { code, detail } })

/** What the host says of a conversation, with something more. */
const saying = (more) => (bridge) => ({
  call: async (method, input) => {
    const reply = await bridge.call(method, input)
    return method === 'open' && reply.ok ? { ...reply, value: { ...reply.value, ...more } } : reply
  },
  onFrame: (listener) =>
    bridge.onFrame((frame) =>
      listener(
        frame.conversations
          ? { ...frame, conversations: frame.conversations.map((one) => ({ ...one, ...more })) }
          : frame,
      ),
    ),
})

const instead = {
  loading: (bridge) => ({
    call: (method, input) => (method === 'open' ? new Promise(() => {}) : bridge.call(method, input)),
  }),
  refusing: (bridge) => ({
    call: (method, input) =>
      method === 'send' ? refused('limit', 'too many messages at a time') : bridge.call(method, input),
  }),
  forbidden: (bridge) => ({
    call: (method, input) =>
      ['configuration', 'server'].includes(method)
        ? refused('right', 'this window may not configure')
        : bridge.call(method, input),
  }),
  // Which servers a machine has is another on each.
  alone: (bridge) => ({
    call: (method, input) =>
      method === 'localServers' ? Promise.resolve({ ok: true, value: [] }) : bridge.call(method, input),
  }),
  local: (bridge) => ({
    call: (method, input) =>
      method === 'localServers'
        ? Promise.resolve({ ok: true, value: [{ provider: 'ollama', models: ['qwen3:8b', 'gemma3:4b'] }] })
        : bridge.call(method, input),
  }),
  forgotten: saying({ forgotten: 12 }),
  unsaved: saying({ unsaved: 'ENOSPC: no space left on device' }),
}

/**
 * A client over such a way, beside another on the same bridge: browsers keep few connections. `lost`: breaks it, where
 * that is the way.
 */
export function linked(client, bridge, link) {
  if (!link) return { client }
  if (instead[link]) return { client: connect({ ...bridge, ...instead[link](bridge) }) }
  let tell
  const other = connect({
    ...bridge,
    onConnection: (listener) => {
      tell = listener
      return () => {}
    },
  })
  return { client: other, lost: () => tell(link, Date.now() + 60_000) }
}
