// Remembered approvals in a file.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SluiceError } from './errors.js'
import type { Rule } from './events.js'
import { LockFile, LockLost, POLL_MS } from './lock-file.js'
import { isObject, shown } from './options.js'
import { without, withRule, type RuleStore } from './rules.js'

/**
 * Keeps rules of scope `always` in a JSON file, the others as long as the process lives. A deny or an ask without a
 * scope is for ever. Any number of processes may share the file: every change is made under a lock, and the file is
 * replaced as a whole. The file is checked whenever it is read; what is wrong in it is a SluiceError `option` with its
 * place, and no run begins until it is mended.
 */
export function fileRules(path: string): RuleStore {
  if (typeof path !== 'string' || path === '')
    throw new SluiceError({ code: 'option', path: 'path', detail: 'expected the path of a file' })
  const rules = new FileRules(resolve(path))
  rules.list()
  return rules
}

/** Nobody needs longer to write a small file. */
const STALE_MS = 5000

class FileRules implements RuleStore {
  readonly #path: string
  /** Rules of other scopes, and those that could not be written: a decision counts also where the disk is full. */
  #own: Rule[] = []
  #read: { stamp: string; rules: Rule[] } | undefined

  constructor(path: string) {
    this.#path = path
  }

  list(): Rule[] {
    return structuredClone([...this.#load(target(this.#path)), ...this.#own])
  }

  add(given: Rule): void {
    const rule = lasting(given)
    if (rule.scope !== 'always') {
      this.#own = withRule(this.#own, rule)
      return
    }
    try {
      this.#change((rules) => withRule(rules, rule))
    } catch (error) {
      this.#own = withRule(this.#own, rule)
      throw error
    }
  }

  revoke(rule: Rule): boolean {
    const before = this.#own.length
    this.#own = without(this.#own, rule)
    let found = this.#own.length < before
    if (without(this.#load(target(this.#path)), rule).length < this.#load(target(this.#path)).length) {
      this.#change((rules) => {
        const left = without(rules, rule)
        found ||= left.length < rules.length
        return left
      })
    }
    return found
  }

  #change(change: (rules: Rule[]) => Rule[]): void {
    const path = target(this.#path)
    attempt(path, () => mkdirSync(dirname(path), { recursive: true }))
    while (!this.#changeOnce(path, change));
  }

  /** Returns false where this process slept for so long under its lock that another one took it: nothing was written. */
  #changeOnce(path: string, change: (rules: Rule[]) => Rule[]): boolean {
    const lock = new LockFile(`${path}.lock`, STALE_MS)
    while (!attempt(path, () => lock.take())) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
    try {
      const before = this.#load(path)
      const after = change(before)
      if (after !== before) replace(path, `${JSON.stringify(after, null, 2)}\n`, () => lock.check())
      return true
    } catch (error) {
      if ((error as SluiceError).cause instanceof LockLost) return false
      throw error
    } finally {
      lock.release()
    }
  }

  /** The file as it is now. One that nobody replaced is not read again. */
  #load(path: string): Rule[] {
    const stamp = stampOf(path)
    if (stamp === undefined) return []
    if (this.#read?.stamp !== stamp) this.#read = { stamp, rules: readRules(path) }
    return this.#read.rules
  }
}

// -- rules ------------------------------------------------------------------------------------------------------------

/** A deny or an ask without a scope lasts for ever. */
const lasting = (rule: Rule): Rule =>
  rule.scope === undefined && rule.effect !== 'allow' ? { ...rule, scope: 'always' } : rule

function readRules(path: string): Rule[] {
  const text = attempt(path, () => readFileSync(path, 'utf8'))
  // An unreadable file must not count as "no rules": a deny in it would be lost.
  const wrong = (at: string, detail: string): SluiceError =>
    new SluiceError({
      code: 'option',
      path: `${path}${at}`,
      detail,
      hint: 'mend or remove the file: until then nothing runs',
    })
  let rules: unknown
  try {
    rules = JSON.parse(text)
  } catch (error) {
    throw wrong('', `the rules are no JSON: ${(error as Error).message}`)
  }
  if (!Array.isArray(rules)) throw wrong('', 'expected an array of rules')
  return rules.map((rule: unknown, index) => {
    const fault = faultOf(rule)
    if (fault) throw wrong(`[${index}]${fault.at}`, fault.detail)
    return lasting(rule as Rule)
  })
}

const known: { readonly [member: string]: (value: unknown) => string | undefined } = {
  tool: (value) => (typeof value === 'string' && value !== '' ? undefined : "a tool's name, or its beginning and *"),
  effect: (value) => (['allow', 'ask', 'deny'].includes(value as string) ? undefined : 'allow | ask | deny'),
  scope: (value) => (value === undefined || value === 'always' ? undefined : '"always": other rules are in no file'),
  arguments: (value) => (value === undefined || isObject(value) ? undefined : 'an object'),
  definition: (value) => (value === undefined || typeof value === 'string' ? undefined : 'a string'),
}

function faultOf(rule: unknown): { at: string; detail: string } | undefined {
  if (!isObject(rule))
    return { at: '', detail: `found ${shown(rule)}, expected a rule such as { "tool": "shell.run", "effect": "deny" }` }
  const stranger = Object.keys(rule).find((name) => !Object.hasOwn(known, name) && !name.startsWith('x-'))
  if (stranger !== undefined)
    return {
      at: `.${stranger.slice(0, 60)}`,
      detail: `unknown member, expected ${Object.keys(known).join(', ')}, or x-… for your own`,
    }
  for (const [name, check] of Object.entries(known)) {
    const expected = check(rule[name])
    if (expected !== undefined) return { at: `.${name}`, detail: `found ${shown(rule[name])}, expected ${expected}` }
  }
  // An approval that says nothing must not come to mean the most that it could.
  if (rule['effect'] === 'allow' && rule['scope'] === undefined)
    return { at: '.scope', detail: 'found none, expected "always" beside an allow' }
  return undefined
}

// -- the file ---------------------------------------------------------------------------------------------------------

const faults: { readonly [code: string]: string } = {
  EISDIR: 'it is a folder, expected a file',
  ENOTDIR: 'a part of the path is a file, expected a folder',
  EACCES: 'there is no permission to use it',
  EPERM: 'there is no permission to use it',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  ELOOP: 'its links lead in a circle',
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    throw new SluiceError({ code: 'option', path, detail: `the file of the rules: ${faults[code] ?? message}`, cause })
  }
}

