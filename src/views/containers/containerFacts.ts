import type { Container } from '../../engine/model.ts';
import { projectOf, serviceOf } from '../../projects/projectLabels.ts';
import { labelTexts, type FilterKey, type RowFacts } from '../arrangement/parseFilter.ts';
import type { RenderContext } from '../rowPresentation.ts';
import { formatContainerState } from './containerCondition.ts';

/** Returns what filters know of a container. */
export function containerFacts(container: Container, context: RenderContext): RowFacts {
  return {
    words: () => [
      ...container.names,
      container.name,
      ...imagesOf(container),
      projectOf(container) ?? '',
      serviceOf(container) ?? '',
      ...publishedPorts(container),
    ],
    values: (key) => VALUES[key](container, context),
  };
}

const VALUES: Readonly<
  Record<FilterKey, (container: Container, context: RenderContext) => readonly string[]>
> = {
  state: statesOf,
  health: ({ state, health }) => (state === 'running' && health ? [health] : []),
  image: imagesOf,
  label: ({ labels }) => labelTexts(labels),
  network: ({ networks }) => networks.map(({ name }) => name),
  volume: ({ mounts }) => mounts.flatMap(({ volume = [] }) => volume),
  port: publishedPorts,
  project: (container) => [projectOf(container) ?? []].flat(),
  engine: (_, { engineLabel = '' }) => [engineLabel],
  workspace: (container, { workspaceOf }) => workspaceOf?.(container) ?? [],
};

/** The engine's word, and what the row shows. */
function statesOf(container: Container, { inventory }: RenderContext): readonly string[] {
  const { id, state } = container;
  const shown = formatContainerState({
    container,
    age: undefined,
    verb: undefined,
    wasOutOfMemory: inventory.outOfMemory.has(id),
    wasStopped: inventory.stopped.has(id),
    isLost: false,
    now: 0,
  });
  return [...new Set([state, ...shown.split(' · ')])].filter((word) => word !== container.health);
}

function imagesOf({ image, imageId }: Container): readonly string[] {
  return [image, imageId];
}

function publishedPorts({ ports }: Container): readonly string[] {
  return ports.flatMap(({ publicPort }) => (publicPort === undefined ? [] : String(publicPort)));
}
