// @ts-check
// `npx electron js/demo/electron`; a model of one's own: `-- --provider NAME --model NAME`, with its key in the
// provider's environment variable.
import { app } from 'electron'
import { parseArgs } from 'node:util'
import { modelOptions, readModel } from '../../dist/esm/tools/cli/model-options.js'
import { start } from './windows.mjs'

if (!app.requestSingleInstanceLock()) app.quit()
else {
  const { values } = parseArgs({ args: process.argv.slice(1), options: modelOptions, strict: false })
  const { name: model, ...server } = readModel(values) ?? {}
  const { chat } = await start({ ...server, ...(model === undefined ? {} : { model }) })
  app.on('second-instance', () => chat.show())
}
