// What file-copies.ts is in a page: it has no files.
import { SluiceError } from '../../engine/core/errors.js'

export class FileCopies {
  async path(): Promise<string> {
    throw new SluiceError({
      code: 'unsupported',
      detail: 'a file has no path in a page',
      hint: 'use read() of the file',
    })
  }

  async close(): Promise<void> {}
}
