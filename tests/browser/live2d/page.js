// ?puppet: one puppet; ?sheet: one for every expression; ?states: one for every state; ?mouths: one for every vowel;
// ?motions: one for every motion; ?model: the real one.
import { createPuppet } from '/pet/puppet.js'
import { petStates } from '/sluice/pet/index.js'

const [mode] = new URLSearchParams(location.search).keys()

function stage(className = 'stage', parent = document.body) {
  const div = document.createElement('div')
  div.className = className
  parent.append(div)
  return div
}

function sheet(entries, act) {
  const pets = {}
  entries.forEach((entry, index) => {
    const figure = document.createElement('figure')
    figure.className = (index + Math.floor(index / 4)) % 2 ? 'dark' : 'light'
    document.body.append(figure)
    const pet = createPuppet(stage('stage', figure))
    figure.append(entry.join(' '))
    act(pet, entry)
    pets[entry.join(' ')] = pet
  })
  return pets
}

if (mode === 'model') {
  const { createLive2dModel } = await import('/pet/live2d-model.js')
  window.pet = await createLive2dModel(stage('alone'))
} else if (mode === 'states') {
  const tools = ['search', 'write', 'letter', 'tool'].map((prop) => ['busy', prop])
  window.pets = sheet(
    [
      ...Object.keys(petStates)
        .filter((name) => name !== 'busy')
        .map((name) => [name]),
      ...tools,
    ],
    (pet, [name, prop]) => pet.state(name, { prop }),
  )
} else if (mode === 'mouths') {
  const vowels = [
    ['a', 0.9, 0.1],
    ['e', 0.55, 0.6],
    ['i', 0.35, 1],
    ['o', 0.7, -0.7],
    ['u', 0.4, -1],
  ]
  window.pets = sheet(
    vowels.map(([name]) => [name]),
    (pet, [name]) => pet.mouth(...vowels.find(([vowel]) => vowel === name).slice(1)),
  )
} else if (mode === 'puppet') window.pet = createPuppet(stage('alone'))
else {
  const container = stage()
  const probe = createPuppet(container)
  const { expressions, motions } = probe.capabilities()
  probe.destroy()
  container.remove()
  const each = Object.entries(motions).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, index) => [group, index]),
  )
  window.pets =
    mode === 'sheet'
      ? sheet(
          expressions.map((name) => [name]),
          (pet, [name]) => pet.expression(name),
        )
      : sheet(each, (pet, which) => (window.start ??= []).push(() => pet.motion(...which)))
}
window.ready = true
