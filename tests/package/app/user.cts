// The same from CommonJS.
import sluice = require('sluice')
import electron = require('sluice/electron')

export const engine: sluice.Engine = new sluice.Engine({})
export const host = (ipcMain: electron.IpcMainLike): electron.ElectronHost =>
  electron.hostEngine(engine, { ipcMain, run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }) })
// @ts-expect-error a wrong option is an error, so the types are not `any`
new sluice.Engine({ mode: 'neither' })
