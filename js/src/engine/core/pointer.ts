/** The JSON Pointer of a member of an object. */
export const pointerOf = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
