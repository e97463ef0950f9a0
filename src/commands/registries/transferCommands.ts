import * as vscode from 'vscode';
import { InputError } from '../../engine/errors.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { fullName } from '../../engine/options/reference.ts';
import type { Transfer, TransferPhase } from '../../transfers/transfer.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { TransferNode } from '../../views/transfers/transferNode.ts';
import type { PlainCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { ArgumentSchema } from '../arguments.ts';
import { formatItem } from '../displayText.ts';

const { l10n } = vscode;

interface TransferArguments {
  readonly reference: string;
}

interface Outcome {
  readonly outcome: 'cancelled' | 'retried' | 'dismissed' | 'notThere';
}

const schema: ArgumentSchema = { reference: { kind: 'text', required: true } };

/** Ends a pull or a push for all who wait for it. */
const cancelCommand: PlainCommand<TransferArguments, Outcome> = {
  id: 'gantry.pulls.cancel',
  ...acting('running', 'cancelled', (transfer) => {
    transfer.cancel();
  }),
  failureTitle: l10n.t('Could not cancel it'),
};

/** Begins a failed pull or push anew. */
const retryCommand: PlainCommand<TransferArguments, Outcome> = {
  id: 'gantry.pulls.retry',
  ...acting('failed', 'retried', (transfer, { transfers, pulls }, isInteractive) => {
    transfers.retry(transfer, isInteractive);
    return isInteractive ? pulls.show(transfer) : transfer.join();
  }),
  failureTitle: l10n.t('It failed again'),
};

/** Takes a failed pull or push out of sight. */
const dismissCommand: PlainCommand<TransferArguments, Outcome> = {
  id: 'gantry.pulls.dismiss',
  ...acting('failed', 'dismissed', (transfer, { transfers }) => {
    transfers.dismiss(transfer);
  }),
  failureTitle: l10n.t('Could not dismiss it'),
};

/** What can be done with a pull or a push that stands in the view. */
export const transferCommands = [cancelCommand, retryCommand, dismissCommand] as const;

type Act = (transfer: Transfer, context: CommandContext, isInteractive: boolean) => unknown;

/** @param phase the one in which it makes sense. @param outcome what it is called when it is done. */
function acting(
  phase: TransferPhase,
  outcome: Outcome['outcome'],
  act: Act,
): Pick<PlainCommand<TransferArguments, Outcome>, 'schema' | 'run' | 'runInteractive'> {
  return {
    schema,
    run: async ({ reference }, context) => {
      const wanted = fullName(pullTarget(reference, l10n));
      const found = inPhase(context, phase).filter(({ spec }) => spec.fullName === wanted);
      await Promise.all(found.map((transfer) => act(transfer, context, false)));
      return { outcome: found.length === 0 ? 'notThere' : outcome };
    },
    runInteractive: async (context, nodes) => {
      const meant = nodes.length > 0 ? transfersOf(nodes, phase) : await pick(context, phase);
      if (meant.length === 0) return undefined;
      await Promise.all(meant.map((transfer) => act(transfer, context, true)));
      return { outcome };
    },
  };
}

function transfersOf(nodes: readonly TreeNode[], phase: TransferPhase): readonly Transfer[] {
  return nodes
    .flatMap((node) => (node instanceof TransferNode ? [node.transfer] : []))
    .filter((transfer) => transfer.phase === phase);
}

async function pick(context: CommandContext, phase: TransferPhase): Promise<readonly Transfer[]> {
  const transfers = inPhase(context, phase);
  if (transfers.length === 0) {
    throw new InputError(
      phase === 'running'
        ? l10n.t('Nothing is being pulled or pushed.')
        : l10n.t('Nothing failed.'),
    );
  }
  const items = transfers.map((transfer) => {
    const { kind, reference, platform = '' } = transfer.spec;
    const label =
      kind === 'pull' ? l10n.t('Pull of {0}', reference) : l10n.t('Push of {0}', reference);
    return { ...formatItem({ label, description: platform }), transfer };
  });
  const placeHolder = l10n.t('Choose a pull or a push');
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  return picked ? [picked.transfer] : [];
}

function inPhase({ transfers, unit }: CommandContext, phase: TransferPhase): readonly Transfer[] {
  return transfers.all.filter((one) => one.spec.engine === unit.id && one.phase === phase);
}
