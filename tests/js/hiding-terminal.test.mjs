// Every way to hide, on a terminal: what stands on the screen while a person is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'
import { hiding } from './hiding.mjs'
import { noTerminal, onTerminal } from './on-terminal.mjs'
import { screenOf } from './terminal-screen.mjs'

const { isAbout, questionLines, questionWords } = await built('question')

const file = fileURLToPath(new URL('asking-app.mjs', import.meta.url))
const rows = 24
const sizes = [
  { columns: 40, tool: `files.${'search_and_'.repeat(14)}` }, // its prompt has more rows than one
  { columns: 80, tool: 'shell.run' },
  { columns: 120, tool: 'shell.run' },
]

/** A person who says yes at every chance, and does what is asked for only where that is not taken. */
function eager(tool) {
  let tried = {}
  return (text) => {
    if (!/(?:refuses|\[\?\]|\n│ {2}>) $/.test(text)) return undefined
    if (/ approved\r\n/.test(text)) tried = {}
    const asked = text.replaceAll(/\r\n│ +/g, ' ')
    const prompt = asked.slice(asked.lastIndexOf(`${tool.slice(0, 30)}`))
    const kind = ['page', '[s]how all', 'unseen', 'run it?'].find((kind) => prompt.includes(kind))
    const first = !tried[kind]
    tried[kind] = true
    return {
      page: first ? 'y\r' : '\r',
      '[s]how all': first ? 'y\r' : 's\r',
      unseen: first ? 'y\r' : 'unseen\r',
      'run it?': 'y\r',
    }[kind]
  }
}

const bare = (text) => text.replaceAll(/\s/g, '')
const textOf = ({ runs }) => runs.map(({ text }) => text).join('')

/**
 * What stands there of a question, in this order: first what the tool says of itself, last, above the prompt, the tool
 * and its values.
 */
function wanted({ arguments: args, ask, card }, tool, whole) {
  const lines = questionLines(
    {
      stage: 'execution',
      name: tool,
      description: '',
      policy: 'ask_once',
      level: 'sensitive',
      arguments: args,
      ...ask,
      ...card,
    },
    questionWords.en,
    { whole },
  )
  const joined = (...kinds) =>
    lines
      .filter(({ kind }) => kinds.includes(kind))
      .map(textOf)
      .join('·')
  const body = lines.filter((line) => !isAbout(line) && ['argument', 'value', 'notice', 'hidden'].includes(line.kind))
  const show = lines.flatMap(({ show }) => show ?? [])
  return {
    text: bare(
      [
        ...lines.filter(isAbout).map(textOf),
        joined('sentence'),
        joined('tool', 'counts'),
        joined('effect'),
        ...body.map(textOf),
      ].join(''),
    ),
    show,
  }
}

for (const { columns, tool } of sizes) {
  test(
    `nothing hides on a terminal of ${columns} columns, and yes counts when the last page was shown`,
    noTerminal,
    async () => {
      const { out, code } = await onTerminal([tool], eager(tool), { columns, rows, file, env: {} })
      assert.equal(code, 0, out.slice(-2000))
      const name = bare(tool.length > 60 ? `${tool.slice(0, 59)}…` : tool)
      // All that the command says around a question, and what was typed.
      const around = [
        'page\\d+of\\d+:Entershowsthenext,nrefuses>?y?',
        'runit\\?\\[y\\]es\\[n\\]o,why\\[e\\]dit\\[a\\]lways\\[\\?\\]>?y',
        'runit\\?unseen\\[n\\]o,why\\[e\\]dit\\[a\\]lways\\[\\?\\]>?(?:y|unseen)',
        'runit\\?\\[y\\]es\\[n\\]o,why\\[e\\]dit\\[a\\]lways\\[s\\]howall\\[\\?\\]>?[ys]',
      ].map((said) => `${name.replaceAll('.', '\\.')}:${said}`)
      const wrong = [
        "found'y':ananswercountswhenthelastpagewasshown",
        'notallofitwasshown:sshowsit',
        '[\\d,]+charactersaretoomanytobeshown:thewordunseenapprovesthemallthesame',
      ]
      const known = new RegExp([...around, ...wrong].join('|'), 'g')
      const screen = screenOf(out, columns) // fails where a value sends a sequence of its own
      let at = 0
      for (const [number, request] of hiding.entries()) {
        const { way } = request
        const end = screen.indexOf(`question ${number} approved`, at)
        assert.ok(end > at, `${way} was not approved: ${screen.slice(at, at + 30).join('\n')}`)
        const shown = screen.slice(at, end)
        at = end + 1
        const first = wanted(request, tool)
        const texts = [first.text, ...(first.show.length > 0 ? [wanted(request, tool, new Set(first.show)).text] : [])]
        let [rest, said, top] = ['', '', -1]
        for (const [index, row] of shown.entries()) {
          const text = bare(row.replace(/^│ {0,2}(?: {2}[ \d]{5} │(?: |$)| {8}│ | {2}[›┊>] |! )?/, ''))
          if (request.forged)
            assert.ok(!/^│ {3}[ \d]{5} │/.test(row) || !row.includes(request.forged), `${way}: ${row}`)
          if (text === '') continue
          if (rest === '' && texts[0]?.startsWith(text)) rest = texts.shift()
          if (rest.startsWith(text)) {
            rest = rest.slice(text.length)
            if (top < 0) top = index
            continue
          }
          said += text
          if (said.endsWith(`${name}:runit?`))
            assert.equal(rest, '', `${way}: yes was asked for before all stood there`)
          if (!/[>\]s]y?$|[>\]](?:unseen|s)$/.test(text) || /^│ {2}>/.test(shown[index + 1])) continue
          // What is asked ends here, with what was typed.
          if (top >= 0) assert.ok(index - top < rows, `${way}: ${index - top + 1} rows at once`)
          top = -1
        }
        assert.deepEqual([rest, texts], ['', []], way)
        assert.match(said, /^╭─/)
        assert.equal(said.slice(said.indexOf(`${name}:`, 10)).replaceAll(known, ''), '', way)
      }
    },
  )
}
