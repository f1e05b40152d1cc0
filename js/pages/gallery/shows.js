// How the state of a scene is shown: by which element, and with what.
const name = { en: 'Lulu', zh: '露露' }

const make =
  (tag) =>
  ({ scene, client, conversation, read, h }) =>
    h(tag, { client, conversation, name: read(name), ...read(scene.properties ?? {}) })

/** An element of one call, which follows the message that it stands in. */
const ofCall = (draw) => (scenery) => {
  const { scene } = scenery
  const element = draw(scenery)
  scenery.follow = (live) => {
    const look = () => {
      const { blocks, questions: asks, outcome } = live.getSnapshot()
      const card = blocks.find((block) => block?.type === 'tool_use' && (!scene.of || block.name === scene.of))
      if (!card) return
      Object.assign(element, {
        message: live,
        card,
        ask: asks.find(({ call }) => call === card.call),
        still: outcome !== undefined,
      })
    }
    live.subscribe(look)
    look()
  }
  return element
}

export const shows = {
  card: ofCall(({ scene, h, read }) =>
    h('sluice-card', { open: scene.open === true, name: read(name), approvals: scene.approvals ?? 'inline' }),
  ),
  approval: ofCall(({ h, read }) => h('sluice-approval', { name: read(name) })),
  message(scenery) {
    const { scene, h, read } = scenery
    const element = h('sluice-message', { name: read(name), ...read(scene.properties ?? {}) })
    scenery.follow = (live) => (element.message = live)
    return element
  },
  questions: make('sluice-questions'),
  chat: make('sluice-chat'),
  thread: make('sluice-thread'),
  composer: make('sluice-composer'),
  conversations: make('sluice-conversations'),
  configuration: ({ client, h }) => h('sluice-configuration', { client }),
  server: ({ client, h }) => h('sluice-server', { client }),
  text: ({ scene, read, h }) => h('sluice-text', { text: read(scene.text), ...scene.properties }),
}
