// The end of `npm test`: a table of the suites, the tests that failed, and the line that a machine reads.

/** Prints it. Returns whether the run has succeeded: something passed, and nothing failed. */
export function tell(results) {
  const width = Math.max(...results.map(({ name }) => name.length), 5)
  const indent = ' '.repeat(width + 6)
  console.log(`\n  ${'suite'.padEnd(width)}  passed  failed  skipped     time`)
  for (const { name, passed = 0, failed = 0, skips = [], seconds = 0, note } of results) {
    const numbers = [
      String(passed).padStart(6),
      String(failed).padStart(6),
      String(skips.length).padStart(7),
      `${seconds.toFixed(1).padStart(5)} s`,
    ]
    console.log(`  ${name.padEnd(width)}  ${numbers.join('  ')}`)
    for (const why of new Set(skips))
      console.log(`${indent}${skips.filter((other) => other === why).length} skipped: ${why}`)
    if (note) console.log(`${indent}${note}`)
  }
  console.log(
    `\n${failed(results)
      .map((line) => `${line}\n`)
      .join('')}the whole output is in build/logs\n`,
  )
  const sum = (count) => results.reduce((all, result) => all + (count(result) ?? 0), 0)
  const [passed, lost] = [sum((result) => result.passed), sum((result) => result.failed)]
  console.log(`${passed} passed, ${lost} failed, ${sum(({ skips }) => skips?.length)} skipped`)
  return lost === 0 && passed > 0
}

function failed(results) {
  return results.flatMap(({ name, broken = [], unsteady = [], note, failed: count = 0 }) => [
    ...broken.flatMap((test) => lines('FAILED', name, test)),
    ...(count > 0 && broken.length === 0 ? lines('FAILED', name, { why: note }) : []),
    ...unsteady.flatMap((test) => lines('UNSTEADY', name, test)),
  ])
}

function lines(word, suite, { name, why }) {
  return [`${word}: ${suite}${name ? `: ${name}` : ''}`, ...(why ? [`  because: ${why}`] : [])]
}
