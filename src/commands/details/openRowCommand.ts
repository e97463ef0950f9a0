import * as l10n from '@vscode/l10n';
import { monotonicClock, type Clock } from '../../base/time.ts';
import { ContainerNode } from '../../views/containers/containerNode.ts';
import type { EditorCommand } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { showLog } from '../logs/logsCommand.ts';
import { withErrorMessage } from '../ui/withErrorMessage.ts';

/** Two clicks within this time in milliseconds are a double click. VS Code reports only single ones. */
const DOUBLE_CLICK_MS = 500;

/** The argument of the key. */
const KEY = 'focusedView';

type Parts = Pick<CommandDependencies, 'ui' | 'choice' | 'selection' | 'showDetails'>;

/** Opens what a setting says for a container: at the second of two clicks on its row, and at Enter. */
export function openRowCommand(parts: Parts, clock: Clock = monotonicClock): EditorCommand {
  let last: { readonly row: ContainerNode; readonly at: number } | undefined;
  const isDouble = (row: ContainerNode): boolean => {
    // VS Code itself waits for the second click.
    if (parts.ui.settings.listOpensOnDoubleClick()) return true;
    const before = last;
    const at = clock.now();
    const isSame =
      before?.row.engine === row.engine && before.row.container.id === row.container.id;
    const isSecond = isSame && at - before.at <= DOUBLE_CLICK_MS;
    last = isSecond ? undefined : { row, at };
    return isSecond;
  };
  return {
    id: 'gantry.containers.openRow',
    on: 'editor',
    run: (first) => {
      // A click and the key have both selected the row.
      const rows = parts.selection('container', true);
      const [row] = rows;
      if (rows.length !== 1 || !(row instanceof ContainerNode)) return undefined;
      return first === KEY || isDouble(row) ? open(row, parts) : undefined;
    },
  };
}

async function open(row: ContainerNode, { ui, choice, showDetails }: Parts): Promise<void> {
  const context = choice.ofEngine(row.engine);
  const { id, name } = row.container;
  if (!context) return;
  await withErrorMessage(l10n.t('Could not open {0}', name), { ui, showDetails }, async () => {
    if (ui.settings.openOnClick() === 'details')
      await context.openDetails({ kind: 'container', id, name }, { preserveFocus: true });
    if (ui.settings.openOnClick() !== 'logs') return;
    await showLog({ id, name }, context);
    ui.focusView('gantry.containers.focus');
  });
}
