// `import 'sluice/ui/math'`: from then on texts show maths, drawn by Temml as MathML. A file of its own, since it is as
// large as the rest.
import temml from 'temml'
import { setMathRenderer } from './text/math-renderer.js'

/**
 * Draws TeX as MathML; `display`: on lines of its own. Throws where it cannot. Texts call it once this module is there.
 */
export function renderMath(tex: string, display: boolean): Element {
  const holder = document.createElement('span')
  // Nothing that an address or a style could come from (`trust`), and bounds for what expands itself or makes itself
  // large, in em.
  temml.render(tex, holder, {
    displayMode: display,
    throwOnError: true,
    trust: false,
    maxExpand: 100,
    maxSize: [20, 20],
  })
  const drawn = holder.firstElementChild
  if (!drawn) throw new Error('nothing was drawn')
  return drawn
}

setMathRenderer(renderMath)
