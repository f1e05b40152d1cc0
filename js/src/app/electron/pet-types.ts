// What a pet's window uses of Electron, by its shape: the package itself is not needed to compile, and fakes do.
import type { FrameLike } from './electron-types.js'
import type { PetDisplayLike, Rectangle } from './pet-place.js'

/** A page as a pet's window uses it. */
export interface PetContentsLike {
  /** Different for every window. */
  readonly id: number
  /** Sends to the preload. */
  send(channel: string, ...args: unknown[]): void
  /** It shows another page, or the same one again: that begins. */
  on(event: 'did-navigate', listener: () => void): unknown
  /** It shows a page. */
  on(event: 'did-finish-load', listener: () => void): unknown
  on(event: 'render-process-gone', listener: () => void): unknown
  /** It would show another page. */
  on(event: 'will-navigate', listener: (event: { preventDefault(): void }) => void): unknown
  /** Loads its page again. */
  reload(): void
  /** Which pages may open windows. */
  setWindowOpenHandler(handler: () => { action: 'deny' }): void
}

/** Electron's `BrowserWindow`. */
export interface PetBrowserWindowLike {
  readonly webContents: PetContentsLike
  getBounds(): Rectangle
  setBounds(bounds: Rectangle): void
  /** Shows it without taking the focus. */
  showInactive(): void
  hide(): void
  isVisible(): boolean
  isDestroyed(): boolean
  destroy(): void
  setIgnoreMouseEvents(ignore: boolean, options?: { forward?: boolean }): void
  /** Keeps it above others. */
  setAlwaysOnTop(flag: boolean, level?: 'floating'): void
  /** Shows it on all desktops. */
  setVisibleOnAllWorkspaces(
    visible: boolean,
    options?: { visibleOnFullScreen?: boolean; skipTransformProcessType?: boolean },
  ): void
  loadURL(url: string): Promise<void>
  on(event: 'closed', listener: () => void): unknown
  on(event: 'unresponsive', listener: () => void): unknown
}

/** What a pet's windows are made with. */
export interface PetWindowSettings extends Partial<Rectangle> {
  /** Nothing stands behind what is drawn. */
  transparent?: boolean
  /** With the system's frame. */
  frame?: boolean
  /** Whether the window throws a shadow. */
  hasShadow?: boolean
  /** People change its size. */
  resizable?: boolean
  /** It can fill the screen. */
  fullscreenable?: boolean
  /** It can be maximized. */
  maximizable?: boolean
  /** It can be put away. */
  minimizable?: boolean
  /** Whether the window stays above others. */
  alwaysOnTop?: boolean
  /** Is not among the programs of the bar. */
  skipTaskbar?: boolean
  /** Is shown from the beginning. */
  show?: boolean
  /** Takes clicks that bring its app forward. */
  acceptFirstMouse?: boolean
  /** A kind of the system's. */
  type?: string
  /** What the page in the window may do. */
  webPreferences?: {
    /** Runs before the page. */
    preload?: string
    /** Keeps the preload to itself. */
    contextIsolation?: boolean
    /** Keeps the page from the system. */
    sandbox?: boolean
    /** Gives the page Node. */
    nodeIntegration?: boolean
    /** Draws less where nobody sees it. */
    backgroundThrottling?: boolean
    /** Whether misspelt words are underlined. */
    spellcheck?: boolean
    /** Plays sound before anybody clicked. */
    autoplayPolicy?: 'no-user-gesture-required'
  }
}

/** A line of a menu. */
export interface PetMenuItem {
  /** The text that people read in it. */
  label?: string
  /** Which kind of item it is. Default: `normal`. */
  type?: 'normal' | 'separator' | 'checkbox' | 'radio' | 'submenu'
  /** Whether it is ticked. */
  checked?: boolean
  /** Called when a person chooses it. */
  click?: () => void
  /** What opens beside it. */
  submenu?: PetMenuItem[]
}

