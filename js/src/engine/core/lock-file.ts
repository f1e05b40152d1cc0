// A lock between processes: beside a file, while that is changed. It names who made it, so that one that a killed
// process left holds nobody up. Where that cannot be known (another computer, another container) its age tells. A lock
// is a symbolic link whose target is that name: one call of the system makes it, whole. Where there are no such links,
// it is a file.
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'

/** How long after a lock may be tried again, in milliseconds. */
export const POLL_MS = 5
/** To remove a lock takes a few calls of the system: whoever does it for so long died at it. */
const REMOVE_MS = 5000
/** A lock without a name is what a full disk left of one, or a file system without links shows for a moment. */
const EMPTY_MS = 1000

/** Another process took the lock: what is under it may have changed. */
export class LockLost extends Error {}

export class LockFile {
  readonly #path: string
  readonly #staleMs: number
  /** Less than 60 bytes: a file system keeps so short a target in the link itself. */
  readonly #text = `${randomBytes(8).toString('hex')} ${process.pid} ${own().start} ${own().place}`

  /** `staleMs`: nobody holds it for so long. */
  constructor(path: string, staleMs: number) {
    this.#path = path
    this.#staleMs = staleMs
  }

  /** False: somebody holds it. Throws what the system says where no file can be made. */
  take(): boolean {
    for (;;) {
      if (make(this.#path, this.#text)) return true
      const held = textOf(this.#path)
      if (held === undefined) return false // it was given back just now
      if (
        !isOfTheDead(held) &&
        !isOlder(this.#path, isEmpty(this.#path) ? Math.min(EMPTY_MS, this.#staleMs) : this.#staleMs)
      )
        return false
      if (!this.#remove(held)) return false
    }
  }

  /** Throws if another process removed the lock as stale, because this one slept while it held it. */
  check(): void {
    if (!this.#isHeld) throw new LockLost('it was changed by another process at the same time; try again')
  }

  release(): void {
    if (!this.#isHeld) return
    try {
      remove(this.#path)
    } catch {
      // what it was for is done: whoever comes next sees by its age that nobody holds it
    }
  }

  get #isHeld(): boolean {
    return textOf(this.#path) === this.#text
  }

  /**
   * One process at a time removes a lock that was left: a second one would remove that of the first, which is in force.
   */
  #remove(held: string): boolean {
    const removing = `${this.#path}.old`
    if (!make(removing, this.#text)) {
      if (isOlder(removing, REMOVE_MS)) remove(removing)
      return false
    }
    try {
      if (textOf(this.#path) === held) remove(this.#path)
    } finally {
      remove(removing)
    }
    return true
  }
}

/** Makes a lock with this text, or returns false where the path is taken. Windows changes the target of a link. */
function make(path: string, text: string): boolean {
  if (process.platform === 'win32') return makeFile(path, text)
  try {
    symlinkSync(text, path)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    if (!hasNoLinks(error, 'symlink')) throw error
    return makeFile(path, text)
  }
}

/**
 * The same as a file. The text is written to another name first, so the path never exists without it. A file system
 * without links gets the file at once, and loses it again where the text cannot be written.
 */
function makeFile(path: string, text: string): boolean {
  // whoever waits looks often, and leaves no files on the way
  if (lstatSync(path, { throwIfNoEntry: false })) return false
  const next = `${path}.${randomUUID()}`
  try {
    write(next, text)
    linkSync(next, path)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    if (!hasNoLinks(error, 'link')) throw error
  } finally {
    rmSync(next, { force: true })
  }
  try {
    write(path, text)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** A file that did not exist. A failed write leaves none. */
function write(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, text)
  } catch (error) {
    closeSync(file)
    rmSync(path, { force: true })
    throw error
  }
  closeSync(file)
}

/** On Windows a file that is just being removed cannot be made. */
function isTaken(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EEXIST' || code === 'EBUSY' || (code === 'EPERM' && process.platform === 'win32')
}

const hasNoLinks = (error: unknown, call: 'link' | 'symlink'): boolean =>
  /^(?:EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EXDEV|EISDIR|EINVAL|EACCES)$/.test(
    (error as NodeJS.ErrnoException).code ?? '',
  ) && (error as NodeJS.ErrnoException).syscall === call

/** Of a lock. Undefined: there is none. */
function textOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : contentOf(path)
  }
}

/** Of a file. Undefined: there is none. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : ''
  }
}

/** The lock itself, not what a link names. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

const isEmpty = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.size === 0

/** Clocks may differ, in both directions. */
function isOlder(path: string, ms: number): boolean {
  const made = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && Math.abs(Date.now() - made) > ms
}

// -- who holds it -----------------------------------------------------------------------------------------------------

/**
 * A process. `place`: a digest of the machine and the namespace that its number belongs to. `start`: when it began,
 * since the system gives a number again.
 */
interface Self {
  start: string
  place: string
}

let known: Self | undefined

/** Without a place where it cannot be told for sure. */
function own(): Self {
  if (known) return known
  if (process.platform !== 'linux') return (known = { start: '', place: digestOf(hostname()) })
  try {
    // containers share a name and a kernel, but no numbers of processes
    const place = [
      hostname(),
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      readlinkSync('/proc/self/ns/pid'),
    ].join(' ')
    return (known = { start: statusOf(process.pid)?.start ?? '', place: digestOf(place) })
  } catch {
    return (known = { start: '', place: '' })
  }
}

const digestOf = (place: string): string => createHash('sha256').update(place).digest('hex').slice(0, 16)

/** Does this lock name a process that is no more, without any doubt? */
function isOfTheDead(text: string): boolean {
  const [, pid, start, place] = /^[0-9a-f]{16} (\d{1,10}) (\d*) ([0-9a-f]{16})$/.exec(text) ?? []
  if (pid === undefined || place !== own().place || Number(pid) < 1) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  const now = process.platform === 'linux' && start ? statusOf(Number(pid)) : undefined
  return now !== undefined && (now.start !== start || now.ended)
}

/**
 * What Linux tells of a process; undefined where it does not. `ended`: only its number is left, until its parent asks
 * for it.
 */
function statusOf(pid: number): { start: string; ended: boolean } | undefined {
  const text = contentOf(`/proc/${pid}/stat`)
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') // the name in front of it may hold anything
  const [state, threads, start] = [fields?.[0], fields?.[17], fields?.[19]]
  return start === undefined ? undefined : { start, ended: /^[ZX]$/.test(state ?? '') && Number(threads) <= 1 }
}
