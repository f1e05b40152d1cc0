// Shows one message, and notes which tasks were long.
import { connect } from '/sluice/renderer/index.js'
import '/sluice/ui/index.js'

const client = connect()
const long = []
const observer = new PerformanceObserver((list) =>
  long.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration }))),
)
observer.observe({ type: 'longtask' })

window.run = async () => {
  const message = await client.send('talk')
  const element = document.createElement('sluice-message')
  element.message = message
  document.querySelector('main').append(element)
  const follow = () => {
    if (message.getSnapshot().blocks.length > 0) window.started ??= performance.now()
    element.scrollIntoView({ block: 'end' }) // as a chat does
  }
  message.subscribe(follow)
  const { outcome, blocks } = await message.done
  await new Promise((resolve) => setTimeout(resolve, 200)) // the observer is told late
  const text = blocks.map((block) => block.text).join('')
  const shown = element.shadowRoot.textContent.replaceAll(/\s/g, '').includes(text.replaceAll(/\s/g, ''))
  const since = long.filter(({ startTime }) => startTime >= window.started)
  return { outcome, characters: text.length, shown, long: since, ms: performance.now() - window.started }
}
window.ready = true
