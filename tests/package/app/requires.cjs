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
  'sluice/speech',
  'sluice/testing',
])
  names[path] = Object.keys(require(path))
    .filter((name) => name !== '__esModule' && name !== 'module.exports')
    .sort()
names['sluice/package.json'] = [require('sluice/package.json').name]
console.log(JSON.stringify(names))
