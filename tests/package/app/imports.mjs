// What can be imported outside of Electron and of a browser, and what each brings.
const names = {}
for (const path of [
  'sluice',
  'sluice/ag-ui',
  'sluice/ai-sdk',
  'sluice/ai-sdk/client',
  'sluice/conversations',
  'sluice/durable',
  'sluice/electron',
  'sluice/host',
  'sluice/web',
  'sluice/renderer',
  'sluice/live2d',
  'sluice/mcp',
  'sluice/openai',
  'sluice/pet',
  'sluice/speech',
  'sluice/testing',
])
  names[path] = Object.keys(await import(path)).sort()
const { default: manifest } = await import('sluice/package.json', { with: { type: 'json' } })
names['sluice/package.json'] = [manifest.name]
console.log(JSON.stringify(names))
