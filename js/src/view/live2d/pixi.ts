// The adapter for `untitled-pixi-live2d-engine`, `pixi-live2d-display` and its other forks: one family, told by shape.
// Cubism 2 writes `name` and `file` where Cubism 3 and later write `Name` and `File`.
import type { PetCapabilities } from '../../app/bridge/messages.js'
import { SluiceError } from '../../engine/core/errors.js'
import { unprintable } from '../../app/bridge/unprintable.js'
import { clip, type PetModel } from './live2d-model.js'

/** What is used of a `Live2DModel`. Everything may be missing: a model that was destroyed has nothing left. */
export interface PixiLive2dModel {
  /** Shows it, by its place in the list or its name. */
  expression(id?: number | string): Promise<boolean>
  motion(group: string, index?: number, priority?: number): Promise<boolean>
  /** Where its names and parameters are. */
  internalModel: unknown
  /** It can do nothing any more. */
  readonly destroyed?: boolean
}

interface Internal {
  settings?: Settings
  motionManager?: {
    definitions?: Groups
    expressionManager?: { definitions?: Named[]; expressions?: unknown[]; currentExpression?: unknown }
    state?: { currentGroup?: string; currentIndex?: number; reservedGroup?: string; reservedIndex?: number }
  }
  coreModel?: Core
}

interface Settings {
  name?: string
  expressions?: Named[]
  motions?: Groups
}
type Groups = { [group: string]: unknown[] | undefined }
interface Named {
  name?: string
  Name?: string
}
interface Core {
  /** Of the Cubism core, where the framework keeps it. */
  _model?: {
    parameters?: {
      ids?: ArrayLike<string>
      minimumValues?: ArrayLike<number>
      maximumValues?: ArrayLike<number>
      defaultValues?: ArrayLike<number>
    }
  }
}

/** MotionPriority.FORCE: the others are refused while a motion plays, and an order is not to be lost. */
const FORCE = 3

/**
 * `pixiModel(await Live2DModel.from(url))`. Names are cleaned of what no tool may be called with; the model gets its
 * own.
 */
export function pixiModel(model: PixiLive2dModel): PetModel {
  if (typeof model?.expression !== 'function' || typeof model.motion !== 'function') {
    throw new SluiceError({
      code: 'option',
      path: 'model',
      detail: 'expected a Live2DModel with expression() and motion()',
      hint: 'await Live2DModel.from(url)',
    })
  }
  const expressions = (): Map<string, number> => offered(expressionNames(inside(model)))
  const groups = (): Map<string, number> => offered(Object.keys(motionGroups(inside(model))))
  const ownGroup = (name: string): string | undefined =>
    Object.keys(motionGroups(inside(model)))[groups().get(name) ?? -1]

  return {
    capabilities: () => capabilities(inside(model), expressions(), groups()),
    async expression(name) {
      const index = expressions().get(name)
      if (index === undefined) return false
      // False is also what the engine says of the one that is shown.
      return (await model.expression(index)) || isShown(inside(model), index)
    },
    async motion(name, index) {
      const group = ownGroup(name)
      if (group === undefined) return false
      return (await model.motion(group, index, FORCE)) || isPlaying(inside(model), group, index)
    },
  }
}

function inside({ internalModel, destroyed }: PixiLive2dModel): Internal {
  if (destroyed || typeof internalModel !== 'object' || internalModel === null)
    throw new Error('the model was destroyed, or is not loaded')
  return internalModel as Internal
}

function capabilities(
  internal: Internal,
  expressions: Map<string, number>,
  groups: Map<string, number>,
): PetCapabilities {
  const motions = Object.values(motionGroups(internal))
  const counts = [...groups]
    .map(([name, at]) => [name, motions[at]?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
  const name = internal.settings?.name
  const parameters = parametersOf(internal.coreModel)
  return {
    ...(typeof name === 'string' && name !== '' ? { model: clean(name) || 'model' } : {}),
    expressions: [...expressions.keys()],
    motions: Object.fromEntries(counts),
    ...(parameters.length > 0 ? { parameters } : {}),
  }
}

function expressionNames({ motionManager, settings }: Internal): unknown[] {
  const definitions = motionManager?.expressionManager?.definitions ?? settings?.expressions
  return Array.isArray(definitions) ? definitions.map((one) => one?.Name ?? one?.name) : []
}

function motionGroups({ motionManager, settings }: Internal): Groups {
  const groups = motionManager?.definitions ?? settings?.motions ?? {}
  return Object.fromEntries(Object.entries(groups).filter(([, motions]) => Array.isArray(motions)))
}

/**
 * Clean names, and where each stands in the list. Of two that would be the same the first counts; without any name
 * there is no calling it.
 */
function offered(names: unknown[]): Map<string, number> {
  const map = new Map<string, number>()
  names.forEach((name, at) => {
    const shown = typeof name === 'string' ? clean(name) || (name === '' ? 'Default' : '') : ''
    if (shown !== '' && !map.has(shown) && map.size < 500) map.set(shown, at)
  })
  return map
}

/** Many models have their files' names for names. `__proto__` is no name. */
function clean(name: string): string {
  const plain = clip(name.replace(/(\.exp3?)?\.json$/i, '').trim(), 100).replace(new RegExp(unprintable, 'gu'), '')
  return plain in Object.prototype ? '' : plain
}

function isShown({ motionManager }: Internal, index: number): boolean {
  const { expressions, currentExpression } = motionManager?.expressionManager ?? {}
  return currentExpression !== undefined && currentExpression !== null && expressions?.[index] === currentExpression
}

function isPlaying({ motionManager }: Internal, group: string, index: number | undefined): boolean {
  const { currentGroup, currentIndex, reservedGroup, reservedIndex } = motionManager?.state ?? {}
  const same = (its: string | undefined, number: number | undefined): boolean =>
    its === group && (index === undefined || index === number)
  return same(currentGroup, currentIndex) || same(reservedGroup, reservedIndex)
}

/** Cubism 2 does not list them. */
function parametersOf(core: Core | undefined): NonNullable<PetCapabilities['parameters']> {
  const { ids = [], minimumValues = [], maximumValues = [], defaultValues = [] } = core?._model?.parameters ?? {}
  return Array.from(ids)
    .slice(0, 5000)
    .flatMap((id, at) => {
      const [min, max, usual] = [minimumValues[at], maximumValues[at], defaultValues[at]]
      if (
        typeof id !== 'string' ||
        id === '' ||
        id.length > 200 ||
        unprintable.test(id) ||
        !Number.isFinite(min) ||
        !Number.isFinite(max)
      )
        return []
      return [
        { id, min: min as number, max: max as number, ...(Number.isFinite(usual) ? { default: usual as number } : {}) },
      ]
    })
}
