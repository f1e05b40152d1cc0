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

const round = (number) => Math.round(number * 100) / 100
