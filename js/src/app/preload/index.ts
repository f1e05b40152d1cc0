// The preload of a window: `window.sluice`. Works with `sandbox: true` and `contextIsolation: true`; an app with a
// preload of its own imports this one into it. The page gets functions and plain data: no ipcRenderer, none of its
// event objects, and no channel but ours.
import {
  methods,
  SEEN,
  type Bridge,
  type WindowFrame,
  type Method,
  type PetOrder,
  type Reply,
} from '../bridge/messages.js'
import { PET_HEARS, PET_SAYS, type PetWindowOrder } from '../bridge/pet-window-messages.js'
import type { ElectronLike } from './electron.js'

declare function require(module: 'electron'): ElectronLike

const { contextBridge, ipcRenderer } = require('electron')

const bridge: Bridge = {
  async call(method, input): Promise<Reply> {
    const known: readonly unknown[] = methods
    if (!known.includes(method)) {
      return failure('argument', 'unknown method', `expected one of ${methods.join(', ')}`)
    }
    try {
      return (await ipcRenderer.invoke('sluice:call', method satisfies Method, input)) as Reply
    } catch (error) {
      return failure(
        'bridge',
        error instanceof Error ? error.message : 'the main process cannot be reached',
        'does it call hostEngine()?',
      )
    }
  },
  onFrame: listen<WindowFrame>('sluice:frame', () => void ipcRenderer.invoke('sluice:call', SEEN).catch(() => {})),
  onPet: listen<PetOrder>('sluice:pet'),
  petWindow: { send: (message) => ipcRenderer.send(PET_SAYS, message), on: listen<PetWindowOrder>(PET_HEARS) },
}

contextBridge.exposeInMainWorld('sluice', bridge)

/** One listener of ours for each channel, as many of the page's as it likes. */
function listen<T>(channel: string, read = (): void => {}): (listener: (data: T) => void) => () => void {
  const listeners = new Map<object, (data: T) => void>()
  ipcRenderer.on(channel, (_event: unknown, data: T) => {
    for (const listener of [...listeners.values()]) {
      try {
        listener(data)
      } catch (error) {
        console.error(error) // the others are to be told all the same
      }
    }
    read()
  })
  return (listener) => {
    if (typeof listener !== 'function')
      throw new TypeError(`expected a function, found ${listener === null ? 'null' : typeof listener}`)
    const key = {}
    listeners.set(key, listener)
    return () => void listeners.delete(key)
  }
}

function failure(code: string, detail: string, hint: string): Reply {
  return { ok: false, error: { code, detail, hint } }
}
