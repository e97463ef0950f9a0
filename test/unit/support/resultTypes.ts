// The result types of commands, determined by the type checker and written out in full.
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A type written out: a text, an object by its properties, an array by its element type, or a union. */
export type Written =
  | string
  | readonly [Written]
  | { readonly [property: string]: Written }
  | { readonly anyOf: readonly Written[] };

/** The property of a command definition with the function that runs it on a plain argument. */
const RUN = 'run';
/** Code of the user interface, which has no type of a result. Neither it nor any package is read: that saves time. */
const SURFACES =
  /\/src\/(?:cleanup|app\/lenses|app\/upChanges|logs|logviewer|output|recipes|registries(?!\/transfers)|tasks|views)\//;
/** Deeper than all current results. Limits recursive types. */
const DEEPEST = 8;

/**
 * Finds the result type of each command by the position of its ID in the source: in an object that defines
 * the command, in a call that returns such an object, or next to the function of the command.
 *
 * @param entry the file that imports all others, directly or indirectly.
 * @param ids the command IDs.
 * @returns no entry for a command that resolves to nothing.
 */
export function findResults(
  root: string,
  entry: string,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, Written> {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  ) as { readonly config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [entry] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  // Result types do not depend on comments.
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
  const program = ts.createProgram([join(root, entry)], parsed, host);
  const finder = new ResultFinder(program.getTypeChecker());
  const folder = join(root, dirname(entry));
  const found = new Map<string, Written>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && ids.has(node.text)) {
      const written = finder.resultAt(node);
      if (written !== undefined) found.set(node.text, either(found.get(node.text), written));
    }
    ts.forEachChild(node, visit);
  };
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  for (const file of files) visit(file);
  return found;
}

/** Finds the function of a command ID literal and writes out its result type. */
class ResultFinder {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** @returns undefined if the literal is not a command ID there, or if the command resolves to nothing. */
  resultAt(literal: ts.StringLiteral): Written | undefined {
    const { parent } = literal;
    const written = this.#runOf(parent, literal)
      .flatMap((type) => type.getCallSignatures())
      .map((signature) => this.#resolved(signature.getReturnType()))
      .filter((type) => !isNothing(type))
      .map((type) => this.#write(type, literal, 0));
    return written.length === 0 ? undefined : written.reduce(either);
  }

  /** Returns the types of the functions that run the command. */
  #runOf(parent: ts.Node, literal: ts.StringLiteral): readonly ts.Type[] {
    if (ts.isPropertyAssignment(parent)) {
      if (parent.name !== literal) return this.#run(this.#typeOf(parent.parent));
      const type = this.#checker.getTypeAtLocation(parent.initializer);
      return [type, ...this.#run(type)];
    }
    if (!ts.isCallExpression(parent)) return [];
    const made = this.#run(this.#checker.getTypeAtLocation(parent));
    if (made.length > 0) return made;
    return parent.arguments
      .filter((one) => one !== literal)
      .map((one) => this.#checker.getTypeAtLocation(one));
  }

  #run(type: ts.Type): readonly ts.Type[] {
    const run = type.getProperty(RUN);
    return run ? [this.#checker.getTypeOfSymbol(run)] : [];
  }

  /** Returns the declared type of a definition, or else its own type. */
  #typeOf(definition: ts.Expression): ts.Type {
    const { parent } = definition;
    if (ts.isCallExpression(parent)) {
      const at = parent.arguments.indexOf(definition);
      const parameter = this.#checker.getResolvedSignature(parent)?.parameters[at];
      if (parameter) return this.#checker.getTypeOfSymbolAtLocation(parameter, parent);
    }
    return (
      this.#checker.getContextualType(definition) ?? this.#checker.getTypeAtLocation(definition)
    );
  }

  #resolved(type: ts.Type): ts.Type {
    return this.#checker.getAwaitedType(type) ?? type;
  }

  #write(type: ts.Type, at: ts.Node, depth: number): Written {
    if (type.flags & ts.TypeFlags.Any)
      throw new Error(`The result of ${at.getText()} has a type that is not read`);
    if (type.isUnion()) return this.#writeUnion(type.types, at, depth);
    const checker = this.#checker;
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type as ts.TypeReference);
      return [items.map((item) => this.#write(item, at, depth + 1)).reduce(either, 'never')];
    }
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) {
      return type.isStringLiteral() ? `'${type.value}'` : checker.typeToString(type);
    }
    if (type.getCallSignatures().length > 0) return 'function';
    return depth === DEEPEST ? '…' : this.#writeObject(type, at, depth);
  }

  #writeUnion(types: readonly ts.Type[], at: ts.Node, depth: number): Written {
    // The type checker represents `boolean` as the union of `true` and `false`.
    const isBoolean = (type: ts.Type): boolean => !!(type.flags & ts.TypeFlags.BooleanLiteral);
    const written: Written[] = types
      .filter((type) => !isBoolean(type))
      .map((type) => this.#write(type, at, depth));
    const booleans = types.filter(isBoolean).map((type) => this.#checker.typeToString(type));
    return [...written, ...(booleans.length === 2 ? ['boolean'] : booleans)].reduce(
      either,
      'never',
    );
  }

  #writeObject(type: ts.Type, at: ts.Node, depth: number): Written {
    const properties = type.getProperties().map((property): readonly [string, Written] => {
      const full = this.#checker.getTypeOfSymbolAtLocation(property, at);
      const isOptional = !!(property.flags & ts.SymbolFlags.Optional);
      if (!isOptional) return [property.name, this.#write(full, at, depth + 1)];
      const given = (full.isUnion() ? full.types : [full]).filter((one) => !isNothing(one));
      return [`${property.name}?`, this.#writeUnion(given, at, depth + 1)];
    });
    const indexed = this.#checker
      .getIndexInfosOfType(type)
      .map((info): readonly [string, Written] => [
        `[${this.#checker.typeToString(info.keyType)}]`,
        this.#write(info.type, at, depth + 1),
      ]);
    const all = [...properties, ...indexed];
    return all.length === 0 ? 'object' : Object.fromEntries(all);
  }
}

function isNothing({ flags }: ts.Type): boolean {
  return !!(flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Never));
}

/** Joins two types into a union, without duplicates and in order. */
function either(one: Written | undefined, other: Written): Written {
  if (one === undefined || one === 'never') return other;
  const all = [...alternativesOf(one), ...alternativesOf(other)];
  const simple = all.filter((each) => typeof each === 'string');
  const joined = [...new Set(simple)].sort().join(' | ');
  const others = new Map(
    all.filter((each) => typeof each !== 'string').map((each) => [JSON.stringify(each), each]),
  );
  const anyOf = [...(joined === '' ? [] : [joined]), ...[...others.values()]];
  const [only] = anyOf;
  return anyOf.length === 1 && only !== undefined ? only : { anyOf };
}

function alternativesOf(written: Written): readonly Written[] {
  if (typeof written === 'string') return written.split(' | ');
  return 'anyOf' in written && Array.isArray(written.anyOf)
    ? (written.anyOf as readonly Written[]).flatMap(alternativesOf)
    : [written];
}
