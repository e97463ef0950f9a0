import ts from 'typescript';
import type { CommandRuns } from './commandRuns.ts';

/** The results of commands, as the compiler prints them. */
export interface CommandDeclarations {
  /** The type of the result by command ID. A command without one resolves to nothing. */
  readonly results: ReadonlyMap<string, string>;
  /** The types of the source that these types name, a line each. */
  readonly declarations: readonly string[];
}

/** Prints the types of the results of commands. */
export function commandDeclarations({ checker, folder, runs }: CommandRuns): CommandDeclarations {
  const printer = new TypePrinter(checker, folder);
  const results = new Map<string, Set<string>>();
  for (const { id, result } of runs)
    results.set(id, (results.get(id) ?? new Set()).add(printer.print(result)));
  const joined = [...results].map(([id, types]): [string, string] => [id, [...types].join(' | ')]);
  return { results: new Map(joined), declarations: printer.declarations };
}

/** Prints types, and declares those of the source that they name. */
class TypePrinter {
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;
  readonly #declarations = new Set<string>();
  readonly #seen = new Set<ts.Type>();

  constructor(checker: ts.TypeChecker, folder: string) {
    this.#checker = checker;
    this.#folder = folder;
  }

  get declarations(): readonly string[] {
    return [...this.#declarations].toSorted();
  }

  print(type: ts.Type, flags = ts.TypeFormatFlags.None): string {
    this.#declare(type);
    const all = flags | ts.TypeFormatFlags.NoTruncation;
    const text = this.#checker.typeToString(type, undefined, all);
    // The compiler lists literals in the order in which it met them.
    return text.replaceAll(/"[^"]*"(?: \| "[^"]*")+/g, (union) =>
      union.split(' | ').toSorted().join(' | '),
    );
  }

  #declare(type: ts.Type): void {
    if (this.#seen.has(type)) return;
    this.#seen.add(type);
    const isAlias = this.#isOurs(type.aliasSymbol);
    const isObject = !!(type.flags & ts.TypeFlags.Object) && type.getCallSignatures().length === 0;
    const isNamed = isObject && type.isClassOrInterface();
    if (isAlias)
      this.#declarations.add(
        `type ${this.print(type)} = ${this.print(type, ts.TypeFormatFlags.InTypeAlias)}`,
      );
    else if (this.#isOurs(type.symbol) && isObject && !isAnonymous(type))
      this.#declarations.add(`interface ${this.print(type)} { ${this.#propertiesOf(type)} }`);
    else if (isObject && isAnonymous(type)) this.#propertiesOf(type);
    const inner = [
      ...(type.isUnionOrIntersection() ? type.types : []),
      ...(type.aliasTypeArguments ?? []),
      ...(isNamed ? [] : this.#checker.getTypeArguments(type as ts.TypeReference)),
    ];
    for (const one of inner) this.#declare(one);
  }

  #propertiesOf(type: ts.Type): string {
    return type
      .getProperties()
      .map((property) => {
        const full = this.#checker.getTypeOfSymbol(property);
        const isOptional = !!(property.flags & ts.SymbolFlags.Optional);
        const given = isOptional ? this.#checker.getNonNullableType(full) : full;
        return `${property.name}${isOptional ? '?' : ''}: ${this.print(given)}`;
      })
      .toSorted()
      .join('; ');
  }

  #isOurs(symbol: ts.Symbol | undefined): boolean {
    const [declaration] = symbol?.declarations ?? [];
    return declaration?.getSourceFile().fileName.startsWith(this.#folder) ?? false;
  }
}

function isAnonymous(type: ts.Type): boolean {
  return !!((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Anonymous);
}
