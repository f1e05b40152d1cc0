import { createHash } from 'node:crypto'

/** Names of devices on Windows. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * The folder name of a conversation: its id if every file system accepts it and keeps it apart from others, else a hash
 * of it. Neither can lead out of the store's folder.
 */
export function folderNameOf(id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) && !devices.test(id)) return id
  return `~${createHash('sha256').update(id).digest('hex').slice(0, 40)}`
}

export const isFolderName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,99}$|^~[0-9a-f]{40}$/.test(name)
