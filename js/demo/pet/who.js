// Who answers, as far as the page shows it. Another window may choose: it is asked again when this one is looked at.

/** `watch(listener)`: called whenever it may be another one. `model`: its name; undefined: the script. */
export async function whoAnswers(client) {
  const listeners = new Set()
  const who = {
    model: undefined,
    watch: (listener) => void listeners.add(listener),
    async changed() {
      const { current } = await client.server.view()
      who.model = current?.model
      for (const listener of listeners) listener()
    },
  }
  await who.changed()
  addEventListener('focus', () => who.changed().catch(() => {})) // the chat tells where the host is gone
  return who
}
