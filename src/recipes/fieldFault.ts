/** Each value of a create's argument by itself, so that whoever reads one can say which of them is wrong. */

import { createSpec } from '../engine/options/createSpec.ts';
import { optionsOfKind, type CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';
import { english, type L10n } from '../l10n.ts';

/** Any image will do where it is not the image that is checked. */
const SOME_IMAGE = 'image';

/** One thing that is wrong: where in the argument, as names and positions, and why as a sentence. */
export interface FieldFault {
  readonly path: readonly (string | number)[];
  readonly error: InputError;
}

/** The first value the engine's rules do not let pass; undefined where all do. Kinds are taken as checked. */
export function findFault(args: Partial<CreateArguments>, l10n: L10n): FieldFault | undefined {
  for (const [name, value] of Object.entries(args)) {
    for (const { path, value: one } of entriesOf(name, value)) {
      const error = problemOf(name, one, l10n);
      if (error) return { path, error };
    }
  }
  return undefined;
}

/** The argument without what the rules do not let pass, and the names of the fields it stood in. */
export function withoutFaults(args: CreateArguments): {
  readonly args: CreateArguments;
  readonly dropped: readonly string[];
} {
  const dropped = new Set<string>();
  const kept = Object.entries(args).flatMap(([name, value]): readonly [string, unknown][] => {
    if (name === 'image') return [[name, value]];
    const entries = entriesOf(name, value);
    const good = entries.filter((one) => !problemOf(name, one.value, english));
    if (good.length < entries.length) dropped.add(name);
    if (good.length === 0) return [];
    return [[name, Array.isArray(value) ? good.flatMap((one) => one.value) : value]];
  });
  const { image } = args;
  return { args: { ...Object.fromEntries(kept), image }, dropped: [...dropped] };
}

/** Each entry of these stands by itself; any other list is one thing. */
const LISTS = optionsOfKind('texts');

/** A field's value in the pieces that stand or fall by themselves. */
function entriesOf(
  name: string,
  value: unknown,
): readonly { readonly path: FieldFault['path']; readonly value: unknown }[] {
  if (!Array.isArray(value) || !LISTS.has(name)) return [{ path: [name], value }];
  return value.map((one: unknown, index) => ({ path: [name, index], value: [one] }));
}

function problemOf(name: string, value: unknown, l10n: L10n): InputError | undefined {
  try {
    createSpec({ image: SOME_IMAGE, [name]: value }, l10n);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}
