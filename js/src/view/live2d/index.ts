// Live2D: what a model can do as tools, and what goes on in the window that shows it. No Node, no DOM, no renderer of
// its own.
export {
  live2dTools,
  live2dTriggerChannels,
  type Live2dOptions,
  type PetChannels,
} from '../../app/bridge/live2d-tools.js'
export type { PetCapabilities, PetOrder, PetParameter } from '../../app/bridge/messages.js'
export type { PetModel, PetPoint, PetStateDetail } from './live2d-model.js'
export { pixiModel, type PixiLive2dModel } from './pixi.js'
export {
  receivePetOrders,
  receivePetChannels,
  type PetChannelOptions,
  type PetReceiver,
  type PetReceiverOptions,
} from './receive.js'
