// Asks every question of `hiding.mjs` on this terminal, as `npx sluice chat` does, and says in a line of its own what
// was answered. The engine would give some of them to nobody (a half character, `__proto__`): here they come as they
// are. `node asking-app.mjs NAME`: of that tool.
import { built } from './dist.mjs'
import { hiding } from './hiding.mjs'

const { Asking } = await built('asking')
const { Screen } = await built('screen')
const { Terminal } = await built('terminal')

const [name] = process.argv.slice(2)
const screen = new Screen()
const terminal = new Terminal()
for (const [at, { arguments: args, ask, card }] of hiding.entries()) {
  const block = { type: 'tool_use', call: 1, name, status: 'awaiting_approval', arguments: args, ...card }
  screen.begin()
  screen.show({ ...block, type: 'card', seq: 1, block: 0 })
  const answered = new Promise((resolve) => {
    const run = { snapshot: { blocks: [block] }, approve: () => resolve('approved'), deny: () => resolve('denied') }
    const asking = new Asking({
      run,
      tools: [{ name, declaration: { annotations: ask?.annotations }, words: ask?.words }],
      screen,
      terminal,
    })
    for (const twice of card?.twice ?? [])
      asking.see({ type: 'args', call: 1, text: `{"${twice}": "", "${twice}": ""}` })
    asking.see({
      type: 'approval',
      seq: 2,
      call: 1,
      stage: 'execution',
      name,
      description: '',
      arguments: args,
      level: 'sensitive',
      policy: 'ask_once',
      digest: 'd',
      ...ask,
    })
  })
  screen.line(`question ${at} ${await answered}`)
}
terminal.close()
