import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { quotable } from '../../base/plainText.ts';
import {
  CHOICES,
  groupLabelOf,
  isGrouping,
  type ArrangedRows,
  type ArrangedView,
  type Arrangement,
} from '../../views/arrangement/arrangements.ts';
import { parseFilter } from '../../views/arrangement/parseFilter.ts';
import type { WindowCommand } from '../frame/command.ts';
import type { CommandId, PickItem, Ui } from '../ui/ui.ts';
import { filterCompletions } from './filterCompletions.ts';

/** Filters, groups, and sorts the rows of a view. */
export function filterAndSortCommand(
  id: CommandId,
  view: ArrangedView,
  parts: FilterParts,
): WindowCommand<ArrangeArguments, Arranged> {
  const { arrangements } = parts.rows;
  const { sorts } = CHOICES[view];
  return {
    id,
    on: 'window',
    schema: {
      filter: { kind: 'text' },
      groupBy: { kind: 'text' },
      sortBy: { kind: { oneOf: sorts } },
      workspaceFirst: { kind: 'boolean' },
    },
    failureTitle: l10n.t('Could not filter and sort'),
    run: ({ filter, groupBy, sortBy, workspaceFirst }) => {
      const { problem } = parseFilter(filter ?? '', CHOICES[view].keys);
      if (problem !== '') throw new InputError(problem);
      if (groupBy !== undefined && !isGrouping(view, groupBy))
        throw new InputError(l10n.t('The rows cannot be grouped by {0}.', groupBy));
      arrangements.show(view, {
        ...(filter !== undefined && { filter: filter.trim() }),
        ...(groupBy !== undefined && { groupBy }),
        ...(sortBy !== undefined && { sortBy }),
        ...(workspaceFirst !== undefined && { isWorkspaceFirst: workspaceFirst }),
      });
      arrangements.keep(view);
      return Promise.resolve(resultOf(view, parts));
    },
    runInteractive: async () => {
      await askForFilter(view, parts);
      return undefined;
    },
  };
}

export interface FilterParts {
  readonly ui: Ui;
  readonly rows: ArrangedRows;
}

interface ArrangeArguments {
  readonly filter?: string;
  readonly groupBy?: string;
  readonly sortBy?: string;
  readonly workspaceFirst?: boolean;
}

/** How a view is arranged, and how many rows it shows of all. */
interface Arranged extends Required<ArrangeArguments> {
  readonly shown: number;
  readonly all: number;
}

function resultOf(view: ArrangedView, { rows }: FilterParts): Arranged {
  const { filter, groupBy, sortBy, isWorkspaceFirst } = rows.arrangements.of(view);
  const { shown, all } = rows.countRows(view);
  return { filter, groupBy, sortBy, workspaceFirst: isWorkspaceFirst, shown, all };
}

/** An item of the pick: what it does, or the filter that it goes on with. */
interface FilterItem extends PickItem {
  readonly nextFilter?: string;
  readonly run?: () => Promise<boolean> | boolean;
}

/** The rows change while the user types. Escape restores the filter that was there before. */
export async function askForFilter(view: ArrangedView, parts: FilterParts): Promise<void> {
  const { ui } = parts;
  const { arrangements } = parts.rows;
  const before = arrangements.of(view).filter;
  const show = (text: string): void => {
    const filter = text.trim();
    if (filter !== arrangements.of(view).filter) arrangements.show(view, { filter });
  };
  let value = before;
  for (;;) {
    const picked = await ui.pick<FilterItem>({
      title: ui.commandTitle(`gantry.${view}.filterAndSort`) ?? '',
      placeholder: l10n.t('Text, or a key: {0}', `${CHOICES[view].keys.join(': ')}:`),
      value,
      onType: show,
      items: (text) => itemsFor(view, text, parts),
    });
    if (!picked) {
      show(before);
      return;
    }
    if (picked.nextFilter === undefined) {
      if (!picked.run || (await picked.run())) {
        arrangements.keep(view);
        return;
      }
    }
    value = picked.nextFilter ?? arrangements.of(view).filter;
  }
}