/** Follows symbolic links: the links stay, and their target is replaced. */
function target(path: string): string {
  return attempt(path, () => {
    for (let links = 0; links < 40; links++) {
      try {
        path = resolve(dirname(path), readlinkSync(path))
      } catch (error) {
        // no link, or nothing yet
        if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes((error as NodeJS.ErrnoException).code ?? '')) return path
        throw error
      }
    }
    throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
  })
}

/** Undefined if there is no file. */
function stampOf(path: string): string | undefined {
  const stats = attempt(path, () => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return stats && `${stats.ino}.${stats.mtimeNs}.${stats.ctimeNs}.${stats.size}`
}

/** A reader sees the old file or the new one, never half of one, also when the power fails. */
function replace(path: string, text: string, check: () => void): void {
  const next = `${path}.${randomUUID()}.new`
  attempt(path, () => {
    try {
      const handle = openSync(next, 'wx', 0o600)
      try {
        writeFileSync(handle, text)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      check()
      renameSync(next, path)
    } catch (error) {
      rmSync(next, { force: true })
      throw error
    }
  })
  try {
    const folder = openSync(dirname(path), constants.O_RDONLY)
    fsyncSync(folder)
    closeSync(folder)
  } catch {
    // Windows has no such thing; the rename itself is done
  }
}
