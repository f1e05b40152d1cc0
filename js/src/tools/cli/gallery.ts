// sluice gallery: a page with every element in every state.
import type { WebServer } from '../../app/web/web-server.js'
import type { Command } from './command.js'
import { pageHelp, pageOptions, readPort, showPage } from './terminal-page.js'
import { demoTools, startTester } from './tester.js'

const page = new URL('../../../../pages/gallery/host.js', import.meta.url)

interface GalleryOptions {
  port?: number
  tester?: WebServer
}

export const command: Command = {
  summary: 'a page: every element in every state, from a real host and a scripted model',
  help: `npx sluice gallery [options]     a page: every element in every state, from a real host and a scripted model; languages and schemes;
                                 ?only=cards,lost shows these groups and states alone

${pageHelp}`,
  options: pageOptions,
  async run(values) {
    const port = readPort(values)
    const { startGallery } = (await import(page.href)) as {
      startGallery: (options: GalleryOptions) => Promise<WebServer>
    }
    const tester = await startTester({ tools: await demoTools() })
    return await showPage('The gallery is on', await startGallery({ ...(port ? { port } : {}), tester }), values)
  },
}
