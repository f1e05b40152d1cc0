// What the demo's assistant can do: look at the sky, and a few things that need approval, take their time or go wrong.
// All of it is made up, and nothing of it leaves the process.
import { setTimeout as delay } from 'node:timers/promises'
import { tool } from 'sluice'
import { live2dTools } from 'sluice/live2d'
import { words } from './tool-words.mjs'

export const notes = []

const text = (description) => ({ type: 'string', description })
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const chinese = (value) => /[\u3400-\u9fff]/.test(value)

/** Without a face: that comes from the pet's own list, when it has a model. */
export const assistantTools = [
  tool({
    name: 'weather.now',
    ...words['weather.now'],
    description: 'The weather in a city right now, and what is coming.',
    parameters: object({ city: text('the name of the city') }),
    permission: 'public',
    agentCallable: true,
    tags: ['look up'],
    annotations: { readOnlyHint: true },
    async execute({ city }, { signal }) {
      await delay(350, undefined, { signal })
      return chinese(city)
        ? { city, now: '阴，22 °C', next: '16:00 起有雨' }
        : { city, now: 'overcast, 22 °C', next: 'rain from 16:00 on' }
    },
  }),
  tool({
    name: 'calendar.list',
    ...words['calendar.list'],
    description: 'What is in the calendar of the user on a day.',
    parameters: object({ day: text('a date or the name of a day') }),
    permission: 'public',
    agentCallable: true,
    tags: ['look up'],
    annotations: { readOnlyHint: true },
    async execute({ day }, { signal }) {
      await delay(250, undefined, { signal })
      const [lunch, call] = chinese(day) ? ['和小林吃午饭', '给妈妈打电话'] : ['Lunch with Lin', 'Call mum']
      return [
        { from: '12:30', to: '14:00', what: lunch },
        { from: '19:00', to: '19:30', what: call },
      ]
    },
  }),
  tool({
    name: 'web.search',
    ...words['web.search'],
    description: 'Searches the web.',
    parameters: object({ query: text('what to look for'), limit: { type: 'integer', minimum: 1, maximum: 10 } }, [
      'query',
    ]),
    permission: 'public',
    agentCallable: true,
    tags: ['look up'],
    annotations: { readOnlyHint: true, openWorldHint: true },
    async execute({ query }, { signal }) {
      await delay(600, undefined, { signal })
      const title = chinese(query) ? '丝与歌：一千年的织机' : 'Silk and Song: a thousand years of looms'
      return { query, results: [{ title, url: 'https://museum.example/silk', open: '09:00–17:00' }] }
    },
  }),
  tool({
    name: 'notes.add',
    ...words['notes.add'],
    description: 'Writes a note on the list of the user.',
    parameters: object({ text: text('what to remember'), due: text('a time such as 15:30') }, ['text']),
    permission: 'moderate',
    agentCallable: true,
    tags: ['write'],
    annotations: { destructiveHint: false },
    execute({ text, due }) {
      notes.push({ text, due })
      return `noted; the list has ${notes.length} ${notes.length === 1 ? 'entry' : 'entries'}`
    },
  }),
  tool({
    name: 'message.send',
    ...words['message.send'],
    description: 'Sends a message to a friend in the name of the user.',
    parameters: object({ to: text('who gets it'), text: text('the message') }),
    permission: 'sensitive',
    agentCallable: true,
    tags: ['write'],
    annotations: { destructiveHint: false, openWorldHint: true },
    async execute({ to }, { signal }) {
      await delay(300, undefined, { signal })
      return { sent: true, to }
    },
  }),
  tool({
    name: 'diary.read',
    ...words['diary.read'],
    description: 'Reads the diary of the user.',
    parameters: object({ day: text('a date or the name of a day') }),
    permission: 'public',
    resultApproval: 'always',
    agentCallable: true,
    tags: ['look up'],
    annotations: { readOnlyHint: true },
    execute: ({ day }) =>
      chinese(day)
        ? { day, entry: '和小林在湖边野餐。有一只白鹭一直看着我们的三明治。入秋之前还想再来一次。' }
        : {
            day,
            entry:
              'Picnic by the lake with Lin. A heron watched our sandwiches all the time. Let us do it again before autumn.',
          },
  }),
  tool({
    name: 'album.make',
    ...words['album.make'],
    description: 'Sorts photos into an album. Takes a while.',
    parameters: object({
      title: text('the title of the album'),
      photos: { type: 'integer', minimum: 1, maximum: 200 },
    }),
    permission: 'public',
    agentCallable: true,
    tags: ['write'],
    annotations: { destructiveHint: false },
    async execute({ title, photos }, { signal, progress }) {
      for (let done = 0; done < photos; done++) {
        progress({ done, total: photos })
        await delay(120, undefined, { signal })
      }
      return { title, photos }
    },
  }),
  tool({
    name: 'printer.print',
    ...words['printer.print'],
    description: 'Prints a document.',
    parameters: object({ document: text('what to print') }),
    permission: 'public',
    agentCallable: true,
    tags: ['write'],
    annotations: { destructiveHint: false },
    async execute(_, { signal }) {
      await delay(400, undefined, { signal })
      throw new Error('the printer is out of paper (tray 1)')
    },
  }),
]

export const tools = [
  ...assistantTools,
  ...live2dTools({
    expressions: ['smile', 'thinking', 'surprised', 'worried'],
    motions: { Idle: 3, TapBody: 2 },
  }),
]
