// The library in Bun.
import { dlopen, FFIType, toArrayBuffer } from 'bun:ffi'
import { functions, libraryPath, type Letter, type Native, type Pointer } from './native.ts'

const types: Record<Letter, unknown> = {
  p: FFIType.ptr,
  b: FFIType.ptr,
  n: FFIType.u64,
  i: FFIType.i32,
  u: FFIType.u32,
  t: FFIType.i64,
  v: FFIType.void,
}
const symbols = Object.fromEntries(
  Object.entries(functions).map(([name, [result, ...given]]) => [
    name,
    { returns: types[result as Letter], args: given.map((letter) => types[letter as Letter]) },
  ]),
)

/** The library's functions, by `bun:ffi`. */
export const native: Native = {
  call: dlopen(libraryPath(process.env.SLUICE_LIBRARY, process.platform), symbols).symbols as Native['call'],
  view: (pointer: Pointer, size: number) =>
    size === 0 ? new ArrayBuffer(0) : toArrayBuffer(pointer as never, 0, size),
}
