import { unlessNotFound } from '../../engine/errors.ts';
import type { HiddenValues } from '../../engine/facts/hiddenValues.ts';
import { readImageFacts, type ImageFacts } from '../../engine/facts/readImageFacts.ts';
import { readNetworkFacts, type NetworkFacts } from '../../engine/facts/readNetworkFacts.ts';
import { readVolumeFacts, type VolumeFacts } from '../../engine/facts/readVolumeFacts.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { imageHistory } from '../../engine/images/imageHistory.ts';
import { inspectImage } from '../../engine/images/images.ts';
import { inspectNetwork } from '../../engine/networks/networks.ts';
import { inspectVolume } from '../../engine/volumes/volumes.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { describeContainer, type InspectedContainer, type ReadImage } from './describeContainer.ts';
import type { DetailsTarget } from '../frame/detailsTarget.ts';

/** Asks the engine for the details of an object; undefined if it does not exist. @throws EngineError. */
export function loadDetails(
  target: Pick<DetailsTarget, 'kind' | 'id'>,
  connection: Connection,
  context: CommandContext,
  options: LoadOptions,
): Promise<LoadedDetails | undefined> {
  return unlessNotFound(load(target, connection, context, options));
}

/** What the engine says of one object, and the values that are masked in it. */
export type LoadedDetails = { readonly hidden: HiddenValues } & (
  | ({ readonly kind: 'container' } & InspectedContainer)
  | { readonly kind: 'image'; readonly facts: ImageFacts }
  | { readonly kind: 'volume'; readonly facts: VolumeFacts }
  | { readonly kind: 'network'; readonly facts: NetworkFacts }
);

interface LoadOptions {
  readonly signal: AbortSignal;
  readonly readImage?: ReadImage;
}

async function load(
  { kind, id }: Pick<DetailsTarget, 'kind' | 'id'>,
  connection: Connection,
  context: CommandContext,
  options: LoadOptions,
): Promise<LoadedDetails> {
  const { signal } = options;
  switch (kind) {
    case 'container':
      return { kind, ...(await describeContainer(id, connection, context, options)) };
    case 'image': {
      const [image, history] = await Promise.all([
        inspectImage(connection, id, signal),
        imageHistory(connection, id, signal),
      ]);
      return { kind, ...readImageFacts(image, history) };
    }
    case 'volume':
      return { kind, ...readVolumeFacts(await inspectVolume(connection, id, signal)) };
    case 'network':
      return { kind, ...readNetworkFacts(await inspectNetwork(connection, id, signal)) };
  }
}