/** What is used of the module `electron`: `import * as electron from 'electron'` fits. */
export interface PetElectron {
  app: {
    quit(): void
    /** The language of the system. */
    getLocale(): string
    /** Switches that the app was started with. */
    readonly commandLine: {
      /** The value of one. */
      getSwitchValue(name: string): string
    }
    /** Whether it starts with the system. */
    getLoginItemSettings(): {
      openAtLogin: boolean
    }
    /** Whether it is to. */
    setLoginItemSettings(settings: { openAtLogin: boolean }): void
  }
  BrowserWindow: new (settings: PetWindowSettings) => PetBrowserWindowLike
  screen: {
    /** Where the pointer is. */
    getCursorScreenPoint(): {
      /** Pixels from the left edge. */
      x: number
      /** Pixels from the top edge. */
      y: number
    }
    getAllDisplays(): PetDisplayLike[]
    getPrimaryDisplay(): PetDisplayLike
    /** The one with most of a rectangle. */
    getDisplayMatching(bounds: Rectangle): PetDisplayLike
    /** A display came, went, or is another size. */
    on(event: 'display-added' | 'display-removed' | 'display-metrics-changed', listener: () => void): unknown
    removeListener(
      event: 'display-added' | 'display-removed' | 'display-metrics-changed',
      listener: () => void,
    ): unknown
  }
  Tray: new (icon: never) => PetTrayLike
  Menu: {
    buildFromTemplate(items: PetMenuItem[]): PetMenuLike
  }
  globalShortcut: {
    /** False: another program has it. */
    register(keys: string, run: () => void): boolean
    unregister(keys: string): void
  }
  powerMonitor: {
    /** Somebody left, or came back. */
    on(event: 'lock-screen' | 'unlock-screen' | 'suspend' | 'resume', listener: () => void): unknown
    removeListener(event: 'lock-screen' | 'unlock-screen' | 'suspend' | 'resume', listener: () => void): unknown
    /** For how many seconds nobody touched keys or mouse. */
    getSystemIdleTime?(): number
  }
  /** Electron's `nativeImage`: with it the icon of the tray gets a dot while a question waits. */
  nativeImage?: PetNativeImageLike
  ipcMain: {
    on(channel: string, listener: (event: PetSaysEvent, ...args: unknown[]) => void): unknown
    removeListener(channel: string, listener: (event: PetSaysEvent, ...args: unknown[]) => void): unknown
  }
}

/** Electron's `IpcMainEvent`. */
export interface PetSaysEvent {
  /** The page that sent it. */
  readonly sender: {
    /** Different for every window. */
    readonly id: number
  }
  readonly senderFrame: FrameLike | null
}

/** Electron's `nativeImage`. */
export interface PetNativeImageLike {
  createFromPath(path: string): PetNativeImage
  /** Makes one of pixels. */
  createFromBitmap(
    buffer: Uint8Array,
    options: {
      /** The width of the picture, in pixels. */
      width: number
      /** The height of the picture, in pixels. */
      height: number
    },
  ): PetNativeImage
}

/** Electron's `NativeImage`. */
export interface PetNativeImage {
  /** It could not be read. */
  isEmpty(): boolean
  /** How large it is. */
  getSize(): {
    /** The width of the picture, in pixels. */
    width: number
    /** The height of the picture, in pixels. */
    height: number
  }
  /** Its pixels: blue, green, red and alpha of each. */
  toBitmap(): Uint8Array
}

/** Electron's `Tray`. */
export interface PetTrayLike {
  setImage(image: never): void
  /** Words beside the icon, on macOS. */
  setTitle(title: string): void
  /** What a pointer over it is told. */
  setToolTip(text: string): void
  /** What its button opens. */
  setContextMenu(menu: never): void
  /** A click on it. */
  on(event: 'click', listener: () => void): unknown
  destroy(): void
}

/** Electron's `Menu`. */
export interface PetMenuLike {
  popup(options?: { window?: never }): void
}
