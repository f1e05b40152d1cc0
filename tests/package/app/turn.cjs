// The same package required: a turn over the thin API, without a server.
const { Engine, SluiceError, version } = require('sluice')
const { hostEngine } = require('sluice/electron')

const engine = new Engine()
const turn = engine.turn({ wire: 'text' })
turn.feed('hello')
const { text } = turn.nextEvent()
turn.close()
engine.close()
let refused = ''
try {
  hostEngine(engine, { ipcMain: {}, run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }) })
} catch (error) {
  refused = error instanceof SluiceError ? error.path : String(error)
}
console.log(JSON.stringify({ version: version(), text, refused, manifest: require('sluice/package.json').version }))
