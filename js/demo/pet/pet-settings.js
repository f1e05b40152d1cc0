// What a person likes of Lulu: on a page of a browser it is kept for this device, in Electron the window of the pet
// keeps it.
import { postJson } from '/sluice/renderer/web-bridge.js'

const key = 'pet'
const usual = { scale: 1, hotkey: null, quietHours: null, bubble: { size: 1, duration: 1, off: false } }
const listeners = new Set()

/** Of this device. */
export function readPet() {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}')
    return { ...usual, ...kept, bubble: { ...usual.bubble, ...kept.bubble } }
  } catch {
    return usual
  }
}

/** Changes some of it, and gives it as it then stands. Without a change it only reads. Rejects with what is wrong. */
export async function changePet(desktop, change = {}) {
  if (desktop) return await postJson('/api/pet', change)
  const before = readPet()
  const now = { ...before, ...change, bubble: { ...before.bubble, ...change.bubble } }
  localStorage.setItem(key, JSON.stringify(now))
  tell()
  return now
}

/** Calls `listener(settings)` now, and whenever a window of this device changes them. */
export function watchPet(listener) {
  listeners.add(listener)
  listener(readPet())
}

const tell = () => listeners.forEach((listener) => listener(readPet()))
addEventListener('storage', (event) => event.key === key && tell())
