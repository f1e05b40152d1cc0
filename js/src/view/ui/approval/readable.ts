// Whether the styles of an element and of all around it leave its text readable.

/** What is more transparent than this cannot be read. */
const OPAQUE = 0.5
/** Smaller text cannot be read, in pixels of the screen. */
const SMALLEST = 9
/** Computed filters that leave no text. Shadows and turned colours do no harm, nor does a weak one of these. */
const HIDES = /url\(|blur\((?!0)|(brightness|contrast|opacity)\((?!1\b|0\.[5-9])|invert\((?![01]\))/

/** `styles`: of the element, then of all that it is in. `scale`: by which transforms change its size. */
export const isReadable = (styles: readonly CSSStyleDeclaration[], scale: number): boolean =>
  styles.reduce((product, { opacity }) => product * +opacity, 1) >= OPAQUE &&
  parseFloat(styles[0]!.fontSize) * scale >= SMALLEST &&
  !styles.some(
    ({ filter, maskImage, webkitMaskImage }) =>
      HIDES.test(filter) || (maskImage || webkitMaskImage || 'none') !== 'none',
  )
