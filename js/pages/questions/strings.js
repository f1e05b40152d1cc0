// What the page of questions says.
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`

const en = {
  title: 'Questions',
  language: '中文',
  languageLabel: 'Switch to Chinese',
  theme: { auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
  count: (count, more) =>
    more
      ? `More than ${count} questions are open; these are shown`
      : count === 0
        ? 'Nothing is asked'
        : `${plural(count, 'question is', 'questions are')} open`,
  none: 'Nothing is asked. New questions appear here by themselves.',
  who: (name) => `You decide as ${name}`,
  thread: 'Thread',
  turn: 'Turn',
  asked: 'Asked',
  name: 'Question',
  again: 'Asked again: the tool or its arguments changed since you decided. What you decided before counts no more.',
  fault: (why) =>
    `A turn cannot be read, and its questions may be missing here. Until it can, questions that are closed may stay: ${why}`,
  lost: (why) =>
    `The command that serves this page does not answer: ${why}. Start it again, and open the address that it prints.`,
  said: {
    approve: (tool) => `${tool}: allowed. A worker goes on with it.`,
    release: (tool) => `${tool}: the model may read the result. A worker goes on with it.`,
    deny: (tool) => `${tool}: refused. A worker goes on with it.`,
    faster: (tool, decision, by) =>
      `${tool}: your decision was not taken. ${by ?? 'Somebody'} ${decision === 'approve' ? 'approved' : 'denied'} it before you.`,
    stale: (tool) =>
      `${tool}: your decision was not taken. Somebody else decided meanwhile, the question expired, or it is another one now.`,
    over: (tool) => `${tool}: your decision was not taken. Its turn has ended.`,
    gone: (tool) => `${tool}: the question is closed. It was decided elsewhere, or it expired.`,
  },
}

const zh = {
  title: '待决问题',
  language: 'English',
  languageLabel: '切换到英语',
  theme: { auto: '主题：跟随系统', light: '主题：浅色', dark: '主题：深色' },
  count: (count, more) =>
    more ? `有超过 ${count} 个问题待决，此处显示其中这些` : count === 0 ? '没有问题' : `${count} 个问题待决`,
  none: '没有问题。新问题会自动出现在这里。',
  who: (name) => `你以 ${name} 的身份决定`,
  thread: '会话',
  turn: '轮次',
  asked: '提问时间',
  name: '问题',
  again: '再次提问：自你决定以来，工具或其参数已改变。之前的决定不再有效。',
  fault: (why) => `有一个轮次无法读取，其问题可能未在此显示。在恢复之前，已关闭的问题可能仍会显示：${why}`,
  lost: (why) => `提供此页面的命令没有应答：${why}。请重新启动它，并打开它打印的地址。`,
  said: {
    approve: (tool) => `${tool}：已允许。工作进程将继续。`,
    release: (tool) => `${tool}：模型可以读取结果。工作进程将继续。`,
    deny: (tool) => `${tool}：已拒绝。工作进程将继续。`,
    faster: (tool, decision, by) =>
      `${tool}：你的决定未被采纳。${by ?? '有人'}已先于你${decision === 'approve' ? '允许' : '拒绝'}。`,
    stale: (tool) => `${tool}：你的决定未被采纳。可能已有人作出决定，问题已过期，或问题已改变。`,
    over: (tool) => `${tool}：你的决定未被采纳。该轮次已结束。`,
    gone: (tool) => `${tool}：问题已关闭。它已在别处决定，或已过期。`,
  },
}

export const languages = { en, zh }
