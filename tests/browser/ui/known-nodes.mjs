// What a text may become in the page.
export const nodes = [
  'a',
  'blockquote',
  'br',
  'button',
  'code',
  'del',
  'div',
  'em',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'input',
  'kbd',
  'li',
  'ol',
  'p',
  'pre',
  's',
  'span',
  'strong',
  'sub',
  'sup',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
]
export const attributes = [
  'aria-label',
  'aria-pressed',
  'checked',
  'class',
  'data-act',
  'data-alt',
  'data-source',
  'dir',
  'disabled',
  'hidden',
  'href',
  'part',
  'rel',
  'role',
  'scope',
  'start',
  'tabindex',
  'target',
  'type',
]

/** Those of `a` and `a[href]` as they were found that are not listed. */
export const unknownOf = (found) =>
  found.filter((one) => {
    const [node, attribute] = one.split(/[[\]]/)
    return !nodes.includes(node) || (attribute !== undefined && !attributes.includes(attribute))
  })
