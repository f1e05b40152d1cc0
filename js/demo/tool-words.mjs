// What people read of the demo's tools, on cards and in questions. Models never read it.
const both = (en, zh) => ({ en, zh })
const looked = both('Looked up {count} things', '查了 {count} 件事')

/** @type {{ [tool: string]: import('../dist/esm/index.js').ToolWords }} */
export const words = {
  'weather.now': {
    title: both('Look at the weather', '查看天气'),
    about: both('Says how the weather is in a city, and what is coming.', '查询一个城市现在的天气和接下来的变化。'),
    sentence: both('look at the weather in **{city}**', '查看**{city}**的天气'),
    done: looked,
    icon: 'weather',
    labels: { '/city': both('City', '城市') },
  },
  'calendar.list': {
    title: both('Read your calendar', '查看日程'),
    about: both('Reads what is in your calendar on a day.', '读取你某一天的日程安排。'),
    sentence: both('read your calendar of **{day}**', '查看你**{day}**的日程'),
    done: looked,
    icon: 'calendar',
    labels: { '/day': both('Day', '日期') },
  },
  'web.search': {
    title: both('Search the web', '搜索网络'),
    about: both('Looks for pages on the web.', '在网上查找页面。'),
    sentence: both('search the web for **{query}**', '在网上搜索**{query}**'),
    done: looked,
    icon: 'search',
    labels: { '/query': both('What to look for', '搜索内容'), '/limit': both('At most', '最多条数') },
  },
  'notes.add': {
    title: both('Write a note', '记一笔'),
    about: both('Puts a note on your list.', '在你的清单里加一条。'),
    sentence: both('write **{text}** on your list', '把**{text}**记到你的清单里'),
    done: both('Wrote {count} notes', '记了 {count} 条'),
    icon: 'file',
    labels: { '/text': both('Note', '内容'), '/due': both('Until', '时间') },
  },
  'message.send': {
    title: both('Send a message', '发消息'),
    about: both('Sends a message to a friend, in your name.', '以你的名义给朋友发一条消息。'),
    sentence: both('send a message to **{to}**', '给**{to}**发一条消息'),
    done: both('Sent {count} messages', '发了 {count} 条消息'),
    icon: 'mail',
    labels: { '/to': both('To', '收信人'), '/text': both('Message', '消息') },
  },
  'diary.read': {
    title: both('Read your diary', '读日记'),
    about: both('Reads what you wrote in your diary on a day.', '读取你某一天写的日记。'),
    sentence: both('read your diary of **{day}**', '读你**{day}**的日记'),
    done: both('Read {count} days of your diary', '读了 {count} 天的日记'),
    icon: 'file',
    labels: { '/day': both('Day', '日期') },
  },
  'album.make': {
    title: both('Make an album', '整理相册'),
    about: both('Sorts photos into an album. Takes a while.', '把照片整理成相册，需要一点时间。'),
    sentence: both(
      'sort **{photos}** photos into the album **{title}**',
      '把 **{photos}** 张照片整理成相册**{title}**',
    ),
    done: both('Made {count} albums', '整理了 {count} 本相册'),
    icon: 'image',
    labels: { '/title': both('Title', '标题'), '/photos': both('Photos', '照片数量') },
  },
  'printer.print': {
    title: both('Print', '打印'),
    about: both('Prints a document.', '打印一份文档。'),
    sentence: both('print **{document}**', '打印**{document}**'),
    done: both('Printed {count} documents', '打印了 {count} 份文档'),
    icon: 'file',
    labels: { '/document': both('Document', '文档') },
  },
}
