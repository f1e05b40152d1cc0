// The demo pet: one page in a browser, or two windows in Electron (`?view=pet`, `?view=chat`), over the same bridge.
import { connect } from '/sluice/renderer/index.js'
import { goOn } from './conversation.js'
import { bridge, demo as readDemo } from './host.js'
import './words.js'

const view = new URLSearchParams(location.search).get('view') ?? 'both'
document.documentElement.dataset.view = view

const client = connect(bridge)
const [demo] = await Promise.all([readDemo(), goOn(client)])

// A window loads what it shows.
if (view !== 'pet') {
  const [{ startChat }, { startSettings }, { startFirst }, { whoAnswers }] = await Promise.all([
    import('./chat.js'),
    import('./settings.js'),
    import('./start.js'),
    import('./who.js'),
  ])
  const who = await whoAnswers(client)
  startChat({ client, demo, who })
  startSettings({ client, demo, who })
  if (demo.first)
    startFirst({ client, done: () => who.changed().then(() => document.querySelector('#talk').focusComposer()) })
}
if (view !== 'chat') {
  const { startStage } = await import('./stage.js')
  await startStage({ client, demo, alone: view === 'pet' })
}
document.documentElement.dataset.ready = ''
