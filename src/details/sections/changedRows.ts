import * as l10n from '@vscode/l10n';
import type { ExitStory } from '../../commands/details/exitStory.ts';
import { hasSecretArguments, MASK } from '../../engine/options/secretDetection.ts';
import { formatLine, shortId } from '../../views/format.ts';
import { isLimitName, limitRow } from './limitRow.ts';
import type { SourceRow } from './sourceRow.ts';

type RunChange = ExitStory['changed'][number];

/** Returns what differs between the run that failed and the last good one, as far as it is known. */
export function changedRows({ changed, hasGoodRun, unknown }: ExitStory): readonly SourceRow[] {
  const label = l10n.t('Since its last good run');
  if (!hasGoodRun)
    return [{ label, value: l10n.t('unknown'), note: l10n.t('This window has seen none.') }];
  const rows = changed.slice(0, MOST_CHANGES).map(changeRow);
  const missing = unknown.map((what) => ({
    label: l10n.t('Changed: {0}', UNKNOWN_NAMES[what]()),
    value: l10n.t('unknown'),
  }));
  if (rows.length > 0) return [...rows, ...missing];
  return [{ label, value: l10n.t('No change is known.') }, ...missing];
}

function changeRow({ what, before, after }: RunChange): SourceRow {
  const value = after === undefined ? l10n.t('none') : formatValue(what, after);
  const note =
    before === undefined ? l10n.t('none before') : l10n.t('{0} before', formatValue(what, before));
  return { label: l10n.t('Changed: {0}', nameOf(what)), value, note };
}

function nameOf(what: string): string {
  const { label } = isLimitName(what) ? limitRow({ what, value: 0 }) : { label: undefined };
  return label ?? NAMES[what]?.() ?? formatLine(what);
}

function formatValue(what: string, value: string): string {
  if (isLimitName(what)) return limitRow({ what, value: Number(value) }).value;
  if (what === 'imageId') return shortId(formatLine(value));
  if (value === '') return l10n.t('none');
  return what === 'command' && hasSecretArguments(value.split(/\s+/)) ? MASK : formatLine(value);
}

const NAMES: Readonly<Record<string, () => string>> = {
  image: () => l10n.t('Image'),
  imageId: () => l10n.t('Image ID'),
  command: () => l10n.t('Command'),
  mount: () => l10n.t('Mount'),
  network: () => l10n.t('Network'),
  port: () => l10n.t('Port'),
  environment: () => l10n.t('Variable'),
};

const UNKNOWN_NAMES: Readonly<Record<ExitStory['unknown'][number], () => string>> = {
  environment: () => l10n.t('Environment'),
  limits: () => l10n.t('Limits'),
};

/** More than a user reads. */
const MOST_CHANGES = 50;
