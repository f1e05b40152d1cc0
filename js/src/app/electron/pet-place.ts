// Where a pet stands: a place that survives other displays, and rectangles from it. Arithmetic alone.

/** A rectangle of the screen, in the system's own pixels. */
export interface Rectangle {
  /** From the left of the primary display. */
  x: number
  /** Pixels from the top of it. */
  y: number
  /** How far it reaches to the right, in pixels. */
  width: number
  /** How far it reaches down, in pixels. */
  height: number
}

/** What is used of Electron's `Display`. */
export interface PetDisplayLike {
  /** Different for every display. */
  readonly id: number
  /** Without bars of the system. */
  readonly workArea: Rectangle
}

/** Where the pet stands and how large it is, to be kept for the next start. */
export interface PetPlace {
  /** The id of the display. */
  display: number
  /** Its middle, as a fraction of the width of the display's work area. */
  x: number
  /** Its feet, as a fraction of the height. 1: they stand on the edge. */
  y: number
  /** Times its usual size. */
  scale: number
}

/** So much of it can always be reached. */
const REACH = 100
/** Feet that are let go so near to the edge stand on it. */
const SNAP = 40
/** It is drawn as small and as large as this. */
export const [LEAST_SCALE, MOST_SCALE] = [0.4, 3]
/** A bubble points no nearer to its corners. */
const EDGE = 28
/** The proportion of the window: the drawing of a figure is taller than wide. */
const TALL = 1.2

/** The window of a pet that is `size` wide. */
export const sizeOf = (size: number, scale: number): { width: number; height: number } => ({
  width: Math.round(size * scale),
  height: Math.round(size * scale * TALL),
})

/** A kept place, or what a file had in its stead. */
export function readPlace(value: unknown): PetPlace | undefined {
  const { display, x, y, scale } = (value ?? {}) as Partial<PetPlace>
  if (![display, x, y, scale].every((one) => typeof one === 'number' && Number.isFinite(one))) return undefined
  const [of, across, down, times] = [display, x, y, scale] as [number, number, number, number]
  return { display: of, x: clamp(across, 0, 1), y: clamp(down, 0, 1), scale: clamp(times, LEAST_SCALE, MOST_SCALE) }
}

/** The window at a place. Where its display is gone, on the primary one at the same fractions. */
export function boundsAt(
  place: PetPlace,
  displays: readonly PetDisplayLike[],
  primary: PetDisplayLike,
  size: number,
): Rectangle {
  const { workArea } = displays.find(({ id }) => id === place.display) ?? primary
  const { width, height } = sizeOf(size, place.scale)
  return reachable(
    {
      x: Math.round(workArea.x + place.x * workArea.width - width / 2),
      y: Math.round(workArea.y + place.y * workArea.height - height),
      width,
      height,
    },
    workArea,
  )
}

/** The place of a window. */
export function placeOf(bounds: Rectangle, display: PetDisplayLike, scale: number): PetPlace {
  const { id, workArea } = display
  return {
    display: id,
    scale,
    x: clamp((bounds.x + bounds.width / 2 - workArea.x) / workArea.width, 0, 1),
    y: clamp((bounds.y + bounds.height - workArea.y) / workArea.height, 0, 1),
  }
}

/** The window where it was let go: its feet on the edge if they are near to it, never out of reach. */
export function landed(bounds: Rectangle, { workArea }: PetDisplayLike): Rectangle {
  const edge = workArea.y + workArea.height - bounds.height
  return reachable(Math.abs(bounds.y - edge) <= SNAP ? { ...bounds, y: edge } : bounds, workArea)
}

/**
 * Where a bubble stands, and where on its edge the head is that it points to: from the left, beside the head from the
 * top.
 */
export interface BubblePlace {
  bounds: Rectangle
  side: 'above' | 'below' | 'left' | 'right'
  points: number
}

/** The bubble of a pet: above its head, else beside it, else below. */
export function bubbleAt(
  pet: Rectangle,
  { workArea }: PetDisplayLike,
  { width, height }: { width: number; height: number },
): BubblePlace {
  const head = { x: pet.x + pet.width / 2, y: pet.y + pet.height * 0.3 }
  const middle = clamp(Math.round(head.x - width / 2), workArea.x, workArea.x + workArea.width - width)
  const level = clamp(Math.round(head.y - height / 2), workArea.y, workArea.y + workArea.height - height)
  const [across, down] = [
    Math.round(clamp(head.x - middle, EDGE, width - EDGE)),
    Math.round(clamp(head.y - level, EDGE, height - EDGE)),
  ]
  if (pet.y - height >= workArea.y)
    return { side: 'above', points: across, bounds: { x: middle, y: pet.y - height, width, height } }
  if (pet.x - width >= workArea.x)
    return { side: 'left', points: down, bounds: { x: pet.x - width, y: level, width, height } }
  if (pet.x + pet.width + width <= workArea.x + workArea.width)
    return { side: 'right', points: down, bounds: { x: pet.x + pet.width, y: level, width, height } }
  return {
    side: 'below',
    points: across,
    bounds: { x: middle, y: Math.min(pet.y + pet.height, workArea.y + workArea.height - height), width, height },
  }
}

/** At least a piece of it is on the work area, its head included. */
function reachable(bounds: Rectangle, area: Rectangle): Rectangle {
  return {
    ...bounds,
    x: clamp(
      bounds.x,
      area.x - bounds.width + Math.min(REACH, bounds.width),
      area.x + area.width - Math.min(REACH, bounds.width),
    ),
    y: clamp(bounds.y, area.y, area.y + area.height - Math.min(REACH, bounds.height)),
  }
}

const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(Math.max(least, most), value))
