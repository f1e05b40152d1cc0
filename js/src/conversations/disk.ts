// Disk access of a store: errors as sentences, atomic replacement of files, appending, and a lock between processes.
import { randomUUID } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SluiceError } from '../core/errors.js'

const faults: { readonly [code: string]: string } = {
  EISDIR: 'it is a folder, expected a file', ENOTDIR: 'a part of the path is a file, expected a folder', EACCES: 'there is no permission to use it',
  EPERM: 'there is no permission to use it', EROFS: 'the disk can only be read', ENOSPC: 'the disk is full', EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'the path is too long', EIO: 'the disk does not work',
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? ''

/** Runs `act` and turns what it throws into a SluiceError `storage` with the path. */
export async function attempt<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause
    throw new SluiceError({ code: 'storage', path, detail: `the file of a conversation: ${faults[codeOf(cause)] ?? (cause as Error).message}`, cause })
  }
}

/** The value, or null if there is no such file or folder. */
export async function orNull<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

/** A stamp that differs whenever the file changed; null if there is no file. */
export async function stampOf(path: string): Promise<string | null> {
  const stats: BigIntStats | null = await orNull(stat(path, { bigint: true }))
  return stats && `${stats.ino}.${stats.mtimeNs}.${stats.ctimeNs}.${stats.size}`
}

/** Replaces a file. A reader sees the old file or the new one, never half of one, even after a power failure. */
export async function replaceFile(path: string, content: string | Uint8Array, check: () => Promise<void>): Promise<void> {
  const next = `${path}.${randomUUID()}.new`
  try {
    const handle = await open(next, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await check()
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Writes after the first `size` bytes of the file and drops what followed them. A failure leaves the first `size` bytes as they were. */
export async function appendAt(path: string, size: number, content: Buffer, check: () => Promise<void>): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    await check()
    await handle.truncate(size)
    try {
      for (let at = 0; at < content.length; ) at += (await handle.write(content, at, content.length - at, size + at)).bytesWritten
      await handle.sync()
    } catch (error) {
      await handle.truncate(size).catch(() => {})
      throw error
    }
  } finally {
    await handle.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined
  try {
    folder = await open(path, constants.O_RDONLY)
    await folder.sync()
  } catch {
    // Windows cannot sync a folder; the rename itself is done
  } finally {
    await folder?.close()
  }
}

/** A lock is held only while a file is written: one of this age was left by a process that died. */
const STALE_MS = 10_000
const POLL_MS = 5

/** Runs `act` while holding a lock file, one process at a time. `act` calls `check` before it changes anything. */
export async function locked<T>(path: string, act: (check: () => Promise<void>) => Promise<T>): Promise<T> {
  const name = randomUUID()
  const holds = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === name
  for (;;) {
    try {
      await writeFile(path, name, { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      // Windows refuses to create a file while it is being removed.
      if (!['EEXIST', 'EBUSY'].includes(codeOf(error)) && !(codeOf(error) === 'EPERM' && process.platform === 'win32')) throw error
    }
    const made = (await orNull(stat(path)))?.mtimeMs
    if (made !== undefined && Math.abs(Date.now() - made) > STALE_MS) await rm(path, { force: true })
    else await delay(POLL_MS)
  }
  try {
    return await act(async () => {
      if (!(await holds())) throw new Error('it was changed by another process at the same time; try again')
    })
  } finally {
    if (await holds()) await rm(path, { force: true }).catch(() => {})
  }
}
