// What the demo can be asked, and what the scripted model says to it: a question, and its answers round by round, in
// two languages.

const say = (en, zh) => ({ text: { en, zh } })
const think = (en, zh) => ({ reasoning: { en, zh } })
const use = (name, args = {}) => ({ call: { name, arguments: args } })
const both = (en, zh) => ({ en, zh })

const hangzhou = both('Hangzhou', '杭州')
// The first that the pet has: models differ in what they can do.
const face = (...names) => ({ ...use('live2d.expression'), anyOf: { name: names } })
const move = (...groups) => ({ ...use('live2d.motion', { index: 0 }), anyOf: { group: groups } })

/**
 * A round is a list of parts, or a function from what the tools returned to one. `refuses`: a provider that takes no
 * tools. `settings`: of this turn alone.
 */
export const scenarios = [
  {
    id: 'chat',
    group: 'talk',
    title: both('Just talk', '随便聊聊'),
    question: both('Tell me something nice about rain.', '给我讲讲雨的好处吧。'),
    rounds: [
      [
        say(
          'Rain is the only weather you can hear. It taps on the window, asks for nothing, and gives you the best excuse there is to stay in with a book.\n\nAnd afterwards the whole street smells as if somebody had washed it. That smell has a name: petrichor. It comes from oils that plants give off in dry days, and from a little something that lives in the soil. Your nose finds five parts of it in a trillion – better than a shark finds blood.\n\nSo if it rains today: open the window for a moment.',
          '雨是唯一能听见的天气。它轻轻敲着窗户，什么也不要，还送给你一个最好的理由：窝在家里看书。\n\n雨停以后，整条街闻起来像刚刚洗过一样。这种气味有个名字，叫潮土油：来自植物在干燥日子里分泌的油脂，也来自土壤里的一点点小生命。万亿分之五的浓度，你的鼻子就能闻出来，比鲨鱼闻到血还灵。\n\n所以今天要是下雨，就把窗户打开一会儿吧。',
        ),
      ],
    ],
  },
  {
    id: 'weather',
    group: 'talk',
    title: both('One tool', '一个工具'),
    question: both('How is the weather in Hangzhou?', '杭州现在天气怎么样？'),
    rounds: [
      [
        say('Let me have a look at the sky over Hangzhou. ', '我看看杭州的天空。'),
        use('weather.now', { city: hangzhou }),
      ],
      [
        say(
          'Overcast and mild, 22 °C. From four in the afternoon on it rains, so the walk around the lake is better done before that.',
          '阴天，22 °C，挺舒服的。下午四点开始有雨，想绕西湖走走的话，最好赶在那之前。',
        ),
      ],
    ],
  },
  {
    id: 'trip',
    group: 'talk',
    title: both('Several tools', '多个工具'),
    question: both('Plan my Saturday in Hangzhou.', '帮我安排周六在杭州的行程。'),
    rounds: [
      [
        say(
          'Three things to find out first: your calendar, the sky, and what is on. ',
          '先弄清三件事：你的日程、天气，还有城里的活动。',
        ),
        use('calendar.list', { day: both('Saturday', '周六') }),
        use('weather.now', { city: hangzhou }),
        use('web.search', { query: both('Hangzhou Saturday exhibition', '杭州 周六 展览') }),
      ],
      [
        say(
          'Here is your Saturday:\n\n09:00  The lake while it is dry, in by Broken Bridge.\n12:30  Lunch with Lin, as in your calendar.\n14:30  Silk and Song, the new exhibition – it is indoors when the rain comes.\n\nShall I put the exhibition on your list?',
          '这是你的周六：\n\n09:00  趁天还没下雨，从断桥开始逛西湖。\n12:30  和小林吃午饭，日程里已经有了。\n14:30  新展《丝与歌》，下雨时正好在室内。\n\n要不要我把展览记到你的清单里？',
        ),
      ],
    ],
  },
  {
    id: 'think',
    group: 'talk',
    title: both('Think first', '先想一想'),
    question: both(
      'A bat and a ball cost 1.10; the bat costs 1.00 more. What is the ball?',
      '球拍和球一共 1.10 元，球拍比球贵 1.00 元，球多少钱？',
    ),
    rounds: [
      [
        think(
          'The quick answer is 0.10, but then the bat would be 1.10 and both 1.20. Let the ball be x: x + (x + 1.00) = 1.10, so 2x = 0.10 and x = 0.05.',
          '脱口而出的答案是 0.10，但那样球拍就是 1.10，一共 1.20。设球为 x：x + (x + 1.00) = 1.10，所以 2x = 0.10，x = 0.05。',
        ),
        say(
          'Five cents. The quick answer, ten, is the one nearly everybody gives first – me too, for a moment.',
          '五分钱。几乎每个人一开始都会答一毛，我也差一点。',
        ),
      ],
    ],
  },
  {
    id: 'face',
    group: 'pet',
    title: both('Show your face', '做个表情'),
    question: both('Good news: I got the job! Show me how you feel.', '好消息：我拿到那份工作了！你开心吗？'),
    rounds: [
      [
        say('Wait. You got ', '等等，你拿到了'),
        face('surprised'),
        say('the job? The one with the window on the lake? Oh, ', '那份工作？窗外就是西湖的那份？哇，'),
        face('happy', 'smile'),
        move('Dance', 'TapBody'),
        say(
          'that calls for a little dance! I am so happy for you. Tell me everything, from the handshake on.',
          '这必须跳个舞庆祝一下！真替你高兴。快从头讲给我听，从握手那一刻开始。',
        ),
      ],
    ],
  },
  {
    id: 'refused',
    group: 'trouble',
    title: both('A provider without tools', '不支持工具的服务'),
    question: both('Ask a provider that takes no tools: do I need an umbrella?', '问问不支持工具的服务：我要带伞吗？'),
    refuses: true,
    rounds: [
      [
        say(
          'This provider takes no tools in the request, but I can read: ',
          '这个服务不接受请求里的工具，但说明我看得懂：',
        ),
        use('weather.now', { city: hangzhou }),
      ],
      [say('Rain from four on. Take the umbrella.', '四点开始下雨，带上伞吧。')],
    ],
  },
  {
    id: 'umbrella',
    group: 'approval',
    title: both('A note, if you agree', '记一笔（需同意）'),
    question: both(
      'Do I need an umbrella in Hangzhou today? If so, put it on my list.',
      '今天杭州要带伞吗？要的话，帮我记到清单里。',
    ),
    rounds: [
      [
        think('The user wants to know about rain. I look at the sky first.', '用户想知道会不会下雨。我先看看天气。'),
        say('Let me have a look at the sky over Hangzhou ', '我看看杭州的天空 '),
        face('thinking'),
        use('weather.now', { city: hangzhou }),
      ],
      [
        say(
          'Rain from four in the afternoon on, so yes: take one. I put it on your list – that needs your word. ',
          '下午四点开始有雨，所以要带。我把它记到清单里，这需要你点头。',
        ),
        use('notes.add', { text: both('Take the umbrella', '记得带伞'), due: '15:30' }),
      ],
      (results) =>
        results.includes('refused')
          ? [say('As you like, then it stays off your list. But do take one.', '好的，那就不记了。不过伞还是要带哦。')]
          : [
              move('TapBody'),
              say(
                'Done. Until half past three you can forget about it.',
                '记好了。三点半之前你可以先忘掉它，然后记得带伞。',
              ),
            ],
    ],
  },
  {
    id: 'message',
    group: 'approval',
    title: both('Send a message', '发一条消息'),
    question: both('Tell Lin that I will be ten minutes late.', '告诉小林我会晚到十分钟。'),
    rounds: [
      [
        say('This goes out in your name, so please read it first. ', '这条消息会以你的名义发出，请先看一下。'),
        use('message.send', {
          to: both('Lin', '小林'),
          text: both('I will be ten minutes late, sorry! Please order for me.', '我会晚到十分钟，抱歉！先帮我点菜吧。'),
        }),
      ],
      (results) =>
        results.includes('refused')
          ? [face('worried'), say('Not sent. Shall I word it in another way?', '没有发送。要不要我换个说法？')]
          : [face('smile'), say('Sent. Lin knows, so no need to run.', '发出去了。小林知道了，不用跑。')],
    ],
  },
  {
    id: 'errands',
    group: 'approval',
    title: both('Three at once', '一次三件'),
    question: both('Remind me of milk, stamps and flowers.', '提醒我买牛奶、邮票和鲜花。'),
    rounds: [
      [
        say('Three notes, then. ', '那就记三条。'),
        use('notes.add', { text: both('Milk', '牛奶') }),
        use('notes.add', { text: both('Stamps', '邮票') }),
        use('notes.add', { text: both('Flowers', '鲜花'), due: '18:00' }),
      ],
      (results) =>
        results.includes('refused')
          ? [say('I left out what you did not want.', '你不想要的我没有记。')]
          : [say('Milk, stamps and flowers are on your list.', '牛奶、邮票和鲜花都记好了。')],
    ],
  },
  {
    id: 'diary',
    group: 'approval',
    title: both('Read my diary', '读我的日记'),
    question: both('What did I write in my diary yesterday?', '我昨天的日记写了什么？'),
    rounds: [
      [
        say(
          'I open it. What is in it leaves this machine only if you say so. ',
          '我来打开它。只有你同意，里面的内容才会离开这台电脑。',
        ),
        use('diary.read', { day: both('yesterday', '昨天') }),
      ],
      (results) =>
        /picnic|野餐/i.test(results)
          ? [
              say(
                'You wrote about the picnic by the lake, and that you want to do it again before autumn.',
                '你写了湖边的野餐，还说入秋之前想再去一次。',
              ),
            ]
          : [
              say(
                'I did not get to see it, and that is fine: it is your diary.',
                '我没有看到内容，没关系，那是你的日记。',
              ),
            ],
    ],
  },
  {
    id: 'button',
    group: 'approval',
    title: both('You press the button', '由你按下按钮'),
    question: both(
      'Show me how you would ask for the weather, and let me start it.',
      '让我看看你怎么查天气，由我来启动。',
    ),
    settings: { mode: 'text', protocol: 'json_strict', loop: 'user_mediated' },
    rounds: [
      [
        say('This is the call that I would make; it waits for you. ', '这就是我要发出的调用，等你来启动。'),
        use('weather.now', { city: hangzhou }),
      ],
      (results) =>
        results.includes('refused')
          ? [say('Then not. I am here when you change your mind.', '那就不查了。改主意了再叫我。')]
          : [say('Thank you! Overcast, 22 °C, and rain from four on.', '谢谢！阴天，22 °C，四点开始有雨。')],
    ],
  },
  {
    id: 'album',
    group: 'trouble',
    title: both('A slow tool', '慢工具'),
    question: both('Put my holiday photos into an album.', '把我的旅行照片整理成相册。'),
    rounds: [
      [
        say('This takes a few seconds; you can stop it at any time. ', '这要花几秒钟，你随时可以停下来。'),
        use('album.make', { title: both('Summer by the lake', '湖边的夏天'), photos: 40 }),
      ],
      (results) =>
        /photos.{0,8}40/.test(results)
          ? [
              say(
                'All forty photos are in the album. The third one, with the heron, is my favourite.',
                '四十张照片都放进相册了。我最喜欢第三张，有白鹭的那张。',
              ),
            ]
          : [
              say(
                'Stopped half-way. Some of the photos may be in the album already, so have a look before you start again.',
                '中途停下了。有些照片可能已经放进相册，重新开始之前先看一眼吧。',
              ),
            ],
    ],
  },
  {
    id: 'printer',
    group: 'trouble',
    title: both('A tool that fails', '工具出错'),
    question: both('Print my shopping list.', '打印我的购物清单。'),
    rounds: [
      [
        say('I send it to the printer. ', '我发给打印机。'),
        use('printer.print', { document: both('shopping list', '购物清单') }),
      ],
      [
        face('worried'),
        say(
          'The printer is out of paper. I can read the list to you instead, or try again when you have filled it up.',
          '打印机没纸了。我可以念给你听，或者等你加好纸再试一次。',
        ),
      ],
    ],
  },
]

/** What Lulu is told where she speaks first, and what the script says then. */
export const unasked = both(
  'Say something kind, for instance about the time of day.',
  '说句贴心的话，比如跟现在的时间有关的。',
)
export const kind = say(
  'You have been at it for a while. How about a glass of water?',
  '你忙了好一会儿了。要不要喝杯水？',
)

/** Said to what is not in the script. */
export const stranger = say(
  'I only know my script: the cards below the conversation start its scenes. Connect me to a real model in the settings, and ask me anything.',
  '我只会背台词：下面的按钮可以开始各个场景。在设置里接上真正的模型，就什么都可以问我了。',
)

/** Said where calls are to be written in a way that is not in the script, or where there are no tools at all. */
export const otherProtocol = (known) =>
  say(
    `For this scene I need tools. Either they are all switched off, or the protocol is one that my script does not write; it writes ${known.join(', ')}. A real model may know better.`,
    `这个场景需要工具。要么工具都被关掉了，要么选了我的台词里没有的协议；我会写 ${known.join('、')}。真正的模型也许会更多。`,
  )
