// The library from its sources, in other people's builds: as a part of their project, and by the port of vcpkg and the
// recipe of Conan, which run against stand-ins for both, with a simdjson of the system.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { which } from '../../js/scripts/run.mjs'
import { manifest, root } from './support.mjs'

const projects = join(root, 'tests/install')
const generator = which('ninja') ? 'Ninja' : 'Unix Makefiles'
const scratch = mkdtempSync(join(tmpdir(), 'sluice-library-'))
const system = join(scratch, 'system')
after(() => rmSync(scratch, { recursive: true }))

function run(program, ...args) {
  return execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, CMAKE_GENERATOR: generator },
    maxBuffer: 1 << 28,
  })
}

/** A project of tests/install with the examples in it, configured and built; the folder of its programs. */
function built(project, ...options) {
  const [folder, out] = [join(scratch, project), join(scratch, `${project}-build`)]
  cpSync(join(projects, project), folder, { recursive: true })
  for (const name of ['turn.c', 'turn.cpp']) cpSync(join(root, 'native/examples', name), join(folder, name))
  run('cmake', '-S', folder, '-B', out, '-DCMAKE_BUILD_TYPE=Debug', ...options)
  run('cmake', '--build', out, '--parallel', String(availableParallelism()))
  return out
}

function plays(program) {
  const lines = execFileSync(program, { input: 'y\n', encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.at(-1).blocks.map(({ text, status }) => text ?? status),
    ['I will. ', 'success', 'Done.'],
  )
}

before(() => {
  // As a distribution has it: a library, a header and a configuration for find_package.
  const source = join(root, 'node_modules/@nozbe/simdjson/src')
  for (const folder of ['include', 'lib/cmake/simdjson']) mkdirSync(join(system, folder), { recursive: true })
  cpSync(join(source, 'simdjson.h'), join(system, 'include/simdjson.h'))
  run('c++', '-std=c++17', '-O1', '-fPIC', '-w', '-c', join(source, 'simdjson.cpp'), '-o', join(scratch, 'simdjson.o'))
  run('ar', 'rcs', join(system, 'lib/libsimdjson.a'), join(scratch, 'simdjson.o'))
  writeFileSync(
    join(system, 'lib/cmake/simdjson/simdjson-config.cmake'),
    `
add_library(simdjson::simdjson STATIC IMPORTED)
set_target_properties(simdjson::simdjson PROPERTIES IMPORTED_LOCATION "${system}/lib/libsimdjson.a" INTERFACE_INCLUDE_DIRECTORIES "${system}/include")
`,
  )
  const version = manifest.devDependencies['@nozbe/simdjson']
  writeFileSync(
    join(system, 'lib/cmake/simdjson/simdjson-config-version.cmake'),
    `
set(PACKAGE_VERSION ${version})
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
`,
  )
})

// In batches, for a third of the time; vcpkg's port compiles every file alone.
test('a project has the sources as a part of itself, by FetchContent, with the simdjson of the system', () => {
  const folder = built(
    'subdirectory',
    '-DWAY=FetchContent',
    `-DSLUICE_SOURCE=${root}`,
    '-DSLUICE_NODE_MODULES=',
    '-DSLUICE_BATCHES=ON',
    `-DCMAKE_PREFIX_PATH=${system}`,
  )
  for (const name of ['turn_c', 'turn_static']) plays(join(folder, name))
  assert.ok(!existsSync(join(folder, '_deps/simdjson-src')), 'nothing was fetched')
})

for (const linkage of ['static', 'dynamic']) {
  test(`the port of vcpkg, ${linkage}`, () => {
    const prefix = join(scratch, `vcpkg-${linkage}`)
    mkdirSync(prefix)
    const given = {
      PORT: join(root, 'native/packaging/vcpkg'),
      PREFIX: prefix,
      SCRATCH: join(scratch, `vcpkg-build-${linkage}`),
      LINKAGE: linkage,
      GENERATOR: generator,
      SIMDJSON: system,
      CONFIGURE_ONLY: linkage === 'dynamic' ? 'ON' : 'OFF',
    }
    run(
      'cmake',
      ...Object.entries(given).map(([name, value]) => `-D${name}=${value}`),
      '-P',
      join(projects, 'stand-ins/vcpkg.cmake'),
    )
    assert.ok(existsSync(join(prefix, 'copyright')))
    if (linkage === 'dynamic') return // configured only
    assert.deepEqual(
      readdirSync(join(prefix, 'share/sluice'))
        .map((name) => name.replace(/-(debug|release)/, ''))
        .sort(),
      ['sluiceConfig.cmake', 'sluiceConfigVersion.cmake', 'sluiceStatic.cmake', 'sluiceStatic.cmake'],
    )
    assert.ok(existsSync(join(prefix, 'lib/libsluice.a')) && !existsSync(join(prefix, 'lib/libsluice.so')))
    const folder = built('installed', `-DCMAKE_PREFIX_PATH=${prefix};${system}`)
    for (const name of ['turn_c', 'turn_cpp', 'turn_static']) plays(join(folder, name))
  })
}

for (const kind of ['static', 'shared']) {
  test(`the recipe of Conan, ${kind}, configures`, () => {
    const folder = join(scratch, `conan-${kind}`)
    mkdirSync(folder)
    const stand = join(projects, 'stand-ins')
    const said = run('python3', join(stand, 'run_conan.py'), join(root, 'native/packaging/conan'), folder, system, kind)
    const { version, requires, variables, defines, libs } = JSON.parse(said)
    assert.deepEqual(
      { version, requires, libs },
      { version: manifest.version, requires: ['simdjson/[>=3.9 <4]'], libs: ['sluice'] },
    )
    assert.deepEqual(defines, kind === 'static' ? ['SLUICE_STATIC'] : [])
    assert.equal(variables.SLUICE_SHARED, kind === 'shared')
    assert.ok(existsSync(join(folder, 'build/cmake_install.cmake')))
  })
}
