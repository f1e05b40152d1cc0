// node js/scripts/compile.mjs PROJECT …: compiles the projects of these tsconfig.json in one process, which parses a declaration that
// several projects read only once. Prints every error and one line for each project; ends with 1 if one has an error.
import ts from 'typescript'

const format = { getCanonicalFileName: (name) => name, getCurrentDirectory: ts.sys.getCurrentDirectory, getNewLine: () => '\n' }
const configHost = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => { throw new Error(ts.formatDiagnostic(problem, format)) } }
const parsed = new Map()

/** A compiler host that keeps the declaration files it parsed. A file that is read as ESM and as CommonJS is kept twice. */
function sharing(options) {
  const own = ts.createCompilerHost(options)
  return {
    ...own,
    getSourceFile(name, how, ...rest) {
      if (!ts.isDeclarationFileName(name)) return own.getSourceFile(name, how, ...rest)
      const key = `${how.impliedNodeFormat} ${how.languageVersion} ${name}`
      if (!parsed.has(key)) parsed.set(key, own.getSourceFile(name, how, ...rest))
      return parsed.get(key)
    },
  }
}

/** Compiles a project and returns its errors. What a package or TypeScript itself declares is not checked: it is not ours. */
function compile(project) {
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(project, {}, configHost)
  const program = ts.createProgram(fileNames, options, sharing(options))
  const problems = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  for (const file of program.getSourceFiles()) {
    if (program.isSourceFileFromExternalLibrary(file) || program.isSourceFileDefaultLibrary(file)) continue
    problems.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
  }
  if (!options.noEmit) problems.push(...program.emit().diagnostics)
  return ts.sortAndDeduplicateDiagnostics(problems)
}

for (const project of process.argv.slice(2)) {
  const start = performance.now()
  const problems = compile(project)
  if (problems.length > 0) {
    console.log(ts.formatDiagnostics(problems, format))
    process.exitCode = 1
  }
  console.log(`${problems.length === 0 ? '✔' : '✖'} ${project} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}
