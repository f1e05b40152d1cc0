// Disk access of a store: errors as sentences, atomic replacement of files, appending, and a lock between processes.
import { randomUUID } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SluiceError } from '../../engine/core/errors.js'
import { LockFile, POLL_MS } from '../../engine/core/lock-file.js'

const faults: { readonly [code: string]: string } = {
  EISDIR: 'it is a folder, expected a file',
  ENOTDIR: 'a part of the path is a file, expected a folder',
  EEXIST: 'a part of the path is a file, expected a folder',
  EACCES: 'there is no permission to use it',
  EPERM: 'there is no permission to use it',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'the path is too long',
  EIO: 'the disk does not work',
}

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? ''

/** Runs `act` and turns what it throws into a SluiceError `storage` with the path. */
export async function attempt<T>(path: string, act: () => Promise<T>, what = 'the file of a conversation'): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof SluiceError) throw cause
    throw new SluiceError({
      code: 'storage',
      path,
      detail: `${what}: ${faults[codeOf(cause)] ?? (cause as Error).message}`,
      cause,
    })
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
export async function replaceFile(path: string, content: string | Uint8Array, check: () => void): Promise<void> {
  const next = `${path}.${randomUUID()}.new`
  try {
    const handle = await open(next, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    check()
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Writes after the first `size` bytes of the file and drops what followed them. A failure leaves the first `size` bytes
 * as they were.
 */
export async function appendAt(path: string, size: number, content: Buffer, check: () => void): Promise<void> {
  const handle = await open(path, 'r+')
  try {
    check()
    await handle.truncate(size)
    try {
      for (let at = 0; at < content.length; )
        at += (await handle.write(content, at, content.length - at, size + at)).bytesWritten
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

/** A lock is held only while a file is written. */
const STALE_MS = 10_000

/** Runs `act` while holding a lock file, one process at a time. `act` calls `check` before it changes anything. */
export async function locked<T>(path: string, act: (check: () => void) => Promise<T>): Promise<T> {
  const lock = new LockFile(path, STALE_MS)
  while (!lock.take()) await delay(POLL_MS)
  try {
    return await act(() => lock.check())
  } finally {
    lock.release()
  }
}
