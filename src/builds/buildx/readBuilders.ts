import { tryParseJson } from '../../engine/wire/parseJson.ts';
import { asLine, asList, asRecord } from '../../engine/wire/wire.ts';

/** Reads the output of `buildx ls --format=json`: a builder in each line. */
export function readBuilders(lines: readonly string[]): readonly ListedBuilder[] {
  return lines
    .map((line) => asRecord(tryParseJson(line)))
    .map(readBuilder)
    .filter(({ name }) => isBuilderName(name))
    .slice(0, MOST_BUILDERS);
}

export interface ListedBuilder {
  readonly name: string;
  /** `docker`, `docker-container`, `kubernetes`, `remote`, `cloud`. */
  readonly driver: string;
  /** `running`, `inactive`; empty if there is none. */
  readonly status: string;
  readonly platforms: readonly string[];
}

const MOST_BUILDERS = 200;
const MOST_PLATFORMS = 50;

/** Whether a value can be the name of a builder. No option can. */
export function isBuilderName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,200}$/.test(value);
}

function readBuilder(value: Readonly<Record<string, unknown>>): ListedBuilder {
  const nodes = asList(value['Nodes']).map(asRecord);
  const [first] = nodes;
  const platforms = nodes.flatMap((node) => asList(node['Platforms']).map(asLine));
  return {
    name: asLine(value['Name']),
    driver: asLine(value['Driver']),
    status: asLine(first?.['Status']),
    platforms: [...new Set(platforms)].filter((one) => one !== '').slice(0, MOST_PLATFORMS),
  };
}
