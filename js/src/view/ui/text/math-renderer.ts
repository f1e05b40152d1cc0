// Where `sluice/ui/math`, a file of its own, leaves the function that draws maths.

/** Draws TeX. Throws where it cannot. */
export type MathRenderer = (tex: string, display: boolean) => Element

const KEY = Symbol.for('sluice.math')
/** Told on the document once maths can be drawn. */
export const MATH_CAME = 'sluice-math'

export const mathRenderer = (): MathRenderer | undefined => (globalThis as { [KEY]?: MathRenderer })[KEY]

export function setMathRenderer(renderer: MathRenderer): void {
  ;(globalThis as { [KEY]?: MathRenderer })[KEY] = renderer
  document.dispatchEvent(new Event(MATH_CAME))
}
