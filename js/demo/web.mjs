// The demo pet in a browser: its page, its routes and the bridge, on 127.0.0.1.
import { createHost } from 'sluice/host'
import { serve } from 'sluice/web'
import { createApp } from './app.mjs'
import { keptIn } from './kept.mjs'

/** `port`, `folder`: where it keeps what was chosen, and the options of `createApp`. */
export async function startDemo({ port = 0, folder, ...options } = {}) {
  const app = await createApp({ ...options, ...(folder === undefined ? {} : { kept: keptIn(folder) }) })
  const rights = { read: true, chat: true, approve: true, configure: true, server: true, pet: true }
  let host
  let server
  const close = async () => {
    await server?.close()
    await host?.close()
    await app.close()
  }
  try {
    host = app.host((options) => createHost(app.engine, options))
    server = await serve({ host, rights, roots: app.roots, routes: app.routes, port })
  } catch (error) {
    await close()
    throw error
  }
  return { url: server.url, origin: server.origin, close }
}
