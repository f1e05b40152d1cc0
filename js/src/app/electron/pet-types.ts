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
  /** Its process crashed. */
  on(event: 'render-process-gone', listener: () => void): unknown
  /** Loads its page again. */
  reload(): void
  /** It would show another page. */
  on(event: 'will-navigate', listener: (event: { preventDefault(): void }) => void): unknown
  /** Which pages may open windows. */
  setWindowOpenHandler(handler: () => { action: 'deny' }): void
}

/** Electron's `BrowserWindow`. */
export interface PetBrowserWindowLike {
  /** Its page. */
  readonly webContents: PetContentsLike
  /** Where it is. */
  getBounds(): Rectangle
  /** Puts it there. */
  setBounds(bounds: Rectangle): void
  /** Shows it without taking the focus. */
  showInactive(): void
  /** Hides it. */
  hide(): void
  /** It is shown. */
  isVisible(): boolean
  /** It is gone. */
  isDestroyed(): boolean
  /** Ends it. */
  destroy(): void
  /** Lets clicks through. */
  setIgnoreMouseEvents(ignore: boolean, options?: { forward?: boolean }): void
  /** Keeps it above others. */
  setAlwaysOnTop(flag: boolean, level?: 'floating'): void
  /** Shows it on all desktops. */
  setVisibleOnAllWorkspaces(visible: boolean, options?: { visibleOnFullScreen?: boolean; skipTransformProcessType?: boolean }): void
  /** Loads its page. */
  loadURL(url: string): Promise<void>
  /** It is gone. */
  on(event: 'closed', listener: () => void): unknown
  /** Its page hangs. */
  on(event: 'unresponsive', listener: () => void): unknown
}

/** What a pet's windows are made with. */
export interface PetWindowSettings extends Partial<Rectangle> {
  /** Nothing stands behind what is drawn. */
  transparent?: boolean
  /** With the system's frame. */
  frame?: boolean
  /** Throws a shadow. */
  hasShadow?: boolean
  /** People change its size. */
  resizable?: boolean
  /** It can fill the screen. */
  fullscreenable?: boolean
  /** It can be maximized. */
  maximizable?: boolean
  /** It can be put away. */
  minimizable?: boolean
  /** Stays above others. */
  alwaysOnTop?: boolean
  /** Is not among the programs of the bar. */
  skipTaskbar?: boolean
  /** Is shown from the beginning. */
  show?: boolean
  /** Takes clicks that bring its app forward. */
  acceptFirstMouse?: boolean
  /** A kind of the system's. */
  type?: string
  /** Of its page. */
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
    /** Underlines words. */
    spellcheck?: boolean
    /** Plays sound before anybody clicked. */
    autoplayPolicy?: 'no-user-gesture-required'
  }
}

/** A line of a menu. */
export interface PetMenuItem {
  /** What it says. */
  label?: string
  /** What it is. */
  type?: 'normal' | 'separator' | 'checkbox' | 'radio' | 'submenu'
  /** Whether it is ticked. */
  checked?: boolean
  /** What it does. */
  click?: () => void
  /** What opens beside it. */
  submenu?: PetMenuItem[]
}

/** What is used of the module `electron`: `import * as electron from 'electron'` fits. */
export interface PetElectron {
  /** Electron's `app`. */
  app: {
    /** Ends the app. */
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
      /** It does. */
      openAtLogin: boolean
    }
    /** Whether it is to. */
    setLoginItemSettings(settings: {
      /** It is. */
      openAtLogin: boolean
    }): void
  }
  /** Electron's `BrowserWindow`. */
  BrowserWindow: new (settings: PetWindowSettings) => PetBrowserWindowLike
  /** Electron's `screen`. */
  screen: {
    /** Where the pointer is. */
    getCursorScreenPoint(): {
      /** From the left. */
      x: number
      /** From the top. */
      y: number
    }
    /** All of them. */
    getAllDisplays(): PetDisplayLike[]
    /** The main one. */
    getPrimaryDisplay(): PetDisplayLike
    /** The one with most of a rectangle. */
    getDisplayMatching(bounds: Rectangle): PetDisplayLike
    /** A display came, went, or is another size. */
    on(event: 'display-added' | 'display-removed' | 'display-metrics-changed', listener: () => void): unknown
    /** Undoes `on`. */
    removeListener(event: 'display-added' | 'display-removed' | 'display-metrics-changed', listener: () => void): unknown
  }
  /** Electron's `Tray`. */
  Tray: new (icon: never) => PetTrayLike
  /** Electron's `Menu`. */
  Menu: {
    /** Makes one. */
    buildFromTemplate(items: PetMenuItem[]): PetMenuLike
  }
  /** Electron's `globalShortcut`. */
  globalShortcut: {
    /** False: another program has it. */
    register(keys: string, run: () => void): boolean
    /** Undoes it. */
    unregister(keys: string): void
  }
  /** Electron's `powerMonitor`. */
  powerMonitor: {
    /** Somebody left, or came back. */
    on(event: 'lock-screen' | 'unlock-screen' | 'suspend' | 'resume', listener: () => void): unknown
    /** Undoes `on`. */
    removeListener(event: 'lock-screen' | 'unlock-screen' | 'suspend' | 'resume', listener: () => void): unknown
    /** For how many seconds nobody touched keys or mouse. */
    getSystemIdleTime?(): number
  }
  /** Electron's `nativeImage`: with it the icon of the tray gets a dot while a question waits. */
  nativeImage?: PetNativeImageLike
  /** Electron's `ipcMain`. */
  ipcMain: {
    /** Listens to pages. */
    on(channel: string, listener: (event: PetSaysEvent, ...args: unknown[]) => void): unknown
    /** Undoes `on`. */
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
  /** Its frame. */
  readonly senderFrame: FrameLike | null
}

/** Electron's `nativeImage`. */
export interface PetNativeImageLike {
  /** Reads a file. */
  createFromPath(path: string): PetNativeImage
  /** Makes one of pixels. */
  createFromBitmap(buffer: Uint8Array, options: {
    /** In pixels. */
    width: number
    /** In pixels. */
    height: number
  }): PetNativeImage
}

/** Electron's `NativeImage`. */
export interface PetNativeImage {
  /** It could not be read. */
  isEmpty(): boolean
  /** How large it is. */
  getSize(): {
    /** In pixels. */
    width: number
    /** In pixels. */
    height: number
  }
  /** Its pixels: blue, green, red and alpha of each. */
  toBitmap(): Uint8Array
}

/** Electron's `Tray`. */
export interface PetTrayLike {
  /** Another icon. */
  setImage(image: never): void
  /** Words beside the icon, on macOS. */
  setTitle(title: string): void
  /** What a pointer over it is told. */
  setToolTip(text: string): void
  /** What its button opens. */
  setContextMenu(menu: never): void
  /** A click on it. */
  on(event: 'click', listener: () => void): unknown
  /** Takes it away. */
  destroy(): void
}

/** Electron's `Menu`. */
export interface PetMenuLike {
  /** Opens it. */
  popup(options?: { window?: never }): void
}
