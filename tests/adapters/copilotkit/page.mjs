// The page: CopilotKit's own chat, a question of it, and a tool that the page runs. React.createElement, so that
// nothing but esbuild is needed.
import { CopilotChat, CopilotKitProvider, useFrontendTool, useInterrupt } from '@copilotkit/react-core/v2'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import '@copilotkit/react-core/v2/styles.css'

function Question({ interrupts, interrupt, resolve, cancel }) {
  return h(
    'div',
    { id: 'question' },
    (interrupts ?? [interrupt]).map(({ id, message, metadata: { sluice } }) =>
      h(
        'p',
        { key: id, 'data-call': sluice.arguments.text ?? '' },
        h('span', {}, `${message} ${JSON.stringify(sluice.arguments)}`),
        h('button', { onClick: () => resolve({ approved: true }, id) }, 'yes'),
        h('button', { onClick: () => resolve({ approved: true, editedArgs: { text: 'edited' } }, id) }, 'edit'),
        h('button', { onClick: () => cancel(id) }, 'no'),
      ),
    ),
  )
}

function App() {
  useInterrupt({ render: (given) => h(Question, given) })
  useFrontendTool({
    name: 'set_title',
    description: 'Sets the title of the page.',
    parameters: z.object({ title: z.string() }),
    handler: async ({ title }) => {
      document.title = title
      return 'the title is set'
    },
  })
  return h(CopilotChat, {})
}

createRoot(document.getElementById('app')).render(
  h(CopilotKitProvider, { runtimeUrl: '/api/copilotkit', showDevConsole: false }, h(App)),
)
