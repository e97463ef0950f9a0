import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { inspectImage } from '../../engine/images/images.ts';
import { inspectNetwork } from '../../engine/networks/networks.ts';
import type { TargetCall, TargetCommand } from '../frame/command.ts';
import { targetName, type CommandTarget } from '../frame/targets.ts';
import type { CommandId, Ui } from '../ui/ui.ts';
import { EngineNode } from '../../views/engines/engineNode.ts';
import { ImageNode } from '../../views/images/imageNode.ts';
import { MemberNode, NetworkNode } from '../../views/networks/networkNode.ts';
import { TransferNode } from '../../views/transfers/transferNode.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import { GroupNode, type TargetKind, type TreeNode } from '../../views/treeNode.ts';
import { VolumeNode } from '../../views/volumes/volumeNode.ts';

interface Copied {
  readonly outcome: 'copied';
}

interface CopyArguments {
  /**
   * All targets of the user's selection: with one run for each, only the last text would stay on the
   * clipboard.
   */
  readonly selection?: readonly CommandTarget[];
}

/** Sources of the text of a target: `known` for a row, and `asked` for an argument, with a request if needed. */
interface Text {
  readonly known: (target: CommandTarget) => string;
  readonly asked: (call: TargetCall<CopyArguments>) => Promise<string>;
}

const id: Text = {
  known: (target) => target.id,
  asked: async (call) => (await call.target()).id,
};

const imageId: Text = {
  known: ({ image, id: own }) => image?.id ?? own,
  asked: async (call) => {
    const target = await call.target();
    return (await inspectImage(await call.connect(), target.id, call.signal)).id;
  },
};

const digest = (): Text => ({
  known: ({ image, name: own }) => image?.digests[0] ?? throwNoDigest(own),
  asked: async (call) => {
    const target = await call.target();
    const { digests } = await inspectImage(await call.connect(), target.id, call.signal);
    return digests[0] ?? throwNoDigest(target.name);
  },
});

/** Only a registry assigns a digest. */
function throwNoDigest(image: string): never {
  throw new InputError(l10n.t('{0} has no digest because it was never pulled or pushed.', image));
}

const name: Text = {
  known: (target) => target.name,
  asked: async (call) => targetName(await call.target(), await call.connect(), call.signal),
};

const networkName: Text = {
  known: (target) => target.name,
  asked: async (call) => {
    const { network, id: own } = await call.target();
    return network?.name ?? (await inspectNetwork(await call.connect(), own, call.signal)).name;
  },
};

/** The commands that copy properties of containers or images, one line for each target. */
export const clipboardCommands = (ui: Ui): readonly TargetCommand<CopyArguments, Copied>[] => [
  copyCommand(ui, 'gantry.containers.copyId', 'container', id),
  copyCommand(ui, 'gantry.containers.copyName', 'container', name),
  // An untagged image has its ID as the reference.
  copyCommand(ui, 'gantry.images.copyReference', 'image', id),
  copyCommand(ui, 'gantry.images.copyId', 'image', imageId),
  copyCommand(ui, 'gantry.images.copyDigest', 'image', digest()),
];

/** Returns a command that copies the name of volumes, one line for each. */
export const copyVolumeNameCommand = (ui: Ui): TargetCommand<CopyArguments, Copied> =>
  copyCommand(ui, 'gantry.volumes.copyName', 'volume', id);

/** Returns a command that copies the name of networks, one line for each. */
export const copyNetworkNameCommand = (ui: Ui): TargetCommand<CopyArguments, Copied> =>
  copyCommand(ui, 'gantry.networks.copyName', 'network', networkName);

function copyCommand(
  ui: Ui,
  command: CommandId,
  kind: TargetKind,
  text: Text,
): TargetCommand<CopyArguments, Copied> {
  return {
    id: command,
    on: kind,
    ofOthers: (rows) => copyNames(ui, rows),
    progress: 'never',
    progressTitle: (what) => l10n.t('Copying {0}', what),
    failureTitle: (what) => l10n.t('Could not copy {0}', what),
    ask: (targets) => Promise.resolve({ selection: targets }),
    run: async (call) => {
      const { selection } = call.args;
      const copied = selection ? selection.map(text.known).join('\n') : await text.asked(call);
      await ui.copy(copied);
      return { outcome: 'copied' };
    },
  };
}

/** Copies the names of rows of any kind; undefined if a row has none. */
function copyNames(ui: Ui, rows: readonly TreeNode[]): (() => Promise<Copied>) | undefined {
  const names = rows.flatMap((row) => rowName(row) ?? []);
  if (names.length < rows.length) return undefined;
  return async () => {
    await ui.copy(names.join('\n'));
    return { outcome: 'copied' };
  };
}

/** Returns the name of what a row represents; undefined for a message. */
function rowName(row: TreeNode): string | undefined {
  if (row instanceof ContainerNode || row instanceof MemberNode) return row.container.name;
  if (row instanceof ImageNode) return row.reference ?? row.image.id;
  if (row instanceof VolumeNode) return row.volume.name;
  if (row instanceof NetworkNode) return row.network.name;
  if (row instanceof EngineNode) return row.name;
  if (row instanceof TransferNode) return row.transfer.spec.reference;
  return row instanceof GroupNode && row.key !== '' ? row.key : undefined;
}
