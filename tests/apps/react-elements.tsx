// The elements in React: `sluice/ui/react` gives them types. React 19 sets their properties and hears their events.
import { StrictMode, useRef, useState } from 'react'
import type { ChatClient, SluiceChatElement } from 'sluice/ui'
import type {} from 'sluice/ui/react'

export function Chat({ client, hear }: { client: ChatClient; hear: (text: string) => void }) {
  const [asked, setAsked] = useState(0)
  const [conversation, setConversation] = useState('main')
  const chat = useRef<SluiceChatElement>(null)
  return (
    <StrictMode>
      <h1>
        {asked} asked in {conversation}
      </h1>
      <button onClick={() => setConversation('other')}>Other</button>
      <button onClick={() => chat.current?.focusComposer()}>Write</button>
      <sluice-chat
        ref={chat}
        client={client}
        conversation={conversation}
        name="Lulu"
        usage="all"
        cues="none"
        style={{ height: '60vh' }}
        className="mine"
        suggestions={[{ title: 'A letter', text: 'Write a letter to ', send: false }]}
        onsluice-send={(event) => {
          hear(event.detail.text)
          setAsked((before) => before + 1)
          if (event.detail.text === 'keep') event.preventDefault()
        }}
      >
        <p slot="before-composer">Be kind.</p>
      </sluice-chat>
      <sluice-message
        view={{
          role: 'assistant',
          rounds: 1,
          outcome: 'completed',
          blocks: [{ type: 'text', round: 1, text: '**Hello**' }],
        }}
      />
    </StrictMode>
  )
}

export const wrong = (
  <>
    {/* @ts-expect-error -- no such way */}
    <sluice-chat usage="some" />
    {/* @ts-expect-error -- it is only read */}
    <sluice-composer busy />
    {/* @ts-expect-error -- a method */}
    <sluice-thread scrollToEnd={() => {}} />
    {/* @ts-expect-error -- no such element */}
    <sluice-nothing />
  </>
)
