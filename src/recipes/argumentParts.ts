/** Splits the argument of a create into values that can be checked separately, so that the invalid one can be named. */

import { createSpec } from '../engine/containers/createSpec.ts';
import { optionsOfKind, type CreateArguments } from '../engine/options/options.ts';
import { InputError } from '../engine/errors.ts';

/** A placeholder image for checks of other fields. */
const SOME_IMAGE = 'image';

/** Returns the parts of an argument, in order. Assumes that the kinds of the fields are already checked. */
export function argumentParts(args: Partial<CreateArguments>): readonly ArgumentPart[] {
  return Object.entries(args).flatMap(([name, value]) => partsOf(name, value));
}

/** A value that can be checked separately. */
interface ArgumentPart {
  /** The location in the argument, as names and indexes. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** An argument with only this value. */
  readonly args: CreateArguments;
}

/** Removes invalid values. Also returns the fields that had any, with the values, unless these may be secret. */
export function withoutFaults(args: CreateArguments): {
  readonly args: CreateArguments;
  readonly dropped: readonly string[];
} {
  const dropped = new Set<string>();
  const kept = Object.entries(args).flatMap(([name, value]): readonly [string, unknown][] => {
    if (name === 'image') return [[name, value]];
    const parts = partsOf(name, value);
    const good = parts.filter((part) => isValid(part.args));
    for (const part of parts) if (!good.includes(part)) dropped.add(nameOfFault(name, part.value));
    if (good.length === 0) return [];
    return [[name, Array.isArray(value) ? good.flatMap((one) => one.value) : value]];
  });
  const { image } = args;
  return { args: { ...Object.fromEntries(kept), image }, dropped: [...dropped] };
}

/** Fields whose values may be secret, or long. */
const UNNAMED: ReadonlySet<string> = new Set([
  ...optionsOfKind('words', 'textMap', 'healthcheck'),
  ...['env', 'unsetEnv', 'securityOpt'],
]);

function nameOfFault(name: string, value: unknown): string {
  const [text] = [value].flat();
  const isShown = !UNNAMED.has(name) && (typeof text === 'string' || typeof text === 'number');
  return isShown ? `${name} ${text}` : name;
}

/** Lists whose entries are checked separately; any other list is one value. */
const LISTS = optionsOfKind('texts');

function partsOf(name: string, value: unknown): readonly ArgumentPart[] {
  const part = (path: ArgumentPart['path'], one: unknown): ArgumentPart => ({
    path,
    value: one,
    args: { image: SOME_IMAGE, [name]: one },
  });
  if (!Array.isArray(value) || !LISTS.has(name)) return [part([name], value)];
  return value.map((one: unknown, index) => part([name, index], [one]));
}

/** Whether an argument is valid for `createSpec`. */
export function isValid(args: CreateArguments): boolean {
  try {
    createSpec(args);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}
