// sluice parse: text or a recorded stream → events, one per line.
import { readFile } from 'node:fs/promises'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { Engine } from '../../engine/core/engine.js'
import type { SluiceEvent } from '../../engine/core/events.js'
import { wireNames } from '../../engine/core/providers.js'
import { oneOf, text, unreadable, UsageError, type Command } from './command.js'
import { readSettings, settingOptions } from './model-options.js'
import { expectedChunks, isChunks, parse } from './parser.js'
import { ending, runs, Screen, summary } from './screen.js'
import type { ParseReply } from './tester-api.js'
import { partWords, sourceLines } from './made-words.js'
import { loadTools } from './tools-file.js'

export const command: Command = {
  summary: 'text or a recorded stream → events',
  help: `npx sluice parse FILE [options]      the events of a text or of a recorded stream, one per line; no call is run
npx sluice parse - < FILE

  --protocol ID       how calls are written in the text; auto: by --model (default: vcp)
  --model NAME        the model whose protocol auto chooses
  --wire WIRE         the format of a recorded answer, a stream or a JSON body:
                      ${wireNames.join(', ')};
                      or text (default: what the file looks like)
  --chunks HOW        feed it in pieces: whole, byte, a number of bytes, or seed:NUMBER for random ones (default: whole)
  --tools FILE        tools of the model: JSON (ours, or as in a request to OpenAI), or a module that exports them
  --mode MODE         native: do not look for calls in the text (default: text)
  --json              print the events as JSON, and {"message": …} at the end`,
  options: {
    ...settingOptions,
    model: { type: 'string' },
    wire: { type: 'string' },
    chunks: { type: 'string' },
    tools: { type: 'string' },
    json: { type: 'boolean' },
  },
  positionals: ['FILE'],
  async run(values, [file = '-']) {
    const wire = oneOf(values, 'wire', [...wireNames, 'text'] as const)
    const settings = readSettings(values)
    const chunks = text(values.chunks) ?? 'whole'
    if (!isChunks(chunks)) throw new UsageError(`--chunks: found '${chunks}', expected ${expectedChunks}`)
    const tools = text(values.tools)
    const engine = new Engine({ tools: tools === undefined ? [] : await loadTools(tools) })
    try {
      const reply = parse(engine, {
        bytes: await read(file),
        wire,
        model: text(values.model),
        chunks,
        settings: { ...settings },
      })
      if (reply.guessed) console.error(`wire: ${reply.wire}, because ${reply.guessed}`)
      if (values.json) printJson(reply)
      else print(reply)
      return reply.message.outcome === 'completed' &&
        !ending(reply.message) &&
        !reply.diagnostics.some(({ code }) => code === 'unfinished')
        ? 0
        : 1
    } finally {
      engine.close()
    }
  },
}

async function read(file: string): Promise<Uint8Array> {
  try {
    if (file !== '-') return await readFile(file)
    const pieces: Buffer[] = []
    for await (const piece of process.stdin) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  } catch (error) {
    throw new UsageError(unreadable(file, error))
  }
}

function printJson({ events, message }: ParseReply): void {
  for (const event of events) console.log(JSON.stringify(event))
  console.log(JSON.stringify({ message }))
}

function print({ events, message, diagnostics, protocols, pieces }: ParseReply): void {
  const screen = new Screen()
  for (const event of events) screen.line(`${String(event.seq).padStart(4)} ${line(event, screen)}`)
  screen.line()
  const ended = ending(message)
  if (ended) screen.line(screen.paint('yellow', ended))
  screen.line(screen.paint('bold', summary(message)))
  screen.line(
    screen.paint('dim', `looked for ${protocols.join(', ') || 'native calls only'}; fed in ${count(pieces, 'piece')}`),
  )
  if (diagnostics.length === 0) return
  screen.line(
    screen.paint(
      'yellow',
      `${count(diagnostics.length, 'diagnostic')}: ${runs(diagnostics.map(({ code }) => code).sort()).join(', ')}`,
    ),
  )
  const other = diagnostics.find(({ code }) => code === 'other_format')?.detail
  if (other)
    screen.line(screen.paint('yellow', escapeInvisible(`this looks like ${other}: --protocol ${other} reads it`)))
}

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

const quoted = (value: unknown): string => escapeInvisible(JSON.stringify(value) ?? '')

function line(event: SluiceEvent, { paint }: Screen): string {
  const kind = event.type.padEnd(10)
  switch (event.type) {
    case 'text':
      return `${kind} ${quoted(event.text)}`
    case 'reasoning':
      return paint('dim', `${kind} ${quoted(event.text)}`)
    case 'args':
      return paint('dim', `${kind} call ${event.call}  ${quoted(event.text)}`)
    case 'card': {
      const { call, name, askedName, status, source, arguments: given, reason, error, start, end, parts } = event
      const said = [
        name ?? askedName,
        status,
        source && `as ${source}`,
        given && JSON.stringify(given),
        reason,
        error,
        start !== undefined && end !== undefined && `bytes ${start}–${end}`,
        ...(parts ?? []).map((part) => part.type !== 'text' && partWords(part)),
      ]
      return paint('cyan', `${kind} call ${call}  ${escapeInvisible(said.filter(Boolean).join('  '))}`)
    }
    case 'sources':
      return `${kind} block ${event.block}  ${sourceLines(event.sources).join('  ')}`
    case 'media':
      return `${kind} block ${event.block}  ${partWords(event.part)}`
    case 'diagnostic': {
      const { code, detail, offset, raw } = event
      const where = offset === undefined ? '' : ` at byte ${offset}`
      return paint(
        'yellow',
        `${kind} ${escapeInvisible(code + where)}${detail ? `: ${escapeInvisible(detail)}` : ''}${raw ? `  ${quoted(raw)}` : ''}`,
      )
    }
    case 'error':
      return paint('red', `${kind} ${escapeInvisible(`${event.code}: ${event.detail}`)}`)
    default: {
      const { type: _, seq: __, ...rest } = event
      return `${kind} ${quoted(rest)}`
    }
  }
}
