import { plainText } from '../../base/plainText.ts';
import type { Volume } from '../model.ts';
import { asLine, asRecord, asText } from '../wire/wire.ts';
import type { NamedValue } from './containerFacts.ts';
import { HiddenValues } from './hiddenValues.ts';

const LONGEST_PATH = 4096;

/** Reads all that the details of a volume show, and the values that are masked in it. */
export function readVolumeFacts({
  raw,
  name,
  driver,
  createdAt,
  options,
  labels,
}: Volume & { readonly raw: unknown }): {
  readonly facts: VolumeFacts;
  readonly hidden: HiddenValues;
} {
  const wire = asRecord(raw);
  const hidden = new HiddenValues();
  const facts = {
    name,
    driver,
    createdAt,
    scope: asLine(wire['Scope']),
    mountpoint: plainText(asText(wire['Mountpoint']), LONGEST_PATH),
    // `o` of a network share has its password.
    options: Object.entries(options).map(([key, value]) => hidden.option(key, value)),
    labels: hidden.labels(labels),
  };
  return { facts, hidden };
}

/** What is known of a volume. */
export interface VolumeFacts {
  readonly name: string;
  readonly driver: string;
  readonly scope: string;
  /** Where the engine has it on its machine. */
  readonly mountpoint: string;
  readonly createdAt: string;
  readonly options: readonly NamedValue[];
  readonly labels: readonly NamedValue[];
}
