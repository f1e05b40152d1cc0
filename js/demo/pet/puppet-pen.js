// How the puppet is drawn: SVG elements by script, and attributes that are written when they change.

export const outline = '#2b6ca3'
export const mix = (from, to, share) => from + (to - from) * share

export function make(name, attributes = {}) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  return node
}

export function add(parent, name, attributes) {
  return parent.appendChild(make(name, attributes))
}

const written = new WeakMap()

/** Writes what changed: an attribute that stays as it is costs nothing. */
export function set(node, attributes) {
  const known = written.get(node) ?? {}
  written.set(node, known)
  for (const key in attributes) {
    const value = attributes[key]
    const text = typeof value === 'number' ? String(round(value)) : value.replace(/-?\d+\.\d{3,}(?:e-?\d+)?/g, round)
    if (known[key] === text) continue
    known[key] = text
    node.setAttribute(key, text)
  }
}

/**
 * `move` as it is to be called: only where one of the parameters that it reads has changed, or one of `floats` is seen,
 * which moves by the time. Where nothing moved nothing is even computed.
 */
export function moves(reads, move, floats = []) {
  const before = {}
  return (values, seconds) => {
    if (reads.every((name) => values[name] === before[name]) && !floats.some((name) => values[name] > 0.01)) return
    for (const name of reads) before[name] = values[name]
    move(values, seconds)
  }
}

const round = (number) => Math.round(number * 100) / 100
