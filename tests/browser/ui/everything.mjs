// A text with one of everything.
export const everything = `# Umbrellas, compared

Here is **what I found**, with *one* caveat and some \`inline code\`. See [the forecast](https://example.com/weather?city=hangzhou) or https://example.org/rain.
A second line of the same paragraph, ~~wrong~~ H<sub>2</sub>O and <kbd>Ctrl</kbd>+<kbd>K</kbd>.

## Steps

1. Take the blue one
2. Leave ten minutes early
   - it stands next to the door
   - [bank.example](https://evil.example/login) is not what it says
3. Enjoy

- [x] weather
- [ ] calendar

> A quote that
> goes on.

\`\`\`python
def rain(hours: list[int]) -> bool:
    """True if it rains."""
    return any(h > 16 for h in hours)  # four o'clock, and a very long line that goes beyond the right edge of the box
\`\`\`

| City | High | Low | Sky |
|:-----|-----:|----:|:---:|
| Hangzhou | 21 | 14 | rain from four |
| Beijing | 24 | 15 | clear |

![A map](https://example.com/map.png)

---

### 中文

这是**“计划”**：先看天气，**注意：**带伞。

- שלום **עולם** abc
- مرحبا
`
