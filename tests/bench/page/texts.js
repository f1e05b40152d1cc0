// What models write, again and again until it is long enough.
const prose = `## How it was found, part N

The pet **looked out** of the window and saw *three* birds, which is [what it always does](https://example.com/birds) when it rains; nobody
knows why. It said: "Fine weather, N of them", and went on with \`listening()\`.

1. First it listens, for **some time**.
2. Then it says what it heard, in a sentence or two that may be longer than a line of the page is wide, so that it wraps.
3. At last it sleeps.

> Whoever sleeps does not bite, says the book, and *that* is all there is to say about it.

今天天气**很好**，我们去散步吧。她说：“明天也会是晴天”，然后看了看窗外。

- one thing, with ~~an error~~ nothing wrong
- another, see https://example.com/more
  - and below it, a third

`
const tables = `Here is what was measured in run N:

| what | before | now | why |
|---|---:|---:|:--|
| open the page | 820 ms | **790 ms** | fewer nodes |
| a token | 0.35 ms | 0.31 ms | \`append\` only |
| a table | 1.9 | 1.2 | by the row |
| a word of Chinese | 很好 | 更好 | nothing |
| scroll | 46 fps | 58 fps | *less* layout |
| memory | 7.2 MB | 6.9 MB | [notes](https://example.com/n) |
| a question | 24 ms | 24 ms | the same |
| code | 1.8 | 1.1 | one text node |

`
const code = `The function, as it stands in N:

\`\`\`ts
export function grow(node: Text, before: string, now: string): void {
  if (now === before) return // nothing came
  if (now.startsWith(before)) return node.appendData(now.slice(before.length))
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  node.replaceData(same, before.length - same, now.slice(same))
}

const table = new Map<string, number>([['one', 1], ['two', 2], ['three', 3]])
for (const [name, value] of table) {
  console.log(\`\${name}: \${value * 2}\`, "and more of it")
}
\`\`\`

`
const kinds = { prose: [prose], tables: [tables], code: [code], mixed: [prose, tables, code] }

/** `count` tokens of a kind: about four characters each. */
export function tokens(kind, count) {
  const all = []
  for (let part = 0; all.length < count; part++)
    all.push(
      ...kinds[kind][part % kinds[kind].length].replaceAll('N', part + 1).match(/[\p{L}\d]{1,4}|[^\p{L}\d]{1,3}/gu),
    )
  return all.slice(0, count)
}
