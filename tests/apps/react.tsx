// A chat in React: useSyncExternalStore over the client of a window.
import { useSyncExternalStore } from 'react'
import type { BlockView, Client } from 'sluice/renderer'

export function Chat({ client }: { client: Client }) {
  const { subscribe, getSnapshot } = client.open()
  const { entries } = useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
  return (
    <main>
      {entries.map((entry) =>
        entry.role === 'user' ? (
          <h2 key={entry.id}>{entry.text}</h2>
        ) : (
          <Message key={entry.id} client={client} id={entry.message} />
        ),
      )}
    </main>
  )
}

function Message({ client, id }: { client: Client; id: string }) {
  const { subscribe, getSnapshot } = client.message(id)
  const { blocks, outcome } = useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
  return (
    <article aria-busy={!outcome}>
      {blocks.map((block, index) => (
        <Block key={index} {...block} />
      ))}
    </article>
  )
}

const Block = (block: BlockView) =>
  block.type === 'text' ? (
    <p>{block.text}</p>
  ) : block.type === 'tool_use' ? (
    <code>
      {block.name}: {block.status}
    </code>
  ) : null
