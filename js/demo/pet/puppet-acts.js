// What Lulu can do: expressions are parameters that stay, motions are curves that pass.
import { mix } from './puppet-pen.js'

const atChin = { armR: 192, reachR: -0.75 }

/** Members that are left out are at rest. */
export const expressions = {
  neutral: {},
  smile: {
    mouthForm: 1,
    mouthOpen: 0.26,
    mouthWidth: 1.3,
    blush: 0.75,
    browL: 0.55,
    browR: 0.55,
    eyeL: 0.92,
    eyeR: 0.92,
    eyeSmileL: 0.3,
    eyeSmileR: 0.3,
    headTilt: 4,
  },
  happy: {
    eyeSmileL: 1,
    eyeSmileR: 1,
    mouthForm: 1,
    mouthOpen: 0.75,
    mouthWidth: 1.25,
    blush: 0.55,
    browL: 0.7,
    browR: 0.7,
    sparkle: 1,
    armL: 60,
    armR: 60,
  },
  love: {
    eyeSmileL: 1,
    eyeSmileR: 1,
    mouthForm: 1,
    mouthOpen: 0.3,
    blush: 0.8,
    browL: 0.4,
    browR: 0.4,
    hearts: 1,
    armL: 128,
    armR: 128,
    headTilt: 5,
  },
  shy: {
    blush: 1,
    mouthForm: 0.7,
    mouthWidth: 0.7,
    gazeX: -0.8,
    gazeY: 0.6,
    headX: -0.3,
    headY: 0.35,
    headTilt: -7,
    browSlant: -0.7,
    browL: 0.2,
    browR: 0.2,
    eyeL: 0.82,
    eyeR: 0.82,
    armL: -28,
    armR: -28,
  },
  wink: {
    eyeL: 1.08,
    eyeR: 0,
    eyeSmileR: 1,
    mouthForm: 1,
    mouthOpen: 0.35,
    mouthWidth: 1.1,
    blush: 0.45,
    browL: 0.6,
    browR: 0.1,
    headTilt: 7,
  },
  thinking: {
    gazeX: 0.7,
    gazeY: -0.9,
    headX: 0.3,
    headY: -0.3,
    headTilt: 6,
    browL: -0.1,
    browR: 0.8,
    browSlant: 0.15,
    mouthForm: -0.15,
    mouthWidth: 0.65,
    thought: 1,
    ...atChin,
  },
  surprised: {
    eyeL: 1.22,
    eyeR: 1.22,
    pupil: 0.72,
    browL: 1,
    browR: 1,
    mouthForm: 0,
    mouthOpen: 1,
    mouthRound: 1,
    mouthWidth: 1.6,
    bang: 1,
    armL: 72,
    armR: 72,
    bodyY: -6,
  },
  worried: {
    browSlant: -1,
    browL: 0.35,
    browR: 0.35,
    mouthForm: -0.6,
    mouthWidth: 0.9,
    eyeL: 0.95,
    eyeR: 0.95,
    sweat: 1,
    headTilt: -4,
    headY: 0.2,
    armL: 4,
    armR: 4,
  },
  sad: {
    browSlant: -1,
    browL: 0.15,
    browR: 0.15,
    mouthForm: -1,
    mouthWidth: 0.9,
    eyeL: 0.78,
    eyeR: 0.78,
    gazeY: 0.6,
    headY: 0.5,
    tear: 1,
    blush: 0.4,
    armL: 6,
    armR: 6,
  },
  pout: {
    browSlant: 0.9,
    browL: -0.5,
    browR: -0.5,
    mouthForm: -0.7,
    mouthWidth: 0.6,
    puff: 1,
    blush: 0.7,
    gazeX: -0.4,
    eyeL: 0.85,
    eyeR: 0.85,
    headX: -0.35,
    cross: 1,
    armL: 44,
    armR: 44,
  },
  sleepy: {
    eyeL: 0,
    eyeR: 0,
    mouthForm: 0.2,
    mouthOpen: 0.55,
    mouthRound: 1,
    mouthWidth: 1.15,
    browL: 0.1,
    browR: 0.1,
    browSlant: -0.4,
    headTilt: -9,
    headY: 0.4,
    snooze: 1,
    armL: 6,
    armR: 6,
  },
}

const tau = Math.PI * 2
/** Up, stays, and down again: 0 at both ends. */
const rise = (t, edge = 0.18) => ease(Math.min(1, t / edge)) * ease(Math.min(1, (1 - t) / edge))
const ease = (t) => t * t * (3 - 2 * t)
const between = (t, from, to) => Math.min(1, Math.max(0, (t - from) / (to - from)))

// `pose` gives what is added to the parameters at `t`, from 0 to 1; `still` is the moment to show where motion is
// reduced.

const wave = {
  ms: 1900,
  still: 0.4,
  pose: (t) => ({
    armR: rise(t) * (94 + 20 * Math.sin(t * tau * 3.5)),
    reachR: rise(t),
    headTilt: rise(t) * 7,
    bodyTilt: rise(t) * 2,
    mouthForm: rise(t),
    mouthOpen: rise(t) * 0.5,
  }),
}

