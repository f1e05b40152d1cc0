// What is used of Electron, by its shape: the package itself is not needed to run or to compile.

export interface IpcMainLike {
  handle(channel: string, listener: (event: InvokeEventLike, ...args: unknown[]) => unknown): void
  removeHandler(channel: string): void
}

export interface InvokeEventLike {
  readonly sender: WebContentsLike
  /** null: it is gone, or shows another page already. */
  readonly senderFrame: FrameLike | null
}

export interface FrameLike {
  readonly origin?: string
  readonly url: string
  /** null: the main frame. */
  readonly parent: object | null
}

export interface WebContentsLike {
  readonly id: number
  readonly mainFrame?: FrameLike
  send(channel: string, ...args: unknown[]): void
  isDestroyed(): boolean
  on(event: 'destroyed', listener: () => void): unknown
  on(event: 'did-navigate', listener: () => void): unknown
  on(event: 'render-process-gone', listener: () => void): unknown
  removeListener(event: 'destroyed', listener: () => void): unknown
  removeListener(event: 'did-navigate', listener: () => void): unknown
  removeListener(event: 'render-process-gone', listener: () => void): unknown
}

export interface AppLike {
  readonly isPackaged: boolean
  /** Without it no page of `file://` is the app's own. */
  getAppPath?(): string
}
