// Expressions for a Cubism model with the standard parameters: [parameter, value, blend]. The names are those of the
// drawn puppet.
const both = (name, value, blend) => ['L', 'R'].map((side) => [name.replace('*', side), value, blend])
const eyes = (share) => both('ParamEye*Open', share, 'Multiply')
const mouth = (form) => ['ParamMouthForm', form, 'Overwrite'] // some models rest at a smile
const brows = (height, angle = 0, form = 0) => [
  ...both('ParamBrow*Y', height),
  ...both('ParamBrow*Angle', angle),
  ...both('ParamBrow*Form', form),
]

export const expressions = {
  neutral: [],
  smile: [mouth(1), ['ParamCheek', 0.5], ...brows(0.3)],
  happy: [
    mouth(1),
    ['ParamMouthOpenY', 0.7],
    ['ParamCheek', 0.7],
    ...eyes(0),
    ...both('ParamEye*Smile', 1),
    ...brows(0.6),
  ],
  love: [mouth(1), ['ParamCheek', 1], ['ParamAngleZ', 8], ...eyes(0), ...both('ParamEye*Smile', 1)],
  shy: [
    ['ParamCheek', 1],
    ['ParamEyeBallX', -0.6],
    ['ParamEyeBallY', -0.5],
    ['ParamAngleY', -10],
    mouth(0.4),
    ...brows(0.2, -0.6),
    ...eyes(0.8),
  ],
  wink: [mouth(1), ['ParamEyeROpen', 0, 'Multiply'], ['ParamEyeRSmile', 1], ['ParamAngleZ', 8], ['ParamCheek', 0.4]],
  thinking: [
    ['ParamEyeBallX', 0.7],
    ['ParamEyeBallY', 0.8],
    ['ParamAngleX', 10],
    ['ParamAngleZ', 6],
    mouth(-0.4),
    ['ParamBrowRY', 0.7],
    ['ParamBrowLY', -0.3],
  ],
  surprised: [...eyes(1.3), ['ParamMouthOpenY', 0.9], mouth(-0.4), ...brows(1)],
  worried: [...brows(-0.1, -1, -1), mouth(-0.8), ['ParamAngleZ', -5]],
  sad: [...brows(-0.3, -1, -1), mouth(-1), ['ParamAngleY', -12], ['ParamEyeBallY', -0.6], ...eyes(0.7)],
  pout: [
    ...brows(-0.8, 1, -0.5),
    mouth(-1),
    ['ParamCheek', 1],
    ['ParamEyeBallX', -0.5],
    ['ParamAngleX', -10],
    ...eyes(0.85),
  ],
  sleepy: [
    ...eyes(0.12),
    mouth(0.2),
    ['ParamMouthOpenY', 0.2],
    ['ParamAngleZ', -10],
    ['ParamAngleY', -8],
    ...brows(-0.4),
  ],
}
