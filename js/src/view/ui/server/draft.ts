// What a person has chosen and written in <sluice-server>, and the server that it describes.
import type {
  ChosenServer,
  PlaceView,
  PresetView,
  ServerInput,
  ServerView,
} from '../../../app/bridge/server-messages.js'

export interface Draft {
  preset: PresetView
  /** Which of its addresses. */
  place: number
  /** An address in place of these. */
  address: string
  wire: string
  key: string
  model: string
  mode: PresetView['mode']
}

export const draftOf = (preset: PresetView): Draft => ({
  preset,
  place: 0,
  address: '',
  wire: '',
  key: '',
  model: preset.models[0] ?? '',
  mode: preset.mode,
})

/** The one that answers, as it may be changed. */
export function draftOfCurrent({ current, presets }: ServerView): Draft | undefined {
  if (!current) return undefined
  const preset =
    presets.find(({ provider }) => provider === current.provider) ?? presets.find(({ provider }) => !provider)
  if (!preset) return undefined
  const place = preset.places.findIndex(({ baseURL }) => baseURL === current.baseURL)
  return {
    ...draftOf(preset),
    place: Math.max(0, place),
    address: place < 0 ? (current.baseURL ?? '') : '',
    wire: current.wire ?? '',
    model: current.model,
  }
}

export function inputOf({ preset, place, address, wire, key, model }: Draft): ServerInput {
  const baseURL = address.trim() || (place > 0 ? preset.places[place]?.baseURL : undefined)
  return {
    ...(preset.provider ? { provider: preset.provider } : {}),
    ...(baseURL ? { baseURL } : {}),
    ...(wire ? { wire } : {}),
    ...(model.trim() ? { model: model.trim() } : {}),
    ...(key.trim() ? { apiKey: key.trim() } : {}),
  }
}

export const placeOf = ({ preset, place }: Draft): PlaceView | undefined => preset.places[place]

/** The host has a key for this server. */
export function keyKept(draft: Draft, current: ChosenServer | undefined): boolean {
  const { provider, baseURL } = inputOf(draft)
  if (current && current.provider === provider && current.baseURL === baseURL) return current.hasKey
  return !draft.address.trim() && (placeOf(draft)?.hasKey ?? false)
}

/** Some server wants none, and nobody should look for one. */
export const mayHaveKey = ({ preset, address }: Draft): boolean =>
  preset.keyNames.length > 0 || !preset.provider || address.trim() !== ''

export const needsKey = ({ preset, address }: Draft): boolean => preset.keyNames.length > 0 && address.trim() === ''
