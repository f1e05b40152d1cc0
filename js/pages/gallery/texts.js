// Texts with one of everything.
export const everything = {
  en: `# Umbrellas, compared

Here is **what I found**, with *one* caveat and some \`inline code\`. See [the forecast](https://example.com/weather) or https://example.org/rain.
~~Wrong~~, H<sub>2</sub>O, <kbd>Ctrl</kbd>+<kbd>K</kbd>, and [bank.example](https://evil.example/login), which is not what it says.

1. Take the blue one
   - it stands next to the door
2. Leave ten minutes early

- [x] weather
- [ ] calendar

> A quote that
> goes on.

\`\`\`python
def rain(hours: list[int]) -> bool:
    """True if it rains."""
    return any(h > 16 for h in hours)  # four o'clock
\`\`\`

| City | High | Low | Sky |
|:-----|-----:|----:|:---:|
| Hangzhou | 21 | 14 | rain from four |
| Beijing | 24 | 15 | clear |

The root is $\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$.

![A map](https://example.com/map.png)

---

שלום **עולם** abc
`,
  zh: `# 雨伞对比

这是**“结论”**：有*一个*前提，还有 \`行内代码\`。看[天气预报](https://example.com/weather)或 https://example.org/rain。
~~错的~~，H<sub>2</sub>O，<kbd>Ctrl</kbd>+<kbd>K</kbd>，还有名不副实的 [bank.example](https://evil.example/login)。

1. 带蓝色的那把
   - 就在门边
2. 提前十分钟出门

- [x] 天气
- [ ] 日程

> **注意：**请
> 慢慢走。

\`\`\`python
def rain(hours: list[int]) -> bool:
    """下雨就返回真。"""
    return any(h > 16 for h in hours)  # 四点
\`\`\`

| 城市 | 最高 | 最低 | 天空 |
|:-----|-----:|----:|:---:|
| 杭州 | 21 | 14 | 四点起有雨 |
| 北京 | 24 | 15 | 晴 |

根是 $\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$。

![地图](https://example.com/map.png)
`,
}

export const unfinished = {
  en: 'The forecast says **rain from fo',
  zh: '预报说**四点开始有',
}

/** A picture in base64: hills, a sky, a sun. */
export const morning =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAAA2CAIAAAC3LQuFAAABOklEQVR42u3QXyvDcRzF8fPoXLv2IFxLkiRJkiRJkiRpZmZmZmZm5v/fPIjzIFy5cKOss/2+v6vPOvW6PqfemCjQBEwe0gRMFWkCpo9oAmZKNAGzxzQBc2WagPkTDofvr7H/8s9iocLoeqb5K884Fk8ZWt86v5L3sVRlaAMGSt7H8hnjGrDOr7QLrNQYV6ZAaRdYPWdcmQKlXWCtzrgyBUq7wPoF48oUKO0CGw3GlSlQ2gU2LxlXpkBpF9hqMrQB6yTvY/uKoQ0YKHkfOy1G17dOnnHsXnM49EyTfxZ7bZqA/RuagIMOTUDhliag2KUJKN3RBJTvaQIqDzQB1UeagNoTTUD9mSag8UIT0HylCWi90QS032kCOh80Ad1PmoCR8VETHMiBHMiBHMiBHMiBHMgcyIEcyIEcKJofhMOmT0/NzmsAAAAASUVORK5CYII='
