import * as l10n from '@vscode/l10n';
import type { CommandContext } from '../commands/frame/commandContext.ts';
import type { DetailsTarget } from '../commands/frame/detailsTarget.ts';
import type { DescribedContainer } from '../commands/details/describeContainer.ts';
import type { LoadedDetails } from '../commands/details/loadDetails.ts';
import type { Container } from '../engine/model.ts';
import { membersOf } from '../inventory/membersOf.ts';
import type { Reading } from '../statistics/reading.ts';
import { isUp } from '../engine/model.ts';
import { formatContainerCount } from '../views/format.ts';
import type { ShownExit } from './keptExits.ts';
import type { PageHead } from './protocol.ts';
import { containerHead } from './sections/containerHead.ts';
import { exitHead, exitSection } from './sections/exitSection.ts';
import { containerSections } from './sections/containerSections.ts';
import {
  imageSections,
  networkSections,
  userRow,
  volumeSections,
  type Surroundings,
} from './sections/objectSections.ts';
import type { SourceSection } from './sections/sourceRow.ts';

/** Returns what the page shows of loaded details, with what the inventory knows now. */
export function detailsContent(
  loaded: LoadedDetails,
  target: DetailsTarget,
  { inventory, unit }: CommandContext,
  exit?: ExitContent,
): ShownContent {
  const isMasked = (key: string): boolean => loaded.hidden.reveal(key) !== undefined;
  if (loaded.kind === 'container') {
    const { facts } = loaded;
    const sections = containerSections(facts, { engine: unit.id, isMasked });
    const replaced = replacementSection(facts, inventory.containers.values());
    const why = exit ? [exitSection(exit.shown, exit.readings)] : [];
    const isOver = exit !== undefined && !exit.shown.owner;
    return {
      // The details of one that was removed at its end are those of its run.
      head: isOver && facts.state === 'running' ? exitHead(exit.shown) : containerHead(facts),
      sections: [...replaced, ...why, ...sections],
    };
  }
  const around = surroundingsOf(target, inventory, isMasked);
  const head = useHead(
    loaded.kind === 'network' ? around.members.map(({ container }) => container) : around.users,
  );
  switch (loaded.kind) {
    case 'image':
      return { head, sections: imageSections(loaded.facts, around) };
    case 'volume':
      return { head, sections: volumeSections(loaded.facts, around) };
    case 'network':
      return { head, sections: networkSections(loaded.facts, around) };
  }
}

/** Returns what the page shows of a container that was gone before the page was opened. */
export function goneContent({ shown, readings }: ExitContent): ShownContent {
  return { head: exitHead(shown), sections: [exitSection(shown, readings)] };
}

interface ShownContent {
  readonly head: PageHead;
  readonly sections: readonly SourceSection[];
}

/** How a container ended that failed. */
interface ExitContent {
  readonly shown: ShownExit;
  /** What it used, the oldest first, as far as it was measured. */
  readonly readings: readonly Reading[];
}

/** Compose creates another container of the same name instead of one that it removes. */
function replacementSection(
  { id, name }: DescribedContainer,
  containers: Iterable<Container>,
): readonly SourceSection[] {
  const other = [...containers].find((one) => one.name === name && one.id !== id);
  if (!other) return [];
  return [{ id: 'replaced', title: l10n.t('Replaced By'), rows: [userRow(other)] }];
}

function surroundingsOf(
  { kind, id }: DetailsTarget,
  inventory: CommandContext['inventory'],
  isMasked: Surroundings['isMasked'],
): Surroundings {
  const ids = kind === 'image' ? inventory.containersOf(id) : inventory.containersOfVolume(id);
  const network = kind === 'network' ? inventory.networks.entries.get(id) : undefined;
  return {
    users:
      kind === 'network'
        ? []
        : [...ids].flatMap((one) => inventory.containers.get(one) ?? []).sort(byName),
    members: network ? membersOf(network, inventory) : [],
    size: kind === 'volume' ? inventory.volumeSizes.get(id) : undefined,
    isMasked,
  };
}

function byName(a: Container, b: Container): number {
  return a.name.localeCompare(b.name);
}

function useHead(users: readonly Container[]): PageHead {
  const up = users.filter(isUp).length;
  const sentence =
    users.length === 0
      ? l10n.t('No container uses it.')
      : l10n.t('Used by {0}, {1} up.', formatContainerCount(users.length), up);
  return { tone: up > 0 ? 'good' : 'plain', sentence, why: [] };
}
