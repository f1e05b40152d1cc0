// The process behind the pages of the pictures: what is started in it lives by `clock.mjs`, and goes on as its parent
// says.
import { events, pass } from './clock.mjs'
import { fileURLToPath } from 'node:url'

const start = {
  gallery: async (options) => (await import('../../pages/gallery/host.js')).startGallery(options),
  demo: async (options) => (await import('../../demo/web.mjs')).startDemo({ live2d: false, ...options }),
  pet: async (options) => {
    const [{ createApp }, { createHost }, { serve }] = await Promise.all([
      import('../../demo/app.mjs'),
      import('sluice/host'),
      import('sluice/web'),
    ])
    const app = await createApp({ live2d: false, ...options })
    const here = (path) => fileURLToPath(new URL(path, import.meta.url))
    return await serve({
      host: createHost(app.engine, app.options),
      rights: { read: true, chat: true, approve: true, pet: true },
      roots: { '/': here('pet/'), '/demo/': here('../../demo/pet/') },
    })
  },
  tester: async () => {
    const { demoTools, startTester } = await import('../../dist/esm/tools/cli/tester.js')
    return await startTester({ tools: await demoTools() })
  },
}

let queue = Promise.resolve()
process.on('message', ({ id, start: what, options, pass: ms }) => {
  queue = queue
    .then(async () => {
      if (what) return { url: (await start[what](options)).url }
      const passed = await pass(ms)
      return { passed, events }
    })
    .then(
      (value) => process.send({ id, value }),
      (error) => process.send({ id, error: String(error?.stack ?? error) }),
    )
})
process.on('disconnect', () => process.exit())
process.send({ ready: true })
