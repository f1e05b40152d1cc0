// What is used of Electron, by its shape: the package itself is not needed to run or to compile.

/** Electron's `ipcMain`. */
export interface IpcMainLike {
  handle(channel: string, listener: (event: InvokeEventLike, ...args: unknown[]) => unknown): void
  removeHandler(channel: string): void
}

/** Electron's `IpcMainInvokeEvent`. */
export interface InvokeEventLike {
  /** The window that sent it. */
  readonly sender: WebContentsLike
  /** null: it is gone, or shows another page already. */
  readonly senderFrame: FrameLike | null
}

/** Electron's `WebFrameMain`. */
export interface FrameLike {
  /** Of the page in it; the text `null` where it has none. */
  readonly origin?: string
  /** Of the page in it. */
  readonly url: string
  /** null: the main frame. */
  readonly parent: object | null
}

/** Electron's `WebContents`. */
export interface WebContentsLike {
  /** Different for every window. */
  readonly id: number
  /** The frame of the page itself. */
  readonly mainFrame?: FrameLike
  /** Sends to the preload. */
  send(channel: string, ...args: unknown[]): void
  /** The window is gone. */
  isDestroyed(): boolean
  /** The window is gone. */
  on(event: 'destroyed', listener: () => void): unknown
  /** It shows another page. */
  on(event: 'did-navigate', listener: () => void): unknown
  on(event: 'render-process-gone', listener: () => void): unknown
  removeListener(event: 'destroyed', listener: () => void): unknown
  removeListener(event: 'did-navigate', listener: () => void): unknown
  removeListener(event: 'render-process-gone', listener: () => void): unknown
}

/** Electron's `app`. */
export interface AppLike {
  /** False while the app is developed: pages of a local server may then be its own. */
  readonly isPackaged: boolean
  /** Without it no page of `file://` is the app's own. */
  getAppPath?(): string
}
