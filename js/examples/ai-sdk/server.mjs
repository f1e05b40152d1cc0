// A chat: `useChat` of the AI SDK in the page, Sluice behind it. To start it: `npm install`, then
//
//   MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3:8b node server.mjs
//
// and open the address that it prints. API_KEY, PORT (3100) and CHATS (the folder of the conversations, ./chats) may be
// given as well.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Engine, tool } from 'sluice'
import { chatHandler, toUIMessages } from 'sluice/ai-sdk'
import { fileConversations } from 'sluice/conversations'
import { live2dTools } from 'sluice/live2d'
import { nodeListener } from 'sluice/web'

const {
  MODEL_URL = 'http://127.0.0.1:11434/v1',
  MODEL = 'qwen3:8b',
  API_KEY,
  PORT = '3100',
  CHATS = './chats',
} = process.env

// -- what the model can do --------------------------------------------------------------------------------------------

const notes = new Map([['garage', 'The code of the door is 4711.']])
const text = { type: 'string' }
const engine = new Engine({
  tools: [
    tool({
      name: 'note.list',
      description: 'The titles of all notes.',
      parameters: { type: 'object', properties: {} },
      permission: 'public',
      agentCallable: true,
      execute: () => [...notes.keys()],
    }),
    tool({
      name: 'note.read',
      description: 'Reads a note. The user may keep it for themselves.',
      parameters: { type: 'object', properties: { title: text }, required: ['title'] },
      permission: 'public',
      agentCallable: true,
      resultApproval: 'always', // a person looks at it before the model does
      execute: ({ title }) => notes.get(title) ?? 'There is no such note.',
    }),
    tool({
      name: 'note.write',
      description: 'Writes a note, in place of the one with this title.',
      parameters: { type: 'object', properties: { title: text, text }, required: ['title', 'text'] },
      permission: 'sensitive',
      agentCallable: true,
      execute: ({ title, text }) => {
        notes.set(title, text)
        return `wrote ${title}`
      },
    }),
    // Without `execute`: the page runs it.
    tool({
      name: 'page.zone',
      description: 'The time zone of the user.',
      parameters: { type: 'object', properties: {} },
      permission: 'public',
      agentCallable: true,
      external: true,
    }),
    // The face is told in mid-sentence, and nobody waits for it.
    ...live2dTools({ expressions: ['smile', 'worried', 'surprised'] }),
  ],
})

// -- the chat ---------------------------------------------------------------------------------------------------------

const store = fileConversations(CHATS)
/** Whoever has a conversation's id as their cookie may use it. */
const ownerOf = (request) => /(?:^|;\s*)chat=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1]
const chat = chatHandler(engine, {
  run: () => ({
    model: { baseURL: MODEL_URL, name: MODEL, apiKey: API_KEY },
    system: 'You keep the notes of the user. Be brief.',
  }),
  store,
  authorize: (request, id) => ownerOf(request) === id,
  onDisconnect: 'continue', // who loads the page again in mid-answer finds it there
})

// -- the page ---------------------------------------------------------------------------------------------------------

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('page.jsx', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
})
const script = outputFiles[0].text

async function page(request) {
  const id = ownerOf(request) ?? randomUUID()
  const first = JSON.stringify({ id, messages: await toUIMessages(engine, store, id) }).replaceAll('<', '\\u003c')
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notes</title>
<style>body{font:16px/1.5 system-ui;max-width:42rem;margin:1rem auto;padding:0 1rem}article{margin:.5rem 0}.user{text-align:right}.call{border:1px solid #8888;border-radius:.5rem;padding:.5rem;margin:.5rem 0}pre{white-space:pre-wrap;margin:.25rem 0}textarea{width:100%;box-sizing:border-box}</style>
<div id="root"></div><script type="application/json" id="first">${first}</script><script type="module" src="/page.js"></script>`
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'set-cookie': `chat=${id}; HttpOnly; SameSite=Strict; Path=/`,
    },
  })
}

async function answer(request) {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/api/chat')) return await chat(request)
  if (pathname === '/page.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } })
  return pathname === '/' ? await page(request) : new Response('There is nothing here.\n', { status: 404 })
}

const server = createServer(nodeListener(answer)).listen(Number(PORT), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
)
