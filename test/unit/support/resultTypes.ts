// The result types of commands, determined by the type checker and written out in full.
import ts from 'typescript';
import { isNothing, type CommandRuns } from './commandRuns.ts';

/** A type written out: a text, an object by its properties, an array by its element type, or a union. */
export type Written =
  | string
  | readonly [Written]
  | { readonly [property: string]: Written }
  | { readonly anyOf: readonly Written[] };

/** Deeper than all current results. Limits recursive types. */
const DEEPEST = 8;

/** Writes out the result type of each command. There is no entry for a command that resolves to nothing. */
export function writeResults({ checker, runs }: CommandRuns): ReadonlyMap<string, Written> {
  const writer = new ResultWriter(checker);
  const found = new Map<string, Written>();
  for (const { id, literal, result } of runs)
    found.set(id, either(found.get(id), writer.write(result, literal, 0)));
  return found;
}

class ResultWriter {
  readonly #checker: ts.TypeChecker;

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  write(type: ts.Type, at: ts.Node, depth: number): Written {
    if (type.flags & ts.TypeFlags.Any)
      throw new Error(`The result of ${at.getText()} has a type that is not read`);
    if (type.isUnion()) return this.#writeUnion(type.types, at, depth);
    const checker = this.#checker;
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type as ts.TypeReference);
      return [items.map((item) => this.write(item, at, depth + 1)).reduce(either, 'never')];
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
      .map((type) => this.write(type, at, depth));
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
      if (!isOptional) return [property.name, this.write(full, at, depth + 1)];
      const given = (full.isUnion() ? full.types : [full]).filter((one) => !isNothing(one));
      return [`${property.name}?`, this.#writeUnion(given, at, depth + 1)];
    });
    const indexed = this.#checker
      .getIndexInfosOfType(type)
      .map((info): readonly [string, Written] => [
        `[${this.#checker.typeToString(info.keyType)}]`,
        this.write(info.type, at, depth + 1),
      ]);
    const all = [...properties, ...indexed];
    return all.length === 0 ? 'object' : Object.fromEntries(all);
  }
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
