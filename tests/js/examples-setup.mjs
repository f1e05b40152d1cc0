// Loaded before an example (`node --import`): what the example asks of a provider, the scripted server answers;
// `electron` is a stand-in.
import { register } from 'node:module'

const { SLUICE_EXAMPLE_SERVER: server } = process.env
const real = globalThis.fetch
const OWN_PORTS = 32_768 // from here on the system gives ports to servers that an example starts itself
globalThis.fetch = (url, init) => {
  const { pathname, search, origin, port } = new URL(url)
  if (Number(port) >= OWN_PORTS) return real(url, init)
  return real(server + pathname + search, {
    ...init,
    headers: { ...Object.fromEntries(new Headers(init?.headers)), 'x-asked': origin },
  })
}

const electron = new URL('./electron-stand-in.mjs', import.meta.url).href
register(
  `data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) => (name === 'electron' ? { url: ${JSON.stringify(electron)}, shortCircuit: true } : next(name, context))`)}`,
)
