import * as l10n from '@vscode/l10n';
import { listContainers } from '../../engine/containers/containers.ts';
import type { Connection } from '../../engine/http/connection.ts';
import { isTemporaryContainer } from '../../engine/images/temporaryMarks.ts';
import { isAnonymousVolume, isUp, type Container, type Volume } from '../../engine/model.ts';
import { listVolumes } from '../../engine/volumes/volumes.ts';
import { composeNameOf } from '../../projects/projectLabels.ts';
import type { PlainCommand } from '../frame/command.ts';

/** Lists the volumes. Always asks the engine and never uses what the view shows. */
export const listVolumesCommand = (): PlainCommand<object, readonly ListedVolume[]> => ({
  id: 'gantry.volumes.list',
  schema: {},
  failureTitle: l10n.t('Could not list the volumes'),
  run: async (_, { engine }, signal) => {
    const all = await volumesWithUsers(await engine.connect(signal), signal);
    return all.map(({ volume, usedBy }) => {
      const { name, driver, labels } = volume;
      const { project } = composeNameOf(labels, 'volume');
      const isAnonymous = isAnonymousVolume(volume);
      return {
        name,
        driver,
        labels,
        isAnonymous,
        ...(project !== undefined && { project }),
        usedBy,
      };
    });
  },
});

/** A volume, and the containers that mount it. */
export interface ListedVolume extends Pick<Volume, 'name' | 'driver' | 'labels'> {
  readonly isAnonymous: boolean;
  /** The compose project that created it. */
  readonly project?: string;
  readonly usedBy: readonly VolumeUser[];
}

/** A mount of a volume in a container, running or not. */
export interface VolumeUser extends Pick<Container, 'id' | 'name'> {
  readonly isRunning: boolean;
  /** Where the volume is in the container. */
  readonly path: string;
  readonly isReadOnly: boolean;
}

/** Lists the volumes with their users: two requests to the engine. Gantry's own containers do not count. */
export async function volumesWithUsers(
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly { readonly volume: Volume; readonly usedBy: readonly VolumeUser[] }[]> {
  const [volumes, containers] = await Promise.all([
    listVolumes(connection, {}, signal),
    listContainers(connection, { all: true }, signal),
  ]);
  const uses = containers.filter((one) => !isTemporaryContainer(one)).flatMap(usesOf);
  const byVolume = Map.groupBy(uses, ({ volume }) => volume);
  return volumes.map((volume) => ({
    volume,
    usedBy: (byVolume.get(volume.name) ?? []).map(({ user }) => user),
  }));
}

function usesOf(
  container: Container,
): readonly { readonly volume: string; readonly user: VolumeUser }[] {
  const { id, name } = container;
  return container.mounts.flatMap(({ volume, path, isReadOnly }) =>
    volume === undefined
      ? []
      : [{ volume, user: { id, name, isRunning: isUp(container), path, isReadOnly } }],
  );
}
