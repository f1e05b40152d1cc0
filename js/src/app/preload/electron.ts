/** What a preload uses of Electron, by its shape: the package itself is not needed to compile. */
export interface ElectronLike {
  contextBridge: { exposeInMainWorld(key: string, api: unknown): void }
  ipcRenderer: {
    send(channel: string, ...args: unknown[]): void
    invoke(channel: string, ...args: unknown[]): Promise<unknown>
    on(channel: string, listener: (event: unknown, ...args: any[]) => void): unknown
  }
}
