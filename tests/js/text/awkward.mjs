// Texts that are awkward to typeset while they come, by what is awkward about them.
export const awkward = {
  'stars that pair late':
    'This *is **not** yet* clear: **bold *and italic** or not*, a * b * c, snake_case_name and 2*3*4.\n\nNext __dunder__ _one_.',
  'lists that grow loose': '- one\n- two\n\n- three\n\n  with a paragraph\n  - nested\n\n\n    deep\n- four\n\nafter',
  'numbers that are no list':
    '2024 was long.\n2025. is next\n\n1. one\n1. two\n3) other\n\n1986\\. A year.\n10. ten\n11. eleven',
  'setext and rules': 'Heading?\n===\n\nOther\n---\ntext\n***\n* * *\n- - -\n_ _ _\n-\n--\n',
  'a fence in a list':
    '1. do\n   ```js\n   const a = 1\n\n   - no list\n   ```\n2. then\n   ~~~\n   open to the end of the item\n3. last',
  'fences of many kinds':
    '````md\n```js\ninner\n```\n````\n~~~\n``` in tildes\n~~~\n```no`fence`\n   ```py title="x"\n   indented\n     more\n```\nend\n```',
  'a fence without end': 'text\n```python\nprint("x")\n\n# not a heading\n- not a list\n``',
  tables:
    '| a | b |\n|---|:-:|\n| 1 | `x|y` |\n| 2 |\nlazy | row\n\n| no | table |\n| -- |\n\npara\n| h |\n|--|\n| c |\n# heading',
  'half a table': 'before\n\n| Name | Value |\n|------|---',
  quotes: '> one\nlazy\n> two\n\n> three\n>> deep\n> - list\n>   more\n\n> ```\n> code\n\nout',
  references: '[1]: https://example.com/a\n\nSee [1] and [text][1].\n\n[text]: <https://example.com> "t"\n',
  links:
    '[a](https://example.com/x_(y)) [b](<https://example.com/a b>) ![p](https://example.com/p.png "t") [c](javascript:alert(1)) [d](README.md) <https://example.org> [**e** `f`](https://example.com)',
  'bare addresses':
    '见https://example.com/路径，还有 https://a.example/b_c_d。（https://example.com/x）README.md, www.example.com, mailto:a@example.com! http://例え.jp/ https://example.com/a(b)c). **https://example.com**',
  'Chinese emphasis': '这是**“计划”**：先 **注意：**请。~~“删”~~了，**「引用」**和*（括号）*字。**100%**的',
  'hard breaks': 'one  \ntwo\\\nthree\nfour   \n\nfive\\',
  'escapes and entities':
    '\\*no\\* &amp; &lt;b&gt; &copy; &#35; &unknown; \\\\ \\` `a\\` <b>x</b> <br> H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd> <sub>open <SUB>X</SUB>',
  'code spans': 'a `b` c ``d ` e`` f `g\nh` ` ` `` ` `` `open and *on*',
  'windows line ends': 'one\r\n\r\n- two\r\n- three\r\n\r\n```\r\ncode\r\n```\r\rlast\r',
  'tabs and indents': '\tindented is text\n\n- a\n\tb\n\n\t- c\n   - d\n     e\n      - f\n\n    not code',
  headings: '# One\n## Two ##\n#no\n####### seven\ntext\n# \n### `c` **b**\n#\n',
  'tasks and emoji': '- [ ] to do\n- [x] done 👩‍👩‍👧 and 🇩🇪\n- [y] neither\n- [ ]\n* [X]\n\n👍🏽 **👍** *é́*',
  'blank things': '\n\n   \n \t\ntext\n   \n\n\n\nmore   \n\n   ',
  'right to left': 'שלום **עולם** abc\n\n- פריט `code`\n- item\n\n> مرحبا\n\n| א | b |\n|---|---|\n| ג | d |',
  'invisible characters': 'a\u202eb\u200bc\u0000d\u2066e **f\u200b** `g\u202e`\ufeff\n\n```\n\u202ex\n```',
}
