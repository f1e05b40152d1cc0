import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { decide } from 'sluice/ai-sdk/client'

const { id, messages: first } = JSON.parse(document.getElementById('first').textContent)
const faces = { smile: '🙂', worried: '😟', surprised: '😮' }
const transport = new DefaultChatTransport({ api: '/api/chat' })
const sendAutomaticallyWhen = (state) => lastAssistantMessageIsCompleteWithApprovalResponses(state) || lastAssistantMessageIsCompleteWithToolCalls(state)

function Notes() {
  const [face, setFace] = useState(faces.smile)
  const chat = useChat({
    id, messages: first, resume: true, transport, sendAutomaticallyWhen,
    onData: ({ type, data }) => { if (type === 'data-sluice-ipc') setFace(faces[data.payload[0]] ?? face) },
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      if (toolName === 'page.zone') void chat.addToolOutput({ tool: toolName, toolCallId, output: Intl.DateTimeFormat().resolvedOptions().timeZone })
    },
  })
  const busy = chat.status === 'submitted' || chat.status === 'streaming'
  return (
    <main>
      <h1><output aria-label="Face">{face}</output> Notes</h1>
      {chat.messages.map((message) => (
        <article key={message.id} className={message.role}>
          {message.parts.map((part, at) => <Part key={at} part={part} decide={(decision) => decide(chat, part.approval.id, decision)} />)}
        </article>
      ))}
      {chat.error && <p role="alert">{chat.error.message} <button onClick={() => chat.regenerate()}>Try again</button></p>}
      <Field send={(text) => chat.sendMessage({ text })} />
      <p><output aria-label="Status">{chat.status}</output> {busy && <button onClick={() => fetch(`/api/chat/${id}/stop`, { method: 'POST' })}>Stop</button>}</p>
    </main>
  )
}

function Field({ send }) {
  const [text, setText] = useState('')
  const submit = (event) => {
    event.preventDefault()
    if (text.trim() !== '') send(text)
    setText('')
  }
  return <form onSubmit={submit}><input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} /> <button>Send</button></form>
}

function Part({ part, decide }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'data-sluice-error') return <p role="alert">{part.data.detail}</p>
  if (!part.type.startsWith('tool-') || part.providerExecuted) return null
  return (
    <section className="call" aria-label={part.type.slice('tool-'.length)}>
      <strong>{part.type.slice('tool-'.length)}</strong> <small>{part.state}</small>
      <pre>{JSON.stringify(part.input)}</pre>
      {part.state === 'approval-requested' && <Question key={part.approval.id} part={part} decide={decide} />}
      {part.state === 'output-available' && <pre>{typeof part.output === 'string' ? part.output : JSON.stringify(part.output)}</pre>}
      {part.state === 'output-error' && <pre>{part.errorText}</pre>}
    </section>
  )
}

/** May it run, with these arguments? Or: may the model read what came out? */
function Question({ part, decide }) {
  const { stage, preview } = part.approval.descriptor.sluice
  const [edited, setEdited] = useState(JSON.stringify(part.input))
  const [fault, setFault] = useState('')
  const approve = () => {
    try {
      void decide({ approved: true, ...(stage === 'execution' && edited !== JSON.stringify(part.input) ? { arguments: JSON.parse(edited) } : {}) })
    } catch (error) {
      setFault(error.message)
    }
  }
  return (
    <div>
      {stage === 'result' ? <blockquote>{preview.text}</blockquote> : <textarea aria-label="Arguments" value={edited} onChange={({ target }) => setEdited(target.value)} />}
      {fault && <p role="alert">{fault}</p>}
      <button onClick={approve}>{stage === 'result' ? 'Show it' : 'Run'}</button> <button onClick={() => void decide({ approved: false, reason: 'The user said no.' })}>No</button>
    </div>
  )
}

createRoot(document.getElementById('root')).render(<Notes />)
