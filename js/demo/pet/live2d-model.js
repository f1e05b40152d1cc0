// A real Live2D model in the page, where `npm run live2d` has installed one: the same `PetModel` as the puppet. The
// Cubism core that comes with it is plain JavaScript and Pixi is built without eval, so that the page keeps its policy:
// script-src 'self', img-src 'self' blob: data:.
import { pixiModel } from '/sluice/live2d/index.js'

const folder = '/live2d-local/'

/** Fills `container`, which has a size. What it looks at and what a click does is as with the puppet. */
export async function createLive2dModel(container) {
  const manifest = await readManifest()
  await loadCore(folder + manifest.core)
  const engine = await import(folder + manifest.engine)
  engine.extensions.add(engine.Live2DPlugin)
  Object.assign(engine.loadTextures.config, { preferWorkers: false }) // a worker from a blob is against the policy
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches

  const app = new engine.Application()
  await app.init({
    backgroundAlpha: 0,
    antialias: true,
    autoDensity: true,
    resolution: devicePixelRatio,
    preference: 'webgl',
  })
  let live2d
  try {
    live2d = await engine.Live2DModel.from(folder + manifest.model, {
      autoHitTest: false,
      autoFocus: false,
      ...(calm ? { idleMotionGroup: '-' } : {}),
    })
  } catch (error) {
    app.destroy(true)
    throw error
  }
  app.stage.addChild(live2d)
  const { canvas } = app
  canvas.setAttribute('role', 'img')
  container.append(canvas)

  const figure = live2d.getLocalBounds().rectangle.clone() // what is drawn: the canvas of a model has empty borders
  const fit = () => {
    const { clientWidth: width, clientHeight: height } = container
    if (width === 0 || height === 0) return
    app.renderer.resize(width, height)
    const scale = 0.96 * Math.min(width / figure.width, height / figure.height)
    live2d.scale.set(scale)
    live2d.position.set(width / 2 - (figure.x + figure.width / 2) * scale, height - (figure.y + figure.height) * scale)
  }
  const resized = new ResizeObserver(fit)
  resized.observe(container)
  fit()

  let open = 0
  const mouth = openMouth(live2d.internalModel, () => open)
  const mask = alphaMask(app)
  const model = {
    ...pixiModel(live2d),
    element: canvas,
    /** Of the engine, for tests and for the curious. */
    live2d,
    mouth(level) {
      open = level
    },
    look(point) {
      const box = canvas.getBoundingClientRect()
      if (point) live2d.focus(point.x - box.left, point.y - box.top)
      else live2d.internalModel.focusController.focus(0, 0)
    },
    fps(limit) {
      if (limit === 0) return app.ticker.stop()
      app.ticker.maxFPS = Math.min(60, limit < 12 ? limit : limit * 2) // hair and cloth tremble below 24
      app.ticker.start()
    },
    hit(x, y) {
      const box = canvas.getBoundingClientRect()
      return live2d.hitTest(x - box.left, y - box.top)[0] ?? (mask(x, y) ? 'body' : null)
    },
    opaque: mask,
    destroy() {
      removeEventListener('pointermove', follow)
      resized.disconnect()
      live2d.internalModel.off('beforeModelUpdate', mouth)
      app.destroy(true, { children: true })
    },
  }
  canvas.setAttribute('aria-label', model.capabilities().model ?? 'Live2D')
  const follow = (event) => model.look({ x: event.clientX, y: event.clientY })
  addEventListener('pointermove', follow, { passive: true })
  canvas.addEventListener('click', () => void model.motion('TapBody'))
  return model
}

async function readManifest() {
  const response = await fetch(`${folder}manifest.json`)
  if (!response.ok) throw new Error(`${folder}manifest.json: ${response.status}; npm run live2d installs a model`)
  const manifest = await response.json()
  for (const key of ['core', 'engine', 'model']) {
    if (!/^[\w.-]+(\/[\w.-]+)*$/.test(manifest[key] ?? '') || manifest[key].includes('..'))
      throw new Error(`${folder}manifest.json: ${key}: expected a file in that folder`)
  }
  return manifest
}

/** It is no module: it makes a global, and so it is loaded once. */
function loadCore(url) {
  if (globalThis.Live2DCubismCore) return
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = url
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`${url} could not be loaded`))
    document.head.append(script)
  })
}

/** Last in every frame, over what motion and expression say. */
function openMouth(internal, open) {
  const at = Array.from(internal.coreModel._model.parameters.ids).indexOf('ParamMouthOpenY')
  const move = () => {
    if (at >= 0 && open() > 0) internal.coreModel.setParameterValueByIndex(at, Math.min(1, open()))
  }
  internal.on('beforeModelUpdate', move)
  return move
}

/** Whether something is drawn at a point of the page: the canvas at an eighth of its size, at most 4 times a second. */
function alphaMask(app) {
  const small = document.createElement('canvas')
  const context = small.getContext('2d', { willReadFrequently: true })
  let pixels
  let drawnAt = -Infinity
  return (x, y) => {
    const box = app.canvas.getBoundingClientRect()
    const [column, row] = [Math.floor((x - box.left) / 8), Math.floor((y - box.top) / 8)]
    if (performance.now() - drawnAt > 250) {
      drawnAt = performance.now()
      small.width = Math.max(1, Math.ceil(box.width / 8))
      small.height = Math.max(1, Math.ceil(box.height / 8))
      app.render() // what WebGL drew is gone behind its frame
      context.drawImage(app.canvas, 0, 0, small.width, small.height)
      pixels = context.getImageData(0, 0, small.width, small.height)
    }
    if (column < 0 || row < 0 || column >= pixels.width || row >= pixels.height) return false
    return pixels.data[(row * pixels.width + column) * 4 + 3] > 40
  }
}
