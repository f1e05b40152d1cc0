// What a pet's window can do where, in one table.

/** A system that Electron runs on, as far as a pet sees a difference. */
export type PetPlatform = 'windows' | 'macos' | 'x11' | 'wayland'

export interface PlatformRow {
  /**
   * It has no frame and nothing behind it, is on top, and stands where it is put. Otherwise it is an ordinary small
   * window.
   */
  free: boolean
  /** It can let clicks through. */
  through: boolean
  /**
   * And is told of a pointer that moves over it meanwhile. Without that, and where it dies in silence, the cursor is
   * asked for.
   */
  forwards: boolean
  /** The level that `setAlwaysOnTop` gets. Default: that of the system. */
  level?: 'floating'
  /** The type of the window. Default: an ordinary one. */
  type?: 'panel'
  /** It is on all desktops. */
  everywhere: boolean
  /** Starting with the system can be asked for. */
  starts: boolean
}

export const platforms: { readonly [platform in PetPlatform]: PlatformRow } = {
  // the plain level: `floating` is unreliable there
  windows: { free: true, through: true, forwards: true, everywhere: false, starts: true },
  macos: {
    free: true,
    through: true,
    forwards: true,
    level: 'floating',
    type: 'panel',
    everywhere: true,
    starts: true,
  },
  x11: { free: true, through: true, forwards: false, everywhere: true, starts: false },
  wayland: { free: false, through: false, forwards: false, everywhere: false, starts: false }, // no place, no cursor
}

/** `ozone`: the value of the switch `--ozone-platform`. Electron speaks Wayland by itself where the session does. */
export function platformOf(
  platform: string,
  environment: { [name: string]: string | undefined },
  ozone: string,
): PetPlatform {
  if (platform === 'win32') return 'windows'
  if (platform === 'darwin') return 'macos'
  if (ozone === 'x11' || ozone === 'wayland') return ozone
  return environment['XDG_SESSION_TYPE'] === 'wayland' ||
    (environment['WAYLAND_DISPLAY'] !== undefined && environment['DISPLAY'] === undefined)
    ? 'wayland'
    : 'x11'
}

/** What this Electron does of that. */
export function rowOf(platform: PetPlatform, electron: string | undefined): PlatformRow {
  const row = platforms[platform]
  // electron#52456: a window that ignored the mouse once is deaf for good.
  return platform === 'x11' && electron?.startsWith('43.') ? { ...row, through: false } : row
}
