// What Gemini's models refuse in the schema of a function, on both wires that reach them.
import type { EnforcedRule } from './rule.js'
import {
  arrayWithoutItems,
  crowdedReference,
  danglingReference,
  emptyRequired,
  fieldOf,
  undefinedRequired,
  type OfferedTool,
  type RuleOfTools,
} from './schema-faults.js'

/** The rules about schemas. `place`: how the words name the schema, with what `inTools` says of its tool. */
export const geminiSchemaRules = <Tool extends OfferedTool>(
  inTools: RuleOfTools<Tool>,
  place: string,
): readonly EnforcedRule[] => [
  {
    name: 'an array without items',
    refuses: inTools(({ schema }) => {
      const path = arrayWithoutItems(schema)
      // a list of types counts where its schema is
      return path && { at: fieldOf(path.at(-2) === 'type' ? path.slice(0, -2) : path) }
    }),
    words: `${place}{at}.items: missing field.`,
    since: '2026-07',
    source: 'DEEIX-AI/DEEIX-Chat#546; kkrishnan90/gemini-desktop#7',
  },
  {
    name: 'a $ref with something beside it',
    refuses: inTools(({ schema }) => {
      const found = crowdedReference(schema)
      return found && { name: found.reference.split('/').at(-1)! }
    }),
    words:
      "$ref '{name}' was set alongside unsupported fields. If a schema node has $ref set, then only description and default can be set alongside it",
    since: '2026-02',
    source: 'anomalyco/opencode#12295; su-kaka/gcli2api#374',
  },
  {
    name: 'a $ref to nothing',
    refuses: inTools(({ schema }) => {
      const found = danglingReference(schema)
      return found && { at: found.path.join('.') }
    }),
    words: 'reference to undefined schema at {at}',
    since: '2025-11',
    source: 'google-gemini/gemini-cli#13326',
  },
  {
    name: 'a required name without a property',
    refuses: inTools(({ schema }) => {
      const path = undefinedRequired(schema)
      return path && { at: fieldOf(path) }
    }),
    words: `${place}{at}: property is not defined`,
    since: '2026-05',
    source: 'probelabs/probe#569; promptfoo/promptfoo#6902',
  },
  {
    name: 'an empty list of required names',
    refuses: inTools(({ schema }) => {
      const path = emptyRequired(schema)
      return path && { at: fieldOf(path) }
    }),
    words: `${place}{at}: should not be empty`,
    since: '2026-03',
    source: 'openclaw/openclaw#52106; earendil-works/pi#2172 (not word for word)',
  },
]
