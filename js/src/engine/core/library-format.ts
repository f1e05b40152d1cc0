// What a file that ought to be a library is, by its first bytes. Linux kills a program that reaches for the missing end
// of a library that was cut off, so this is looked at before one is loaded.
import fs from 'node:fs'

/** What `file` is instead of a library for `platform` (as `linux-x64`); undefined where nothing speaks against it. */
export function foundInstead(file: string, platform: string): string | undefined {
  const { head, size } = beginningOf(file)
  if (size === 0) return 'an empty file'
  const format = formatOf(head)
  if (format === undefined) return `no library: it begins with ${JSON.stringify(head.toString('latin1', 0, 24))}`
  const machine = format.machines[format.machine]
  const [system, processor] = platform.split('-')
  if (machine !== undefined && (machine !== processor || (format.system ?? system) !== system))
    return `a library for ${format.system ?? 'linux'}-${machine}`
  const whole = format.bytes ?? 0
  return size < whole ? `a library that is cut off: ${size} bytes of ${whole}` : undefined
}

interface Format {
  machine: number
  /** The machines that there are binaries for. */
  machines: { readonly [machine: number]: string }
  /** `process.platform`, where the format is of one alone. */
  system?: string | undefined
  /** How long the whole file is at least. */
  bytes?: number
}

function formatOf(head: Buffer): Format | undefined {
  if (head.length < 64) return undefined
  if (head.toString('latin1', 0, 4) === '\x7fELF') {
    // Its last part is the table of sections, in what linkers of Linux write. Other widths and byte orders have
    // machines of other numbers.
    const bytes =
      head[4] === 2 && head[5] === 1
        ? Number(head.readBigUInt64LE(40)) + head.readUInt16LE(58) * head.readUInt16LE(60)
        : 0
    const system = ['darwin', 'win32'].includes(process.platform) ? 'linux' : undefined
    return { machine: head.readUInt16LE(18), machines: { 0x3e: 'x64', 0xb7: 'arm64' }, system, bytes }
  }
  if (head.readUInt32LE(0) === 0xfeedfacf)
    return { machine: head.readUInt32LE(4), machines: { 0x1000007: 'x64', 0x100000c: 'arm64' }, system: 'darwin' }
  const pe = head.readUInt32LE(60)
  if (
    head.toString('latin1', 0, 2) !== 'MZ' ||
    pe + 6 > head.length ||
    head.toString('latin1', pe, pe + 4) !== 'PE\0\0'
  )
    return undefined
  return { machine: head.readUInt16LE(pe + 4), machines: { 0x8664: 'x64', 0xaa64: 'arm64' }, system: 'win32' }
}

function beginningOf(file: string): { head: Buffer; size: number } {
  const opened = fs.openSync(file, 'r')
  try {
    const head = Buffer.alloc(1024)
    return { head: head.subarray(0, fs.readSync(opened, head, 0, head.length, 0)), size: fs.fstatSync(opened).size }
  } finally {
    fs.closeSync(opened)
  }
}
