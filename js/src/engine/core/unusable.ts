/**
 * Why no tool gets these arguments, in words that follow "Not run: "; undefined: nothing is wrong with them.
 *
 * - A member that means its object's prototype: `__proto__`, or `constructor` with a `prototype` in it. Whoever merges
 *   such an object into another
 *   one changes every object there is.
 * - A number beyond what JavaScript holds (1e999): the tool would get Infinity, and a person be asked about `null`, for
 *   that is how JSON writes it.
 */
export function unusable(args: unknown): string | undefined {
  const open: unknown[] = [args]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one === Infinity || one === -Infinity)
      return 'a number in the arguments is larger than any that can be handed on.'
    if (typeof one !== 'object' || one === null) continue
    const named = Array.isArray(one) ? undefined : prototypeKey(one)
    if (named !== undefined) return `no argument may be named ${named}.`
    for (const each of Object.values(one))
      if ((typeof each === 'object' && each !== null) || typeof each === 'number') open.push(each)
  }
  return undefined
}

function prototypeKey(object: object): string | undefined {
  if (Object.hasOwn(object, '__proto__')) return '__proto__'
  const made: unknown = Object.hasOwn(object, 'constructor')
    ? (object as { constructor: unknown }).constructor
    : undefined
  return typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')
    ? 'constructor.prototype'
    : undefined
}