const nod = {
  ms: 1100,
  still: 0.625,
  pose: (t) => ({
    headY: 0.95 * Math.max(0, Math.sin(t * tau * 2)) * rise(t, 0.12),
    bodyY: 3 * Math.sin(t * tau * 2) * rise(t),
    squash: 0.03 * Math.sin(t * tau * 2) * rise(t),
  }),
}

const shake = {
  ms: 1200,
  still: 0.3,
  pose: (t) => ({ headX: 0.95 * Math.sin(t * tau * 2.5) * rise(t), headTilt: 3 * Math.sin(t * tau * 2.5) * rise(t) }),
}

const jump = {
  ms: 1000,
  still: 0.48,
  pose(t) {
    const crouch = rise(between(t, 0, 0.24), 0.5) + rise(between(t, 0.74, 1), 0.5) * 0.8
    const flight = between(t, 0.2, 0.78)
    const height = 4 * flight * (1 - flight)
    return {
      bodyY: -58 * height,
      squash: crouch * 0.16 - height * 0.07,
      armL: height * 100,
      armR: height * 100,
      eyeSmileL: height,
      eyeSmileR: height,
      mouthForm: height,
      mouthOpen: height * 0.8,
    }
  },
}

const dance = {
  ms: 3600,
  still: 0.14,
  pose(t) {
    const beat = Math.sin(t * tau * 4)
    const bounce = Math.abs(Math.cos(t * tau * 4))
    const on = rise(t, 0.1)
    return {
      bodyX: on * beat * 16,
      bodyTilt: on * beat * 7,
      headTilt: on * beat * -9,
      bodyY: on * bounce * -10,
      squash: on * (0.5 - bounce) * 0.07,
      armL: on * (50 + beat * 48),
      armR: on * (50 - beat * 48),
      footL: on * Math.max(0, beat) * 12,
      footR: on * Math.max(0, -beat) * 12,
      mouthForm: on,
      mouthOpen: on * 0.35,
      eyeSmileL: on,
      eyeSmileR: on,
    }
  },
}

const bow = {
  ms: 1700,
  still: 0.5,
  pose: (t) => ({
    headY: rise(t, 0.35),
    bodyY: rise(t, 0.35) * 8,
    squash: rise(t, 0.35) * 0.1,
    eyeL: -rise(t, 0.3),
    eyeR: -rise(t, 0.3),
    armL: rise(t) * -34,
    armR: rise(t) * -34,
    mouthForm: rise(t) * 0.4,
  }),
}

const cheer = {
  ms: 1500,
  still: 0.3,
  pose: (t) => ({
    armL: rise(t) * (112 + 14 * Math.sin(t * tau * 4)),
    armR: rise(t) * (112 - 14 * Math.sin(t * tau * 4)),
    reachL: rise(t),
    reachR: rise(t),
    bodyY: rise(t) * -14 * Math.abs(Math.sin(t * tau * 2)),
    mouthForm: rise(t),
    mouthOpen: rise(t) * 0.8,
    sparkle: rise(t),
    eyeSmileL: rise(t),
    eyeSmileR: rise(t),
  }),
}

const lookAround = {
  ms: 3400,
  still: 0.25,
  pose: (t) => ({
    headX: rise(t) * 0.8 * Math.sin(t * tau),
    gazeX: rise(t) * Math.sin(t * tau),
    headY: rise(t) * -0.2,
    browL: rise(t) * 0.3,
    browR: rise(t) * 0.3,
  }),
}

const stretch = {
  ms: 2600,
  still: 0.5,
  pose: (t) => ({
    armL: rise(t, 0.3) * 116,
    armR: rise(t, 0.3) * 116,
    reachL: rise(t, 0.3),
    reachR: rise(t, 0.3),
    squash: rise(t, 0.3) * -0.07,
    headY: rise(t, 0.3) * -0.5,
    eyeSmileL: rise(t, 0.3),
    eyeSmileR: rise(t, 0.3),
    mouthOpen: rise(t, 0.3) * 0.7,
    mouthRound: rise(t, 0.3) * 0.6,
  }),
}

const sway = {
  ms: 3200,
  still: 0.2,
  pose: (t) => ({
    bodyTilt: rise(t) * 5 * Math.sin(t * tau * 2),
    headTilt: rise(t) * 7 * Math.sin(t * tau * 2 - 0.5),
    bodyX: rise(t) * 6 * Math.sin(t * tau * 2),
    mouthForm: rise(t) * 0.4,
  }),
}

/** Groups as a Live2D model has them, and one for each motion that has a name of its own. */
export const motions = {
  Idle: [lookAround, sway, stretch],
  TapBody: [jump, wave, nod, cheer],
  Wave: [wave],
  Nod: [nod],
  Shake: [shake],
  Jump: [jump],
  Dance: [dance],
  Bow: [bow],
  Cheer: [cheer],
}

// States of sluice/pet that look like something of their own: `pose` gives parameters, below an expression, by the
// seconds since it began; `still` is the moment to show where motion is reduced; `plays` are motions, one of which
// starts with it.

