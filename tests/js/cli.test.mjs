// The words of `npx sluice`: help, and what is told about wrong ones.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sluice, sluiceHere } from './cli-support.mjs'

const commands = ['demo', 'chat', 'check', 'parse', 'serve', 'tester', 'gallery', 'worker', 'questions']

test('help: of everything, of each command, both ways', async () => {
  const all = await sluice(['--help'])
  assert.equal(all.code, 0)
  assert.equal((await sluiceHere([])).out, all.out)
  for (const command of commands) {
    assert.match(all.out, new RegExp(`^  ${command} `, 'm'))
    const help = await sluiceHere([command, '--help'])
    assert.deepEqual([help.code, help.err], [0, ''])
    assert.match(help.out, new RegExp(`^npx sluice ${command} `))
    assert.equal((await sluiceHere(['help', command])).out, help.out)
    assert.ok(
      help.out.split('\n').every((line) => line.length <= 140),
      command,
    )
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.equal((await sluice(['--version'])).out, `${version}\n`)
})

test('wrong words end with 2, and say what was found and what there is', async () => {
  const wrong = [
    [['dmeo'], /found 'dmeo', expected one of the commands demo, chat, check, parse, .*; did you mean demo\?/],
    [['proxy', '--base-url', 'http://127.0.0.1:1'], /found 'proxy', expected one of the commands .*\bserve\b/],
    [['help', 'x'], /found 'x', expected one of the commands/],
    [['__proto__'], /found '__proto__', expected one of the commands/],
    [['parse', 'a', '--colour'], /found --colour, expected one of --.*--json/],
    [['parse', 'a', '--wier', 'x'], /found --wier, expected one of .*; did you mean --wire\?/],
    [['parse', '/'], /^\/ is a folder, expected a file$/m],
    [['chat', '--base-url', 'localhost:11434/v1'], /did you mean http:\/\/localhost:11434\/v1\?/],
    [['parse'], /FILE is missing/],
    [['parse', 'a', 'b'], /found 'b', expected FILE only/],
    [
      ['parse', 'a', '--chunks', 'some'],
      /--chunks: found 'some', expected whole, byte, a number of bytes or seed:NUMBER/,
    ],
    [['parse', 'a', '--chunks', '0'], /--chunks: found '0'/],
    [
      ['parse', 'a', '--wire', 'tcp'],
      /--wire: found 'tcp', expected one of openai-chat, openai-responses, anthropic, gemini, gemini-interactions, ollama, text/,
    ],
    [['parse', 'a', '--json=1'], /--json: found '1', expected no value/],
    [['parse', 'a', '--wire'], /--wire: expected a value behind it/],
    [['parse', '/no/such/file'], /^there is no file \/no\/such\/file$/m],
    [['parse', '-', '--tools', '/no/such.json'], /^--tools: there is no file \/no\/such\.json$/m],
    [['chat'], /--base-url URL and --model NAME are missing/],
    [
      ['chat', '--provider', 'claude'],
      /--provider: found 'claude', expected one of openai, anthropic, .* \(did you mean anthropic\?\)/,
    ],
    [['chat', '--provider', 'gemini'], /--provider needs --model NAME beside it: one of Google Gemini is gemini-/],
    [
      ['chat', '--provider', 'kimi', '--model', 'm'],
      /Kimi wants a key: set \$MOONSHOT_API_KEY, or name another variable by --key-env/,
    ],
    [
      ['chat', '--provider', 'kimi', '--model', 'm', '--key-env', 'NO_SUCH_KEY'],
      /--key-env: found no environment variable NO_SUCH_KEY/,
    ],
    [
      ['chat', '--provider', 'kimi', '--model', 'm', '--key-env', 'A', '--api-key', 'B'],
      /--key-env NAME and --api-key KEY: expected one of them/,
    ],
    [
      ['chat', '--provider', 'ollama', '--model', 'm', '--wire', 'tcp'],
      /--wire: found 'tcp', expected one of openai-chat, openai-responses, anthropic, gemini, gemini-interactions, ollama/,
    ],
    [['chat', '--wire', 'gemini'], /--wire needs --base-url URL or --provider NAME beside it/],
    [['check'], /--provider NAME or --base-url URL is missing/],
    [['check', '--base-url', 'http://127.0.0.1:1', '--mode', 'text'], /found --mode, expected one of/],
    [['chat', 'hello'], /found 'hello', expected options only/],
    [['chat', '--model', '--yes'], /--model: found '--yes', expected a value/],
    [['chat', '--base-url', 'localhost:1', '--model', 'm'], /found 'localhost:1', expected an http or https URL/],
    [
      ['chat', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--mode', 'loud'],
      /--mode: found 'loud', expected one of native, text, auto/,
    ],
    [
      ['chat', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--system', '/no/such'],
      /^--system: there is no file \/no\/such$/m,
    ],
    [['tester', '--port', 'x'], /--port: found 'x', expected a whole number from 0 to 65535/],
    [['demo', '--port', '70000'], /--port: found '70000'/],
  ]
  for (const [at, [args, message]] of wrong.entries()) {
    const { code, out, err } = await (at % 7 === 0 ? sluice : sluiceHere)(args)
    assert.equal(code, 2, args.join(' '))
    assert.equal(out, '', args.join(' '))
    assert.match(err, message)
    assert.match(err, /npx sluice.* --help tells more\.\n$/)
  }
})
