// The demo in the terminal: one turn against the scripted server, or a chat with a real one.
import { Engine } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { readModel, readSettings } from '../dist/esm/tools/cli/model-options.js'
import { talk } from '../dist/esm/tools/cli/talk.js'
import { answer, question } from './script.mjs'
import { tools } from './tools.mjs'

const system = 'You are a friendly desktop companion with a Live2D body. Answer briefly. {{tools}}'

/** `values`: words of the command line, by option. Resolves to the exit code. */
export async function runTerminal(values) {
  const model = readModel(values)
  const engine = new Engine({ tools })
  const options = { engine, settings: readSettings(values), system, auto: values.yes ? '--yes' : undefined }
  try {
    if (model) return await talk({ ...options, model, prompt: values.prompt })
    const server = await startScriptedServer({
      answers: answer,
      delayMs: process.stdout.isTTY ? 35 : 5,
      appendOnly: false,
    })
    console.log(`A scripted server answers on ${server.url}. Your own: --base-url URL --model NAME`)
    // Nothing of the script does anything outside of this process.
    return await talk({
      ...options,
      model: { baseURL: server.baseURL, name: 'scripted' },
      prompt: values.prompt ?? question,
      autoWithoutTerminal: true,
    }).finally(server.close)
  } finally {
    engine.close()
  }
}