const wakes = (t) => Math.min(1, Math.max(0, t - 0.9) / 0.5)
const asleep = {
  eyeL: 0,
  eyeR: 0,
  mouthForm: 0.2,
  mouthOpen: 0.55,
  mouthRound: 1,
  mouthWidth: 1.15,
  browSlant: -0.4,
  headTilt: -9,
  headY: 0.4,
  snooze: 1,
  armL: 6,
  armR: 6,
}

/** By name. What is left out looks like `idle`. */
export const states = {
  listening: {
    pose: () => ({
      armR: 143,
      reachR: 0.9,
      bodyTilt: 3,
      headTilt: 7,
      browL: 0.4,
      browR: 0.4,
      eyeL: 1.08,
      eyeR: 1.08,
      mouthForm: 0.4,
      mouthWidth: 0.8,
    }),
  },
  thinking: {
    pose: () => ({
      gazeX: 0.6,
      gazeY: -0.85,
      headX: 0.25,
      headY: -0.2,
      headTilt: 5,
      browL: 0.1,
      browR: 0.7,
      mouthForm: 0,
      mouthWidth: 0.6,
      thought: 1,
      ...atChin,
    }),
  },
  busy: {
    pose: (t) => ({
      gazeX: 0.75,
      gazeY: 0.25,
      headX: 0.4,
      headY: 0.15,
      headTilt: 4,
      browL: -0.1,
      browR: -0.1,
      browSlant: 0.25,
      mouthForm: 0.2,
      mouthWidth: 0.6,
      armR: 88 + 5 * Math.sin(t * 2.2),
      armL: 26,
    }),
  },
  asking: {
    pose: () => ({
      browL: 0.5,
      browR: 0.5,
      eyeL: 1.1,
      eyeR: 1.1,
      mouthForm: 0.6,
      mouthOpen: 0.12,
      headTilt: 6,
      ask: 1,
      armL: 30,
    }),
    plays: [wave],
  },
  done: { pose: () => ({ mouthForm: 0.9 }), plays: [nod] },
  stopped: { pose: () => ({}), plays: [nod] },
  error: {
    still: 3,
    pose: (t) => ({
      browSlant: -0.8,
      browL: 0.3,
      browR: 0.3,
      mouthForm: -0.5,
      mouthWidth: 0.75,
      eyeL: 0.8,
      eyeR: 0.8,
      gazeY: 0.5,
      headY: 0.45,
      headTilt: -5,
      armL: 4,
      armR: 4,
      squash: 0.05 - 0.1 * rise(Math.min(1, t / 1.6)),
      sigh: 1,
    }),
  },
  offline: {
    pose: () => ({ ...asleep, mouthOpen: 0, mouthRound: 0, mouthWidth: 0.7, snooze: 0.7, armR: 74, plug: 1 }),
  },
  dozing: { pose: () => asleep },
  waking: {
    pose: (t) => ({
      eyeL: wakes(t),
      eyeR: wakes(t),
      armL: mix(16, 172 + 4 * Math.sin(t * 11), 1 - wakes(t)),
      armR: mix(16, 172 - 4 * Math.sin(t * 11), 1 - wakes(t)),
      reachL: 0.8 * (1 - wakes(t)),
      reachR: 0.8 * (1 - wakes(t)),
      mouthOpen: 0.3 * (1 - wakes(t)),
      mouthRound: 1 - wakes(t),
      headTilt: 4 * Math.sin(t * 5) * (1 - wakes(t)),
    }),
    still: 0.4,
  },
  carried: {
    pose: (t) => ({
      bodyY: -26,
      bodyTilt: 6 * Math.sin(t * 4.4),
      headTilt: -5 * Math.sin(t * 4.4 - 0.7),
      armL: 92 + 12 * Math.sin(t * 9),
      armR: 92 - 12 * Math.sin(t * 9),
      reachL: 0.5,
      reachR: 0.5,
      footL: -10 + 6 * Math.sin(t * 8),
      footR: -10 - 6 * Math.sin(t * 8),
      squash: -0.08,
      eyeL: 1.15,
      eyeR: 1.15,
      browL: 0.8,
      browR: 0.8,
      mouthOpen: 0.5,
      mouthRound: 0.7,
      mouthForm: 0.5,
    }),
    still: 0.2,
  },
  landed: {
    pose: (t) => ({
      squash: 0.2 * Math.exp(-t * 5) * Math.cos(t * 16),
      armL: 16 + 60 * Math.exp(-t * 5),
      armR: 16 + 60 * Math.exp(-t * 5),
      eyeL: Math.min(1, t * 3),
      eyeR: Math.min(1, t * 3),
      mouthForm: 0.7,
    }),
    still: 0,
  },
  patted: {
    pose: (t) => ({
      eyeSmileL: 1,
      eyeSmileR: 1,
      mouthForm: 1,
      mouthOpen: 0.55,
      mouthWidth: 1.15,
      blush: 0.85,
      armL: 40,
      armR: 40,
      bodyTilt: 4 * Math.sin(t * 17) * Math.exp(-t),
    }),
    still: 0.1,
  },
}
