import * as vscode from 'vscode';

import type { OptionKind } from '../../engine/options/containerOption.ts';
import { isHealthcheck } from '../../engine/options/healthcheck.ts';
import { OPTIONS } from '../../engine/options/options.ts';
import type { ArgumentSchema, FieldKind } from '../arguments.ts';

const { l10n } = vscode;

const KINDS: Readonly<Record<OptionKind, FieldKind>> = {
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
      'false, or an object with test, interval, timeout, startPeriod and retries, each as it is needed',
    ),
  },
};

/** What the options of a container must be, none of them required; what their words must be, `createSpec` checks. */
export const optionSchema: ArgumentSchema = Object.fromEntries(
  Object.entries(OPTIONS).map(([name, { kind }]) => [name, { kind: KINDS[kind] }]),
);

/** The same as the argument of a command that creates a container, which must say the image. */
export const createSchema: ArgumentSchema = {
  ...optionSchema,
  image: { kind: 'text', required: true },
};
