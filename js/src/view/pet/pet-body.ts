// The body of a pet under a pointer: a click pats it, more than four pixels carry it, a double click opens the chat,
// the other button its menu. Where nothing is drawn there is no body.
import type { PetWindowSide } from '../../app/bridge/pet-window-messages.js'
import type { Companion } from './companion-options.js'

/** What `petBody` takes. */
export interface PetBodyOptions {
  /** The pet. Its model says where it is drawn. */
  pet: Companion
  /** What it is drawn in. */
  element: HTMLElement
  /** The window, where it has one of its own: it is then carried, and lets clicks through where nothing is drawn. */
  window?: PetWindowSide | undefined
  /** Called on a double click. */
  openChat?: () => void
  /** Elements beside the body that take clicks: a bubble in the same window. */
  solid?: () => readonly Element[]
}

/** A click that moved less is a click. */
const CARRIED_PX = 4
/** How far a body may sway from under a pointer that rests: it is still what the pointer was moved to. */
const SWAYS_PX = 16
const around = Array.from({ length: 16 }, (_, index) => (index * Math.PI) / 8)

/** Makes the pet something that can be touched. Returns what ends that. */
export function petBody({ pet, element, window: side, openChat, solid = () => [] }: PetBodyOptions): () => void {
  const abort = new AbortController()
  const { signal } = abort
  let pressed: { x: number; y: number; id: number; carried: boolean; zone: string | null } | undefined
  let rests: { x: number; y: number; zone: string | null } | undefined // where the pointer last met the body

  const zone = (x: number, y: number): string | null => {
    const { model } = pet
    if (!model) return null
    if (model.hit) return model.hit(x, y)
    return model.opaque?.(x, y) === false ? null : 'body'
  }
  const drawn = (x: number, y: number): boolean => pet.model?.opaque?.(x, y) ?? zone(x, y) !== null
  /**
   * What a pointer touches there, undefined: nothing. A body that moves by itself does not shake off a pointer that
   * rests on it.
   */
  const touched = (x: number, y: number): { zone: string | null } | undefined => {
    if (drawn(x, y)) {
      rests = { x, y, zone: zone(x, y) }
      return rests
    }
    const near = (): boolean =>
      around.some((angle) =>
        [SWAYS_PX, SWAYS_PX / 2].some((far) => drawn(x + far * Math.cos(angle), y + far * Math.sin(angle))),
      )
    if (rests && (Math.hypot(x - rests.x, y - rests.y) > CARRIED_PX || !near())) rests = undefined
    return rests
  }

  const end = (event: PointerEvent): void => {
    if (pressed?.id !== event.pointerId) return
    const { carried, zone: where } = pressed
    pressed = undefined
    if (carried) {
      pet.carry(false)
      side?.send({ carry: false })
    } else if (event.type === 'pointerup') pet.pat(where)
  }
  const drop = (): void => {
    if (!pressed) return
    const { carried } = pressed
    pressed = undefined
    if (!carried) return
    pet.carry(false)
    side?.send({ carry: false })
  }

  /** The browser would show the file in place of the page. */
  const fromOutside = (event: DragEvent): void => {
    const { dataTransfer } = event
    if (
      event.defaultPrevented ||
      !dataTransfer?.types.includes('Files') ||
      !(side || event.composedPath().includes(element))
    )
      return
    event.preventDefault()
    dataTransfer.dropEffect = 'copy'
    pet.stir()
    if (event.type === 'drop') void pet.drop(dataTransfer.files)
  }

  for (const type of ['dragover', 'drop'] as const) document.addEventListener(type, fromOutside, { signal })
  document.addEventListener('pointermove', () => pet.stir(), { passive: true, signal })
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || pressed) return
      const place = touched(event.clientX, event.clientY)
      if (place) pressed = { x: event.screenX, y: event.screenY, id: event.pointerId, carried: false, zone: place.zone }
    },
    { signal },
  )
  element.addEventListener(
    'pointermove',
    (event) => {
      if (!pressed) touched(event.clientX, event.clientY)
      if (pressed?.id !== event.pointerId || pressed.carried || !side) return
      if (Math.hypot(event.screenX - pressed.x, event.screenY - pressed.y) <= CARRIED_PX) return
      pressed.carried = true
      element.setPointerCapture(event.pointerId) // not before: what a click is for would not get it
      pet.carry(true)
      side.send({ carry: true }) // the window follows the cursor by itself: its page would chase what it moves
    },
    { signal },
  )
  element.addEventListener('pointerup', end, { signal })
  element.addEventListener('pointercancel', end, { signal })
  addEventListener('blur', drop, { signal })
  element.addEventListener(
    'dblclick',
    (event) => touched(event.clientX, event.clientY) && (openChat ? openChat() : side?.send({ open: 'chat' })),
    { signal },
  )
  element.addEventListener(
    'contextmenu',
    (event) => {
      if (!side || !touched(event.clientX, event.clientY)) return
      event.preventDefault()
      side.send({ open: 'menu' })
    },
    { signal },
  )
  const off = side?.on((order) => {
    if (order.quiet !== undefined) pet.quiet(order.quiet)
    if (order.away !== undefined) pet.away(order.away)
    if (order.landed) drop()
    const { x = 0, y = 0, probe } = order
    if (probe === undefined) return
    const beside = solid().some((one) => {
      const box = one.getBoundingClientRect()
      return box.width > 0 && x >= box.left && x < box.right && y >= box.top && y < box.bottom
    })
    side.send({ over: pressed !== undefined || beside || touched(x, y) !== undefined, probe })
  })
  // A question reaches the person also while the bubble is quiet, and a bubble in a window of its own shows what is
  // heard and told here.
  let sent = { asks: 0, heard: '', note: '' }
  const tell = (): void => {
    const { waiting: asks, heard = '', note = '' } = pet.getSnapshot()
    if (asks !== sent.asks) side?.send({ asks })
    if (heard !== sent.heard) side?.send({ heard })
    if (note !== sent.note) side?.send({ note })
    sent = { asks, heard, note }
  }
  const left = side && pet.subscribe(tell)
  side?.send({ ready: true })
  if (side) tell()
  return () => {
    drop()
    left?.()
    off?.()
    abort.abort()
  }
}
