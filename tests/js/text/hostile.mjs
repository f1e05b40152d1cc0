// Texts that stall readers of Markdown, by what they are made of.

/** Each of about `n` characters. */
export function hostileOf(n) {
  const of = (count) => Math.round((count * n) / 20_000)
  const r = (s, times = Math.ceil(n / s.length)) => s.repeat(times)
  return {
    ticks: r('`'),
    ticks2: r('`a'),
    ticksUp: Array.from({ length: of(200) }, (_, i) => '`'.repeat(i) + 'a').join(''),
    quotes: '>'.repeat(of(1000)) + ' a',
    quotesLines: r('>'.repeat(100) + ' a\n'),
    brackets: r('['),
    bracketsPair: r('[a]('),
    images: r('!['),
    links: r('[a](b)'),
    nestedLinks: r('[', of(3000)) + 'a' + r('](b)', of(3000)),
    stars: r('*'),
    starsA: r('*a '),
    starsB: r('a**b'),
    under: r('_a_'),
    mixed: r('*_~`['),
    tilde: r('~~a'),
    lists: Array.from({ length: of(200) }, (_, i) => ' '.repeat(i * 2) + '- a').join('\n'),
    listsInline: r('- ', of(5000)) + 'a',
    ordered: r('1. ', of(3000)),
    table: '|' + r('a|', of(3000)) + '\n|' + r('-|', of(3000)) + '\n' + r('|x\n', of(3000)),
    tableWide: '|' + r('a|', of(500)) + '\n|' + r('-|', of(500)) + '\n' + r('|\n', of(5000)),
    halfTable: r('| a |\n'),
    amp: r('&'),
    entities: r('&amp;'),
    lt: r('<'),
    autolink: r('<http://'),
    sub: r('<sub>'),
    subs: r('<sub>') + r('</sub>'),
    urls: r('https://a.b/'),
    url1: 'https://a.b/' + r('('),
    urlc: r('http:'),
    backslash: r('\\'),
    blanks: r(' '),
    newline: r('\n'),
    tabs: r('\t'),
    spacesA: r('  a\n'),
    heads: r('# a\n'),
    hr: r('---\n'),
    fences: r('```\n'),
    tildeF: r('~~~a\n'),
    quoteList: r('> - '),
    line: 'a'.repeat(of(1e6)),
    cjk: r('**「中」**'),
    dollars: r('$a'),
    emailish: r('<a@b.c'),
    parens: '[a](' + r('('),
    title: r('[a](b "'),
    lazy: '> a\n' + r('b\n'),
    spacesTab: r('a' + ' '.repeat(50) + '\n'),
    scripts: r('[a](javascript:alert(1)) <javascript:a> '),
    bidi: r('\u202e**\u2066a\u2069** '),
    pictureLarge: `![a](data:image/png;base64,${r('A', of(2e6))})`,
    picturesNone: r('![a](data:image/png;base64,AAAA) '),
    cells: '|a|\n|-|\n' + r('|`a|**b|\n'),
  }
}

export const hostile = hostileOf(20_000)

/**
 * The beginning of a text that is just not too large to be read as Markdown, which is the most that is read at once.
 */
export function fullest(text) {
  let [markers, lines, at] = [0, 0, 0]
  for (; at < Math.min(text.length, 11_900) && markers < 1500 && lines < 399; at++) {
    if ('*_~`[<>$&\\'.includes(text[at])) markers++
    if (text[at] === '\n') lines++
  }
  return text.slice(0, at)
}
