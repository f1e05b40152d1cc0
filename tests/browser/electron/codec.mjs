// A structured clone as text: the wire between a page and Node here is a string (a CDP binding), and JSON would already
// take away what a hostile page may send: undefined, NaN, BigInt, Date, Map, cycles, an own `__proto__`. Runs in both;
// imports nothing.

export function encode(value) {
  const nodes = []
  const seen = new Map()
  const visit = (one) => {
    if (one === undefined) return ['undefined']
    if (typeof one === 'bigint') return ['bigint', String(one)]
    if (typeof one === 'number' && (!Number.isFinite(one) || Object.is(one, -0)))
      return ['number', Object.is(one, -0) ? '-0' : String(one)]
    if (typeof one !== 'object' || one === null) return one
    if (!seen.has(one)) {
      seen.set(one, nodes.push(null) - 1)
      nodes[seen.get(one)] = describe(one, visit)
    }
    return ['node', seen.get(one)]
  }
  return JSON.stringify({ root: visit(value), nodes })
}

function describe(one, visit) {
  const entries = () => Object.keys(one).map((key) => [key, visit(one[key])])
  if (Array.isArray(one)) return { type: 'array', length: one.length, entries: entries() }
  if (one instanceof Date) return { type: 'date', time: String(one.getTime()) }
  if (one instanceof RegExp) return { type: 'regexp', source: one.source, flags: one.flags }
  if (one instanceof Map) return { type: 'map', entries: [...one].map((pair) => pair.map(visit)) }
  if (one instanceof Set) return { type: 'set', values: [...one].map(visit) }
  if (one instanceof Error) return { type: 'error', message: one.message }
  if (one instanceof ArrayBuffer) return { type: 'bytes', bytes: [...new Uint8Array(one)] }
  if (ArrayBuffer.isView(one)) {
    return {
      type: 'view',
      name: one.constructor.name,
      bytes: [...new Uint8Array(one.buffer, one.byteOffset, one.byteLength)],
    }
  }
  return { type: 'object', entries: entries() }
}

export function decode(text) {
  const { root, nodes } = JSON.parse(text)
  const made = []
  const value = (token) => {
    if (!Array.isArray(token)) return token
    const [type, data] = token
    if (type === 'undefined') return undefined
    if (type === 'bigint') return BigInt(data)
    if (type === 'number') return Number(data)
    return data in made ? made[data] : make(nodes[data], (one) => (made[data] = one))
  }
  const make = (node, keep) => {
    switch (node.type) {
      case 'date':
        return keep(new Date(Number(node.time)))
      case 'regexp':
        return keep(new RegExp(node.source, node.flags))
      case 'error':
        return keep(new Error(node.message))
      case 'bytes':
        return keep(Uint8Array.from(node.bytes).buffer)
      case 'view':
        return keep(new globalThis[node.name](Uint8Array.from(node.bytes).buffer))
    }
    if (node.type === 'map') {
      const map = keep(new Map())
      for (const [key, item] of node.entries) map.set(value(key), value(item))
      return map
    }
    if (node.type === 'set') {
      const set = keep(new Set())
      for (const item of node.values) set.add(value(item))
      return set
    }
    const object = keep(node.type === 'array' ? new Array(node.length) : {})
    for (const [key, item] of node.entries) {
      Object.defineProperty(object, key, { value: value(item), enumerable: true, writable: true, configurable: true })
    }
    return object
  }
  return value(root)
}