function itemsFor(view: ArrangedView, text: string, parts: FilterParts): readonly FilterItem[] {
  const completions = completionItems(view, text, parts);
  const arranging = arrangeItems(view, parts);
  const all = text.trim() === '' ? [...arranging, ...completions] : [...completions, ...arranging];
  // Whatever the filter is, as VS Code would look for it in the labels.
  return [statusItem(view, text, parts), ...all].map((item) => ({ ...item, alwaysShow: true }));
}

/**
 * The first row says what the filter finds. Its label is the text itself, so that VS Code, which puts the items first
 * that match best, leaves it there.
 */
function statusItem(view: ArrangedView, text: string, { rows }: FilterParts): FilterItem {
  const typed = text.trim();
  const { problem, noKey } = parseFilter(typed, CHOICES[view].keys);
  const { shown, all } = rows.countRows(view);
  const count = FOUND[view](shown, all);
  const doubt = shown === 0 && noKey !== '' ? l10n.t('"{0}" is not a key.', quotable(noKey)) : '';
  const found = problem === '' ? `${count} ${doubt}`.trim() : problem;
  const icon = problem === '' ? 'filter' : 'warning';
  const texts = typed === '' ? { label: found } : { label: typed, description: found };
  return { ...texts, icon, isDisabled: problem !== '' };
}

const FOUND: Readonly<Record<ArrangedView, (shown: number, all: number) => string>> = {
  containers: (shown, all) => l10n.t('{0} of {1} containers', shown, all),
  images: (shown, all) => l10n.t('{0} of {1} images', shown, all),
  volumes: (shown, all) => l10n.t('{0} of {1} volumes', shown, all),
  networks: (shown, all) => l10n.t('{0} of {1} networks', shown, all),
};

function completionItems(
  view: ArrangedView,
  text: string,
  { rows }: FilterParts,
): readonly FilterItem[] {
  const { arrangements } = rows;
  const use = (filter: string) => (): boolean => {
    arrangements.show(view, { filter });
    return true;
  };
  const typed = text.trim().toLowerCase();
  const recent = arrangements
    .recent(view)
    .filter((one) => one.toLowerCase().includes(typed) && one !== text.trim());
  const completions = filterCompletions(text, CHOICES[view].keys, rows.factsOf(view));
  return [
    ...recent.map((one, at) => ({
      label: one,
      icon: 'history',
      run: use(one),
      ...(at === 0 && { heading: l10n.t('Recent') }),
    })),
    ...completions.map((one, at) => ({
      label: one.term,
      icon: one.isKey ? 'symbol-key' : 'symbol-value',
      ...(one.isKey ? { nextFilter: one.text } : { run: use(one.text) }),
      ...(at === 0 && { heading: l10n.t('Filter') }),
    })),
  ];
}

/** What else can be chosen, with a check at what holds. */
function arrangeItems(view: ArrangedView, parts: FilterParts): readonly FilterItem[] {
  const { arrangements } = parts.rows;
  const { groups, sorts, keys } = CHOICES[view];
  const { filter, groupBy, sortBy, isWorkspaceFirst, isHiding } = arrangements.of(view);
  const toggle = (label: string, isOn: boolean, change: Partial<Arrangement>): FilterItem => ({
    label,
    icon: isOn ? 'check' : 'blank',
    run: () => {
      arrangements.show(view, change);
      return true;
    },
  });
  const only = ONLY.test(filter) ? filter.replace(ONLY, ' ') : `workspace: ${filter}`;
  const ofWorkspace = [
    toggle(l10n.t('This Workspace First'), isWorkspaceFirst, {
      isWorkspaceFirst: !isWorkspaceFirst,
    }),
    toggle(l10n.t('This Workspace Only'), ONLY.test(filter), { filter: only.trim() }),
  ];
  const hiding = HIDING[view]?.();
  const items = [
    ...(groups.length > 0 ? [groupItem(view, groupBy, parts)] : []),
    {
      label: l10n.t('Sort by: {0}', TITLES[sortBy]?.() ?? sortBy),
      icon: 'list-ordered',
      run: () => chooseOne(view, 'sortBy', sorts, parts),
    },
    ...(keys.includes('workspace') ? ofWorkspace : []),
    ...(hiding === undefined ? [] : [toggle(hiding, isHiding, { isHiding: !isHiding })]),
  ];
  return items.map((item, at) => (at === 0 ? { ...item, heading: l10n.t('Arrange') } : item));
}

