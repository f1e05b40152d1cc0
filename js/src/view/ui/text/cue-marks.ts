// Marks for calls in a text. They are made of noncharacters: those of a model's own text are taken out before.

const MARK = /\ufdd0(\d+)\ufdd1/
/** The last line is one that text behind it would change: the end of a fence, a rule, a row. */
const OWN_LINE = /(?:^|\n)[ \t]*(?:[-*_=: \t]+|(?:`{3,}|~{3,})[^\n]*|[^\n]*\|)[ \t]*$/

/** The mark of a call behind `text`. Where it cannot stand in the line it has one of its own. */
export function cueMark(index: number, text: string): string {
  const mark = `\ufdd0${index}\ufdd1`
  if (text === '') return `${mark}\n\n`
  const end = /\n[ \t]*(\n?)[ \t]*$/.exec(text)
  if (end) return `${mark}\n${end[1]}`
  return OWN_LINE.test(text) ? `\n${mark}\n\n` : mark
}

/** A model's text without what would look like a mark. */
export const withoutMarks = (text: string): string =>
  /[\ufdd0\ufdd1]/.test(text) ? text.replace(/[\ufdd0\ufdd1]/g, '') : text

/** Code without the marks in it. */
export const codeWithoutMarks = (code: string): string =>
  code.includes('\ufdd0') ? code.replace(/(^|\n)\ufdd0\d+\ufdd1\n/g, '$1').replace(/\ufdd0\d+\ufdd1/g, '') : code

/** Texts and indices of calls, by turns: a text, an index, a text … */
export const splitMarks = (text: string): string[] => (text.includes('\ufdd0') ? text.split(MARK) : [text])
