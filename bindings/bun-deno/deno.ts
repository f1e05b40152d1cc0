// The library in Deno: run it with --allow-ffi --allow-env=SLUICE_LIBRARY.
import { functions, libraryPath, type Letter, type Native, type Pointer } from './native.ts'

const types: Record<Letter, Deno.NativeResultType> = {
  p: 'pointer',
  b: 'buffer',
  n: 'usize',
  i: 'i32',
  u: 'u32',
  t: 'i64',
  v: 'void',
}
const symbols = Object.fromEntries(
  Object.entries(functions).map(([name, [result, ...given]]) => [
    name,
    { result: types[result as Letter], parameters: given.map((letter) => types[letter as Letter] as Deno.NativeType) },
  ]),
)

/** The library's functions, by `Deno.dlopen`. */
export const native: Native = {
  call: Deno.dlopen(libraryPath(Deno.env.get('SLUICE_LIBRARY'), Deno.build.os), symbols)
    .symbols as unknown as Native['call'],
  view: (pointer: Pointer, size: number) => Deno.UnsafePointerView.getArrayBuffer(pointer as Deno.PointerObject, size),
}
