import type { Container } from '../engine/model.ts';
import { projectOf, serviceOf } from './compose.ts';
import { iconOf, isAged, stateWords, verbShown } from './containerState.ts';
import { tooltipRows, type Look, type Scene, type TooltipRow } from './look.ts';
import { hasPublishedTcp, portWords, publishedWords } from './ports.ts';
import { BESIDE_STATE, imageWords, joined, momentWords, plain, shortId, shorten } from './words.ts';

/** How a container's row looks; `title` is the name it has in its place. */
export function lookOfContainer(container: Container, title: string, scene: Scene): Look {
  const verb = verbShown(container, scene.activity.verbOf(container.id));
  const age = scene.inventory.ages.get(container.id);
  const state = stateWords({ container, age, verb, now: scene.now() }, scene.l10n);
  const parts = [state, publishedWords(container.ports), imageWords(container.image)];
  return {
    label: shorten(plain(title), BESIDE_STATE),
    description: joined(...parts),
    icon: iconOf(container, verb),
    contextValue: contextOf(container),
    accessibilityLabel: [plain(container.name), ...parts].filter((part) => part !== '').join(', '),
    age: verb === undefined && isAged(container) ? age : undefined,
  };
}

/** What people look for in a container. */
export function tooltipOfContainer(container: Container, scene: Scene): readonly TooltipRow[] {
  const { l10n, inventory } = scene;
  const age = inventory.ages.get(container.id);
  const aliases = container.names.filter((name) => name !== container.name);
  return tooltipRows(
    [l10n.t('Name'), container.name],
    [l10n.t('Also named'), aliases.join(', ')],
    [l10n.t('State'), stateWords({ container, age, now: scene.now() }, l10n)],
    [l10n.t('Image'), container.image],
    [l10n.t('Command'), container.command],
    [l10n.t('Ports'), portWords(container.ports)],
    [l10n.t('Project'), projectOf(container)],
    [l10n.t('Service'), serviceOf(container)],
    [l10n.t('Created'), momentWords(container.createdAt)],
    [l10n.t('Id'), shortId(container.id)],
  );
}

function contextOf(container: Container): string {
  const words = ['container', container.state];
  return [...words, ...(hasPublishedTcp(container.ports) ? ['published'] : [])].join('.');
}
