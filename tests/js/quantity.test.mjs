// Durations and sizes as people write them on the configuration page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { quantityOf, quantityText } = await built('quantity')

test('durations and sizes are read in the units that people use', () => {
  for (const [unit, expected, ...texts] of [
    [
      'ms',
      30_000,
      '30 s',
      '30s',
      '30 sec',
      ' 30  seconds ',
      '30秒',
      '30 秒',
      '３０ｓ',
      '0.5 min',
      '30000 ms',
      '30000毫秒',
    ],
    ['ms', 90_000, '1.5 min', '1 min 30 s', '1m30s', '90 s', '1分30秒', '1 分钟 30 秒'],
    ['ms', 3_600_000, '1 h', '1 hour', '60 min', '1小时'],
    ['ms', 0, '0', ' 00 ', '0 s'],
    ['bytes', 65_536, '64 KiB', '64KiB', '64 kib', '64k', '65536 B', '65536 bytes', '65536字节'],
    ['bytes', 64_000, '64 kB', '64 KB'],
    ['bytes', 1_572_864, '1.5 MiB'],
    ['bytes', 2_000_000_000, '2 GB'],
  ])
    for (const text of texts) assert.equal(quantityOf(text, unit), expected, text)
})

test('what is no duration or size is none, and nothing is rounded to no limit', () => {
  for (const text of [
    '',
    '30',
    'soon',
    '30 x',
    's',
    '-30 s',
    '30 s x',
    '1,5 s',
    '1e3 s',
    '30 s 5',
    '0.0001 ms',
    '30 KiB',
    '9'.repeat(20) + ' s',
    '999999999999999 h',
    'constructor',
    '1 constructor',
  ]) {
    assert.equal(quantityOf(text, 'ms'), undefined, text)
  }
  for (const text of ['64', '64 s', '1 toString']) assert.equal(quantityOf(text, 'bytes'), undefined, text)
})

test('a number is shown in the largest unit that says it exactly, and reads as the same number', () => {
  const names = { ms: '毫秒', s: '秒', min: '分钟', h: '小时' }
  for (const [value, unit, text, chinese = text] of [
    [0, 'ms', '0'],
    [1, 'ms', '1 ms', '1 毫秒'],
    [1234, 'ms', '1234 ms', '1234 毫秒'],
    [1500, 'ms', '1.5 s', '1.5 秒'],
    [30_000, 'ms', '30 s', '30 秒'],
    [66_000, 'ms', '66 s', '66 秒'],
    [90_000, 'ms', '1.5 min', '1.5 分钟'],
    [300_000, 'ms', '5 min', '5 分钟'],
    [5_400_000, 'ms', '1.5 h', '1.5 小时'],
    [1, 'bytes', '1 B'],
    [500, 'bytes', '500 B'],
    [1024, 'bytes', '1 KiB'],
    [65_536, 'bytes', '64 KiB'],
    [1_048_576, 'bytes', '1 MiB'],
    [1_000_000, 'bytes', '1 MB'],
    [12_345, 'bytes', '12345 B'],
    [-5, 'bytes', '-5'],
    [1.5, 'ms', '1.5'],
  ]) {
    assert.equal(quantityText(value, unit), text)
    assert.equal(quantityText(value, unit, names), chinese)
    if (value > 0 && Number.isInteger(value))
      for (const shown of [text, chinese]) assert.equal(quantityOf(shown, unit), value)
  }
  for (let value = 1; value < 5e9; value = value * 3 + 7)
    for (const unit of ['ms', 'bytes']) assert.equal(quantityOf(quantityText(value, unit), unit), value)
})