/** The word of a filter that shows what belongs to the workspace. */
const ONLY = /(?:^|\s)workspace:(?=\s|$)/;

const HIDING: Readonly<Partial<Record<ArrangedView, () => string>>> = {
  containers: () => l10n.t('Hide Stopped Containers'),
  images: () => l10n.t('Hide Dangling Images'),
};

const TITLES: Readonly<Record<string, () => string>> = {
  project: () => l10n.t('Project'),
  image: () => l10n.t('Image'),
  network: () => l10n.t('Network'),
  state: () => l10n.t('State'),
  engine: () => l10n.t('Engine'),
  label: () => l10n.t('Label...'),
  none: () => l10n.t('None'),
  repository: () => l10n.t('Repository'),
  registry: () => l10n.t('Registry'),
  name: () => l10n.t('Name'),
  created: () => l10n.t('Newest'),
  newest: () => l10n.t('Newest'),
  port: () => l10n.t('Port'),
  cpu: () => l10n.t('CPU'),
  memory: () => l10n.t('Memory'),
  size: () => l10n.t('Size'),
};

function groupItem(view: ArrangedView, groupBy: string, parts: FilterParts): FilterItem {
  const title = groupLabelOf(groupBy) ?? TITLES[groupBy]?.() ?? groupBy;
  return {
    label: l10n.t('Group by: {0}', title),
    icon: 'list-tree',
    run: () => chooseOne(view, 'groupBy', CHOICES[view].groups, parts),
  };
}

/** Asks for the group or the order. Resolves to whether the user has chosen. */
async function chooseOne(
  view: ArrangedView,
  field: 'groupBy' | 'sortBy',
  values: readonly string[],
  parts: FilterParts,
): Promise<boolean> {
  const { ui } = parts;
  const { arrangements } = parts.rows;
  const held = arrangements.of(view)[field];
  const isHeld = (value: string): boolean =>
    value === held || (value === 'label' && groupLabelOf(held) !== undefined);
  const title = field === 'groupBy' ? l10n.t('Group By') : l10n.t('Sort By');
  const items = values.map((value) => ({
    label: TITLES[value]?.() ?? value,
    icon: isHeld(value) ? 'check' : 'blank',
    value,
  }));
  const picked = await ui.pick({
    title,
    items,
    activeItem: () => items.find((one) => isHeld(one.value)),
  });
  const value = picked?.value === 'label' ? await chooseLabel(parts) : picked?.value;
  if (value === undefined) return false;
  arrangements.show(view, { [field]: value });
  return true;
}

/** Lets the user choose one of the labels that exist. */
async function chooseLabel({ ui, rows }: FilterParts): Promise<string | undefined> {
  const names = new Set<string>();
  for (const facts of rows.factsOf('containers')) {
    for (const label of facts.values('label')) names.add(label.slice(0, label.indexOf('=')));
    if (names.size > MOST_LABELS) break;
  }
  const items = [...names].sort().map((label) => ({ label, value: `label:${label}` }));
  if (items.length === 0) ui.info(l10n.t('No container has a label.'));
  if (items.length === 0) return undefined;
  const picked = await ui.pick({ title: l10n.t('Group by Label'), items });
  return picked?.value;
}

const MOST_LABELS = 1000;
