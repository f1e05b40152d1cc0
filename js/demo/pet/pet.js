// The demo pet: one page in a browser, or two windows in Electron (`?view=pet`, `?view=chat`), over the same bridge.
import { connect } from '/sluice/renderer/index.js'
import { post, webBridge } from '/sluice/renderer/web-bridge.js'
import { goOn } from './conversation.js'
import './words.js'

const view = new URLSearchParams(location.search).get('view') ?? 'both'
document.documentElement.dataset.view = view

const client = connect(window.sluice ?? webBridge())
const [demo] = await Promise.all([post('/api/demo', {}), goOn(client)])

// A window loads what it shows.
if (view !== 'pet') {
  const [{ startChat }, { startSettings }, { startFirst }, { whoAnswers }] = await Promise.all([import('./chat.js'), import('./settings.js'), import('./start.js'), import('./who.js')])
  const who = await whoAnswers(client)
  startChat({ client, demo, who })
  startSettings({ client, demo, who })
  if (demo.first) startFirst({ client, done: () => who.changed().then(() => document.querySelector('#talk').focusComposer()) })
}
if (view !== 'chat') {
  const { startStage } = await import('./stage.js')
  await startStage({ client, demo, alone: view === 'pet' })
}
document.documentElement.dataset.ready = ''
