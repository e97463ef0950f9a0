// The functions that run commands, found in the source by the type checker.
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** What a function that runs a command resolves to. */
export interface CommandRun {
  readonly id: string;
  /** The ID in the source. */
  readonly literal: ts.StringLiteral;
  readonly result: ts.Type;
}

/** The functions that run commands, except those that resolve to nothing. */
export interface CommandRuns {
  readonly checker: ts.TypeChecker;
  readonly runs: readonly CommandRun[];
}

/** The property of a command definition with the function that runs it on a plain argument. */
const RUN = 'run';
/** Code of the user interface, which has no type of a result. Neither it nor any package is read: that saves time. */
const SURFACES =
  /\/src\/(?:cleanup|app\/lenses|app\/upChanges|logs|logviewer|output|recipes|registries(?!\/transfers)|tasks|views)\//;

/**
 * Finds what runs each command by the position of its ID in the source: in an object that defines the command, in a
 * call that returns such an object, or next to the function of the command.
 *
 * @param entry the file that imports all others, directly or indirectly.
 * @param ids the command IDs.
 */
export function findRuns(root: string, entry: string, ids: ReadonlySet<string>): CommandRuns {
  const program = programOf(root, entry);
  const checker = program.getTypeChecker();
  const folder = join(root, dirname(entry));
  const runs: CommandRun[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && ids.has(node.text)) {
      for (const signature of runTypes(node, checker).flatMap((type) => type.getCallSignatures())) {
        const returned = signature.getReturnType();
        const result = checker.getAwaitedType(returned) ?? returned;
        if (!isNothing(result)) runs.push({ id: node.text, literal: node, result });
      }
    }
    ts.forEachChild(node, visit);
  };
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  for (const file of files) visit(file);
  return { checker, runs };
}

function programOf(root: string, entry: string): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  ) as { readonly config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [entry] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  // Types do not depend on comments.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  const resolve = (name: string, from: string): ts.ResolvedModuleFull | undefined => {
    const file = join(dirname(from), name);
    const isRead = name.startsWith('.') && !SURFACES.test(file);
    return isRead ? { resolvedFileName: file, extension: ts.Extension.Ts } : undefined;
  };
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({ resolvedModule: resolve(text, from) }));
  const module = ts.ModuleKind.ESNext;
  const moduleResolution = ts.ModuleResolutionKind.Bundler;
  const parsed = { ...options, types: [], module, moduleResolution };
  return ts.createProgram([join(root, entry)], parsed, host);
}

/** Returns the types of the functions that run the command; none if the literal is not a command ID there. */
function runTypes(literal: ts.StringLiteral, checker: ts.TypeChecker): readonly ts.Type[] {
  const { parent } = literal;
  const runOf = (type: ts.Type): readonly ts.Type[] => {
    const run = type.getProperty(RUN);
    return run ? [checker.getTypeOfSymbol(run)] : [];
  };
  if (ts.isPropertyAssignment(parent)) {
    if (parent.name !== literal) return runOf(definitionType(parent.parent, checker));
    const type = checker.getTypeAtLocation(parent.initializer);
    return [type, ...runOf(type)];
  }
  if (!ts.isCallExpression(parent)) return [];
  const made = runOf(checker.getTypeAtLocation(parent));
  if (made.length > 0) return made;
  return parent.arguments
    .filter((one) => one !== literal)
    .map((one) => checker.getTypeAtLocation(one));
}

/** Whether there is no value of a type. */
export function isNothing({ flags }: ts.Type): boolean {
  return !!(flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Never));
}

/** Returns the declared type of a definition, or else its own type. */
function definitionType(definition: ts.Expression, checker: ts.TypeChecker): ts.Type {
  const { parent } = definition;
  if (ts.isCallExpression(parent)) {
    const at = parent.arguments.indexOf(definition);
    const parameter = checker.getResolvedSignature(parent)?.parameters[at];
    if (parameter) return checker.getTypeOfSymbolAtLocation(parameter, parent);
  }
  return checker.getContextualType(definition) ?? checker.getTypeAtLocation(definition);
}
