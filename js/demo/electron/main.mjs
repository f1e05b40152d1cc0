// @ts-check
// `npx electron js/demo/electron`; a server of one's own: `-- --base-url URL --model NAME`, the key of api.openai.com in $OPENAI_API_KEY.
import { app } from 'electron'
import { parseArgs } from 'node:util'
import { keyFor } from '../../dist/esm/cli/model-options.js'
import { start } from './windows.mjs'

if (!app.requestSingleInstanceLock()) app.quit()
else {
  const { values } = parseArgs({ args: process.argv.slice(1), options: { 'base-url': { type: 'string' }, model: { type: 'string' } }, strict: false })
  const baseURL = typeof values['base-url'] === 'string' ? values['base-url'] : undefined
  const model = typeof values.model === 'string' ? values.model : undefined
  const { chat } = await start({ ...(baseURL ? { baseURL, model, apiKey: keyFor(baseURL) } : {}) })
  app.on('second-instance', () => chat.show())
}
