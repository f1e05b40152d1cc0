// The rows of a question on a terminal, as `run` and `chat` ask it and `questions` lists it.
import { isAbout, type Line } from '../../app/bridge/question.js'
import { proseRows } from './flow.js'
import { rowsOf, type Paint } from './rows.js'

/**
 * In front of every row of a model's or a tool's words: none of them can draw a row that looks like one of another
 * kind.
 */
const marks = { about: '  > ', notice: '! ', name: '  › ', nameGoesOn: '  ┊ ', value: '        │ ' }

/** The rows of a question. Whoever shows them draws a border in front of all, and writes nothing of its own there. */
export function questionRows(lines: readonly Line[], width: number, paint: Paint): string[] {
  const counts = new Map<string, number>()
  for (const { kind, of } of lines) if (kind === 'value' && of) counts.set(of, (counts.get(of) ?? 0) + 1)
  const joined = (...kinds: Line['kind'][]): string[] =>
    proseRows(
      lines
        .filter(({ kind }) => kinds.includes(kind))
        .flatMap(({ runs }, at) => [...(at ? [{ text: ' · ' }] : []), ...runs]),
      width,
      paint,
    )
  const rows = (line: Line, indent: string, first = indent): string[] =>
    (line.kind === 'argument' || line.kind === 'value' ? rowsOf : proseRows)(
      line.runs,
      Math.max(8, width - first.length),
      paint,
    ).map((row, at) => (at ? indent : first) + row)
  return [
    ...lines
      .filter(isAbout)
      .flatMap((line) =>
        rows(line, line.kind === 'about' ? marks.about : marks.notice).map((row) =>
          paint(line.kind === 'about' ? 'dim' : 'yellow', row),
        ),
      ),
    ...joined('sentence'),
    ...joined('tool', 'counts'),
    ...joined('effect'),
    ...lines
      .filter((line) => !isAbout(line))
      .flatMap((line) => {
        switch (line.kind) {
          case 'argument':
            return rows(
              { ...line, runs: [...(line.label ? [...line.label, { text: ' · ' }] : []), ...line.runs] },
              marks.nameGoesOn,
              marks.name,
            )
          case 'value': {
            const numbered = (counts.get(line.of ?? '') ?? 0) > 1
            return rows(line, marks.value, `  ${(numbered ? String(line.number) : '').padStart(5)} │ `)
          }
          case 'notice':
          case 'hidden':
            return rows(line, marks.notice).map((row) => paint('yellow', row))
          default:
            return []
        }
      }),
  ]
}
