// What opens the links of a text: what a message or a client has for it.
import type { OpenLink } from '../text/text-types.js'

interface Opens {
  openLink?(url: string, options: { agreed: boolean }): unknown
  openKnownLink?(url: string): Promise<boolean>
}

/** undefined where it opens none. `failed`: where opening it failed; else whoever asked is told. */
export function linkOpener(by: Opens | undefined, failed?: (error: unknown) => void): OpenLink | undefined {
  if (!by?.openLink) return undefined
  const open: OpenLink = async (url) => {
    try {
      await by.openLink?.(url, { agreed: true })
    } catch (error) {
      if (!failed) throw error
      failed(error)
    }
  }
  if (by.openKnownLink) open.known = async (url) => (await by.openKnownLink?.(url)) === true
  return open
}
