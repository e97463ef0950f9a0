import type { Container } from '../../engine/model.ts';
import { projectOf, serviceOf } from './compose.ts';
import { iconOf, isAged, stateWords, verbShown, type StateFacts } from './containerState.ts';
import { tooltipRows, type Look, type Scene, type TooltipRow } from '../look.ts';
import { hasPublishedTcp, portWords, publishedWords } from './ports.ts';
import { imageWords, joined, momentWords, plain, shortId } from '../words.ts';

/** How a container's row looks; `title` is the name it has in its place. */
export function lookOfContainer(container: Container, title: string, scene: Scene): Look {
  const facts = factsOf(container, scene);
  const { age, verb, isLost } = facts;
  const parts = [stateWords(facts, scene.l10n), whatElse(container)];
  return {
    label: plain(title),
    description: joined(...parts),
    icon: iconOf(facts),
    contextValue: contextOf(container),
    accessibilityLabel: [plain(container.name), ...parts].filter((part) => part !== '').join(', '),
    age: verb === undefined && !isLost && isAged(container) ? age : undefined,
  };
}

/** A row has room for one thing beside the state: where to reach it, else what it is, unless its service says so. */
function whatElse(container: Container): string {
  const published = publishedWords(container.ports);
  if (published !== '') return published;
  return projectOf(container) === undefined ? imageWords(container.image).replace(/^.*\//, '') : '';
}

/** What users look for in a container. */
export function tooltipOfContainer(container: Container, scene: Scene): readonly TooltipRow[] {
  const { l10n } = scene;
  const aliases = container.names.filter((name) => name !== container.name);
  return tooltipRows(
    [l10n.t('Name'), container.name],
    [l10n.t('Also named'), aliases.join(', ')],
    [l10n.t('State'), stateWords({ ...factsOf(container, scene), verb: undefined }, l10n)],
    [l10n.t('Image'), container.image],
    [l10n.t('Command'), container.command],
    [l10n.t('Ports'), portWords(container.ports)],
    [l10n.t('Project'), projectOf(container)],
    [l10n.t('Service'), serviceOf(container)],
    [l10n.t('Created'), momentWords(container.createdAt)],
    [l10n.t('Id'), shortId(container.id)],
  );
}

function factsOf(container: Container, { inventory, activity, now }: Scene): StateFacts {
  const { id } = container;
  const lostAt = inventory.lostAt;
  return {
    container,
    age: inventory.ages.get(id),
    verb: verbShown(container, activity.verbOf(id)),
    wasOutOfMemory: inventory.outOfMemory.has(id),
    isLost: lostAt !== undefined,
    // What is not known to go on does not grow older.
    now: lostAt ?? now(),
  };
}

function contextOf(container: Container): string {
  const words = ['container', container.state];
  return [...words, ...(hasPublishedTcp(container.ports) ? ['published'] : [])].join('.');
}
