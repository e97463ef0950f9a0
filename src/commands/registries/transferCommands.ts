import * as l10n from '@vscode/l10n';
import { InputError } from '../../engine/errors.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { fullName } from '../../engine/options/reference.ts';
import type { Transfer, TransferPhase } from '../../registries/transfers/transfer.ts';
import type { TreeNode } from '../../views/treeNode.ts';
import { TransferNode } from '../../views/transfers/transferNode.ts';
import type { PlainCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/commandContext.ts';

interface TransferArguments {
  readonly reference: string;
}

interface Outcome {
  readonly outcome: 'cancelled' | 'retried' | 'dismissed' | 'notThere';
}

/** The commands on the pulls and pushes in the view. */
export const transferCommands = () =>
  [
    {
      id: 'gantry.pulls.cancel',
      failureTitle: l10n.t('Could not cancel'),
      // Cancels it for all callers that wait for it.
      ...acting('running', 'cancelled', (transfer) => transfer.cancel()),
    },
    {
      id: 'gantry.pulls.retry',
      failureTitle: l10n.t('Could not retry'),
      ...acting('failed', 'retried', (transfer, { window: { pulls } }, isInteractive) => {
        transfer.retry(isInteractive);
        return isInteractive ? pulls.show(transfer) : transfer.join();
      }),
    },
    {
      id: 'gantry.pulls.dismiss',
      failureTitle: l10n.t('Could not dismiss'),
      ...acting('failed', 'dismissed', (transfer, { window: { transfers } }) => {
        transfers.dismiss(transfer);
      }),
    },
  ] as const;

type Act = (transfer: Transfer, context: CommandContext, isInteractive: boolean) => unknown;

/** @param phase the phase in which the command applies. @param outcome its outcome when it is done. */
function acting(
  phase: TransferPhase,
  outcome: Outcome['outcome'],
  act: Act,
): Pick<PlainCommand<TransferArguments, Outcome>, 'schema' | 'run' | 'runInteractive'> {
  return {
    schema: { reference: { kind: 'text', required: true } },
    run: async ({ reference }, context) => {
      const wanted = fullName(pullTarget(reference));
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
        ? l10n.t('No pull or push is running.')
        : l10n.t('No pull or push has failed.'),
    );
  }
  const items = transfers.map((transfer) => {
    const { kind, reference, platform = '' } = transfer.spec;
    const label =
      kind === 'pull' ? l10n.t('Pull of {0}', reference) : l10n.t('Push of {0}', reference);
    return { label, description: platform, transfer };
  });
  const picked = await context.ui.pick({ placeholder: l10n.t('Select a pull or push'), items });
  return picked ? [picked.transfer] : [];
}

function inPhase(
  { window: { transfers }, unit }: CommandContext,
  phase: TransferPhase,
): readonly Transfer[] {
  return transfers.all.filter((one) => one.spec.engine === unit.id && one.phase === phase);
}
