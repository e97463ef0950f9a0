import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { inspectImage } from '../../engine/images/images.ts';
import type { TargetCall, TargetCommand } from '../command.ts';
import { targetName, type CommandTarget } from '../targets.ts';

const { l10n } = vscode;

interface Copied {
  readonly outcome: 'copied';
}

interface CopyArguments {
  /** Of a person's selection all of it, for one run after the other would leave the last one alone. */
  readonly selection?: readonly CommandTarget[];
}

/** What is copied of one target: as it is known, and for an argument asked for where it is not. */
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

const digest: Text = {
  known: ({ image, name: own }) => image?.digests[0] ?? throwNoDigest(own),
  asked: async (call) => {
    const target = await call.target();
    const { digests } = await inspectImage(await call.connect(), target.id, call.signal);
    return digests[0] ?? throwNoDigest(target.name);
  },
};

/** Only a registry gives one. */
function throwNoDigest(image: string): never {
  throw new InputError(l10n.t('{0} has no digest: it came from no registry.', image));
}

const name: Text = {
  known: (target) => target.name,
  asked: async (call) => targetName(await call.target(), await call.connect(), call.signal),
};

/** The commands that put something of containers or images on the clipboard, a line for each. */
export const clipboardCommands: readonly TargetCommand<CopyArguments, Copied>[] = [
  copyCommand('gantry.containers.copyId', 'container', id),
  copyCommand('gantry.containers.copyName', 'container', name),
  // Of an image without a name, its id is the reference.
  copyCommand('gantry.images.copyReference', 'image', id),
  copyCommand('gantry.images.copyId', 'image', imageId),
  copyCommand('gantry.images.copyDigest', 'image', digest),
];

function copyCommand(
  command: string,
  kind: 'container' | 'image',
  text: Text,
): TargetCommand<CopyArguments, Copied> {
  return {
    id: command,
    kind,
    schema: {},
    progress: 'never',
    progressTitle: (what) => l10n.t('Copying {0}', what),
    failureTitle: (what) => l10n.t('Could not copy {0}', what),
    ask: (targets) => Promise.resolve({ selection: targets }),
    run: async (call) => {
      const { selection } = call.args;
      const copied = selection ? selection.map(text.known).join('\n') : await text.asked(call);
      await vscode.env.clipboard.writeText(copied);
      return { outcome: 'copied' };
    },
  };
}
