// The demo pet in a browser: its page, its routes and the bridge, on 127.0.0.1.
import { createHost } from 'sluice/host'
import { serve } from 'sluice/web'
import { createApp } from './app.mjs'

/** `port`, and the options of `createApp`. */
export async function startDemo({ port = 0, ...options } = {}) {
  const app = await createApp(options)
  const rights = { read: true, chat: true, approve: true, configure: true, pet: true }
  let host
  let server
  const close = async () => {
    await server?.close()
    await host?.close()
    await app.close()
  }
  try {
    host = createHost(app.engine, app.options)
    server = await serve({ host, rights, roots: app.roots, routes: app.routes, port })
  } catch (error) {
    await close()
    throw error
  }
  return { url: server.url, origin: server.origin, close }
}
