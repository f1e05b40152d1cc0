// What Gemini refuses beyond its documentation.
import { isObject, objects, type RequestJson } from '../strict-refusal.js'
import { first, surrogates, type EnforcedRule } from './rule.js'
import { geminiSchemaRules } from './gemini-schema-rules.js'
import { isType, ruleOfTools, type OfferedTool } from './schema-faults.js'

/** A declaration, the tool that it stands in, and the member with its schema. */
interface Declaration extends OfferedTool {
  tool: number
  member: string
}

const toolsOf = ({ tools }: RequestJson): Declaration[] =>
  objects(tools).flatMap(({ functionDeclarations: declared }, tool) =>
    objects(declared).flatMap(({ name, parameters, parametersJsonSchema, description }, index) => {
      const schema: unknown = parametersJsonSchema ?? parameters
      const member = parametersJsonSchema === undefined ? 'parameters' : 'parameters_json_schema'
      return typeof name === 'string' && isObject(schema) ? [{ tool, index, name, schema, description, member }] : []
    }),
  )

const inTools = ruleOfTools(toolsOf, ({ tool, index, member }) => ({ tool, index, member }))

const declaration = '* GenerateContentRequest.tools[{tool}].function_declarations[{index}].{member}'

interface Called {
  value: RequestJson
  place: number
}

const calledIn = (content: RequestJson | undefined, member: string): Called[] =>
  objects(content?.['parts']).flatMap((part, place) => (isObject(part[member]) ? [{ value: part[member], place }] : []))

/** The rules of `gemini`. */
export const geminiRules: readonly EnforcedRule[] = [
  {
    name: 'a lone surrogate',
    refuses: surrogates,
    words: 'Invalid JSON payload received. Half of a surrogate pair: {at}',
    since: '2026-03',
    source:
      'RFC 8259, 8.2 (these words are not those of the API; anomalyco/opencode#14630: Gemini takes it where others do not)',
  },
  {
    name: 'no type at the top',
    refuses: inTools(({ schema, member }) =>
      member === 'parameters' || isType((schema as RequestJson)['type'], 'object') ? undefined : {},
    ),
    words: `${declaration}: should be of type object`,
    since: '2025-06',
    source: 'livekit/agents#2689; googleapis/python-genai#981 (not word for word)',
  },
  ...geminiSchemaRules(inTools, declaration),
  {
    name: 'a result in an answer of the model',
    refuses: ({ contents }) =>
      first(objects(contents), (content, index) => {
        const [result] = content['role'] === 'model' ? calledIn(content, 'functionResponse') : []
        return result && { index, place: result.place }
      }),
    words: "contents[{index}].parts[{place}]: 'functionResponse' is a part of role user",
    since: '2026-09',
    source: 'documentation: Content (these words are not those of the API)',
  },
  {
    name: 'results in another order than their calls',
    refuses: ({ contents }) =>
      first(objects(contents), (content, index) => {
        const calls = calledIn(objects(contents)[index - 1], 'functionCall')
        return first(calledIn(content, 'functionResponse'), ({ value: result, place }, number) => {
          const differs = ({ value }: Called): string | undefined =>
            ['id', 'name'].find((one) => result[one] !== value[one])
          const call = calls[number]
          const member = call && differs(call)
          // one that answers no call at all is another fault
          if (!member || calls.every(differs)) return undefined
          return {
            member,
            at: `contents[${index}].parts[${place}]`,
            answer: String(result[member]),
            call: String(call.value[member]),
            before: `contents[${index - 1}].parts[${call.place}]`,
          }
        })
      }),
    words:
      'invalid Gemini function call history: request.{at}: functionResponse.{member} "{answer}" does not match functionCall.{member} "{call}" at request.{before}',
    since: '2026-08',
    source: 'router-for-me/CLIProxyAPI#5199',
  },
]
