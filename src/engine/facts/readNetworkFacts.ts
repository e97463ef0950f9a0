import type { Network, Subnet } from '../model.ts';
import { asLine, asRecord, asTextMap } from '../wire/wire.ts';
import type { NamedValue } from './containerFacts.ts';
import { HiddenValues } from './hiddenValues.ts';

const MOST_OPTIONS = 200;

/** Reads all that the details of a network show, and the values that are masked in it. */
export function readNetworkFacts({
  raw,
  id,
  name,
  driver,
  createdAt,
  subnets,
  isInternal,
  isIpv6,
  labels,
}: Network & { readonly raw: unknown }): {
  readonly facts: NetworkFacts;
  readonly hidden: HiddenValues;
} {
  const wire = asRecord(raw);
  const hidden = new HiddenValues();
  const options = Object.entries(asTextMap(wire['Options'])).slice(0, MOST_OPTIONS);
  const facts = {
    id,
    name,
    driver,
    createdAt,
    subnets,
    isInternal,
    isIpv6,
    scope: asLine(wire['Scope']),
    options: options.map(([key, value]) => hidden.option(key, value)),
    labels: hidden.labels(labels),
  };
  return { facts, hidden };
}

/** What is known of a network. */
export interface NetworkFacts {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly scope: string;
  readonly createdAt: string;
  readonly subnets: readonly Subnet[];
  readonly isInternal: boolean;
  readonly isIpv6: boolean;
  readonly options: readonly NamedValue[];
  readonly labels: readonly NamedValue[];
}
