import * as l10n from '@vscode/l10n';
import type { OptionKind } from '../../engine/options/containerOption.ts';
import { isHealthcheck } from '../../engine/options/healthcheck.ts';
import { OPTIONS } from '../../engine/options/options.ts';
import type { ArgumentSchema, FieldKind } from '../ui/checkArguments.ts';

const fieldKinds = (): Readonly<Record<OptionKind, FieldKind>> => ({
  text: 'text',
  texts: 'texts',
  words: 'texts',
  textMap: 'textMap',
  boolean: 'boolean',
  wholeNumber: 'wholeNumber',
  number: {
    check: (value) => typeof value === 'number' && Number.isFinite(value),
    expected: l10n.t('a number'),
  },
  healthcheck: {
    check: isHealthcheck,
    expected: l10n.t(
      'false, or an object with any of test, interval, timeout, startPeriod, and retries',
    ),
  },
});

/** Returns the schema of commands that create a container, with the image as a required field. */
export const createSchema = (): ArgumentSchema => ({
  ...optionSchema(),
  image: { kind: 'text', required: true },
});

/**
 * Returns the schema of the options of a container, all optional. Checks only kinds; `createSpec` checks the
 * values.
 */
export function optionSchema(): ArgumentSchema {
  const kinds = fieldKinds();
  return Object.fromEntries(
    Object.entries(OPTIONS).map(([name, { kind }]) => [name, { kind: kinds[kind] }]),
  );
}
