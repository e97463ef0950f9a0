import * as l10n from '@vscode/l10n';
import { isAnonymousVolume, isUp, type Container, type Volume } from '../../engine/model.ts';
import { composeNameOf } from '../../projects/projectLabels.ts';
import { labelTexts, type FilterKey, type RowFacts } from '../arrangement/parseFilter.ts';
import { BUSY_ICON, usageIcon } from '../containers/containerCondition.ts';
import {
  formatDateTime,
  formatLine,
  formatSize,
  formatVerb,
  joinParts,
  joinSpoken,
  shortId,
} from '../format.ts';
import {
  tooltipRows,
  type RenderContext,
  type RowPresentation,
  type TooltipRow,
} from '../rowPresentation.ts';

export function presentVolume(volume: Volume, context: RenderContext): RowPresentation {
  const { activity } = context;
  const users = usersOf(volume, context);
  const verb = activity.verbOf(volume.name);
  const isAnonymous = isAnonymousVolume(volume);
  const { project, title } = volumeTitle(volume);
  const facts = [
    formatVerb(verb),
    sizeOf(volume, context),
    project,
    formatUsers(users),
    isAnonymous ? l10n.t('anonymous') : '',
  ];
  const use = users.length > 0 ? 'volume.used' : 'volume.unused';
  return {
    label: title,
    description: joinParts(...facts),
    icon: verb === undefined ? usageIcon('database', users, context) : BUSY_ICON,
    contextValue: isAnonymous ? `${use}.anonymous` : use,
    accessibilityLabel: joinSpoken(l10n.t('Volume {0}', title), ...facts),
  };
}

/** Returns what filters know of a volume. */
export function volumeFacts(volume: Volume, context: RenderContext): RowFacts {
  const { name, driver, labels } = volume;
  const { title, project } = volumeTitle(volume);
  const users = usersOf(volume, context).map((user) => user.name);
  const states = [
    users.length > 0 ? 'used' : 'unused',
    ...(isAnonymousVolume(volume) ? ['anonymous'] : []),
  ];
  const values: Partial<Record<FilterKey, readonly string[]>> = {
    state: states,
    volume: [name, title],
    project: project === '' ? [] : [project],
    engine: [context.engineLabel ?? ''],
  };
  return {
    words: () => [name, title, project, driver, ...users],
    values: (key) => (key === 'label' ? labelTexts(labels) : (values[key] ?? [])),
  };
}

export function volumeTooltip(volume: Volume, context: RenderContext): readonly TooltipRow[] {
  const options = Object.entries(volume.options).map(([name, value]) => `${name}=${value}`);
  return tooltipRows(
    [l10n.t('Name'), volume.name],
    [l10n.t('Project'), volumeTitle(volume).project],
    [l10n.t('Size'), sizeOf(volume, context)],
    [l10n.t('Driver'), volume.driver],
    [l10n.t('Options'), options.join(', ')],
    ...usersOf(volume, context).map((user) => [user.name, formatMounts(user, volume)] as const),
    [l10n.t('Created'), formatDateTime(volume.createdAt)],
  );
}

function sizeOf({ name }: Volume, { inventory }: RenderContext): string {
  const size = inventory.volumeSizes.get(name);
  return size === undefined ? '' : formatSize(size);
}

/** Returns the name of a volume in its compose project, and the project; otherwise its own name. */
export function volumeTitle(volume: Volume): { readonly title: string; readonly project: string } {
  const { project, name } = composeNameOf(volume.labels, 'volume');
  const own = isAnonymousVolume(volume) ? shortId(volume.name) : volume.name;
  return { title: formatLine(name ?? own), project: formatLine(project ?? '') };
}

/** The containers that mount it, the running ones first, then by name. */
function usersOf({ name }: Volume, { inventory }: RenderContext): readonly Container[] {
  const ids = [...inventory.containersOfVolume(name)];
  return ids
    .flatMap((id) => inventory.containers.get(id) ?? [])
    .sort((a, b) => Number(isUp(b)) - Number(isUp(a)) || (a.name < b.name ? -1 : 1));
}

function formatUsers(users: readonly Container[]): string {
  const [first, ...more] = users;
  if (!first) return l10n.t('unused');
  const name = formatLine(first.name);
  const names = more.length > 0 ? `${name} +${more.length}` : name;
  return isUp(first) ? l10n.t('used by {0}', names) : l10n.t('used by {0} (stopped)', names);
}

function formatMounts({ mounts }: Container, { name }: Volume): string {
  const texts = mounts
    .filter(({ volume }) => volume === name)
    .map(({ path, isReadOnly }) => (isReadOnly ? l10n.t('{0} (read-only)', path) : path));
  return texts.join(', ');
}
