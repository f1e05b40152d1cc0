// A question as one sentence: who wants to do what. Words of the app are filled with names and values as a person must
// see them; a stranger's words are a quotation beside the tool's true name.
import { inLanguage } from '../../engine/core/in-language.js'
import type { Json } from '../../engine/core/events.js'
import type { TextRun } from './invisible.js'
import { nameRuns, plain } from './named.js'
import type { QuestionRequest } from './question-request.js'
import type { QuestionWords } from './question-words.js'

/** So much of a value stands in a sentence; all of it stands below. */
const VALUE = 60
/** and of the name of who asks. */
const NAME = 40

/** The sentence. `name`: who asks, unless another tool does; default the assistant. */
export function sentenceOf(
  request: QuestionRequest,
  words: QuestionWords,
  lang: string,
  name: string | undefined,
): TextRun[] {
  const { stage, reader, prepared, parent } = request
  const parts = {
    who: strong(nameRuns(parent?.name || name || words.someone, words, NAME)),
    what: whatOf(request, words, lang),
    // The result of a nested call goes to the tool that asked for it.
    reader: strong(
      parent
        ? nameRuns(parent.name, words, NAME)
        : reader
          ? nameRuns(reader.host === undefined ? reader.model : words.modelAt(reader.model, reader.host), words)
          : [{ text: words.theModel }],
    ),
  }
  return filled(stage === 'result' ? words.hasResult : prepared ? words.prepared : words.wants, parts)
}

/** What the call does, without who does it: "send **Hello** to **Lin**". */
export function whatOf(
  { words: own, name, title, arguments: args }: QuestionRequest,
  words: QuestionWords,
  lang: string,
): TextRun[] {
  const sentence = own?.sentence !== undefined && own.from === undefined ? inLanguage(own.sentence, lang) : undefined
  if (sentence !== undefined) {
    const names = [...sentence.matchAll(/\{([^{}]+)\}/g)].map(([, one]) => one as string)
    // A sentence with a gap in it would say something else.
    if (names.every((one) => args !== undefined && Object.hasOwn(args, one) && args[one] !== null)) {
      return stressed(sentence).flatMap(([text, stress]) => {
        const runs = filled(text, Object.fromEntries(names.map((one) => [one, valueRuns(args?.[one] as Json, words)])))
        return stress ? strong(runs) : runs
      })
    }
  }
  const called = own?.title === undefined ? title : inLanguage(own.title, lang)
  const tool = strong(nameRuns(called || name || '?', words))
  return own?.from === undefined
    ? filled(words.uses, { tool })
    : filled(words.usesOf, { tool, from: nameRuns(own.from, words, NAME) })
}

/** A text with names in braces, and what stands in their place. */
function filled(text: string, parts: { [name: string]: TextRun[] }): TextRun[] {
  return text.split(/(\{[^{}]+\})/).flatMap((piece): TextRun[] => {
    const name = piece.slice(1, -1)
    if (piece.startsWith('{') && Object.hasOwn(parts, name)) return parts[name] as TextRun[]
    return piece ? [{ text: piece }] : []
  })
}

/** Every other piece between stars is stressed. */
const stressed = (text: string): [string, boolean][] => text.split('**').map((piece, at) => [piece, at % 2 === 1])
/** What says something about the text keeps its mark. */
const strong = (runs: TextRun[]): TextRun[] => runs.map(({ text, mark = 'strong' }) => ({ text, mark }))

/** A value is always stressed: so one sees where it begins and ends. */
function valueRuns(value: Json, words: QuestionWords): TextRun[] {
  const text = typeof value === 'string' || typeof value !== 'object' ? plain(value) : JSON.stringify(value)
  return text.trim() === ''
    ? [{ text: `⟨${words.spaces(text.length)}⟩`, mark: 'blank' }]
    : strong(nameRuns(text.trim(), words, VALUE))
}
