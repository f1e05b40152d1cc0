/**
 * Where an object has a member that means its prototype: `__proto__`, or `constructor` with a `prototype` in it. Whoever merges such an object
 * into another one changes every object there is. Undefined: nowhere.
 */
export function prototypeKey(value: unknown): string | undefined {
  const open: unknown[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one)) {
      if (Object.hasOwn(one, '__proto__')) return '__proto__'
      const made: unknown = Object.hasOwn(one, 'constructor') ? (one as { constructor: unknown }).constructor : undefined
      if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return 'constructor.prototype'
    }
    for (const each of Object.values(one)) if (typeof each === 'object' && each !== null) open.push(each)
  }
  return undefined
}
