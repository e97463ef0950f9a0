import * as l10n from '@vscode/l10n';
import type { ArrangedView } from '../../views/arrangement/arrangements.ts';
import type { Pin, Pins } from '../../views/arrangement/pins.ts';
import { ContainerNode, ProjectNode, ServiceNode } from '../../views/containers/containerNode.ts';
import { editorCommands, type Command, type PlainCommand } from '../frame/command.ts';
import type { CommandDependencies } from '../frame/commandDependencies.ts';
import { askForFilter, filterAndSortCommand } from './filterAndSortCommand.ts';

/** The commands that filter, group, sort, and pin rows. */
export function commands({ ui, rows }: CommandDependencies): readonly Command[] {
  const { arrangements, pins } = rows;
  const parts = { ui, rows };
  const clear = (view: ArrangedView) => (): void => {
    arrangements.show(view, { filter: '' });
    arrangements.keep(view);
  };
  return [
    filterAndSortCommand('gantry.containers.filterAndSort', 'containers', parts),
    filterAndSortCommand('gantry.images.filterAndSort', 'images', parts),
    filterAndSortCommand('gantry.volumes.filterAndSort', 'volumes', parts),
    filterAndSortCommand('gantry.networks.filterAndSort', 'networks', parts),
    ...editorCommands({
      'gantry.containers.clearFilter': clear('containers'),
      'gantry.images.clearFilter': clear('images'),
      'gantry.volumes.clearFilter': clear('volumes'),
      'gantry.networks.clearFilter': clear('networks'),
      // Not awaited: the command ends before the user answers.
      'gantry.images.filter': () => {
        void askForFilter('images', parts);
      },
    }),
    pinCommand('gantry.containers.pin', true, pins),
    pinCommand('gantry.containers.unpin', false, pins),
  ];
}

interface PinArguments {
  readonly container?: string;
  readonly project?: string;
  readonly service?: string;
}

/** Pins containers, projects, and services, or unpins them. */
function pinCommand(
  id: 'gantry.containers.pin' | 'gantry.containers.unpin',
  isPinned: boolean,
  pins: Pins,
): PlainCommand<PinArguments, { readonly outcome: 'pinned' | 'unpinned' }> {
  const set = (all: readonly Pin[]) => {
    pins.set(all, isPinned);
    return { outcome: isPinned ? 'pinned' : 'unpinned' } as const;
  };
  return {
    id,
    schema: { container: { kind: 'text' }, project: { kind: 'text' }, service: { kind: 'text' } },
    selects: 'container',
    accepts: canBePinned,
    failureTitle: isPinned ? l10n.t('Could not pin') : l10n.t('Could not unpin'),
    run: ({ container, project, service }, { unit }) => {
      const named: readonly Pin[] = [
        ...(container === undefined ? [] : [[unit.id, 'container', container] as const]),
        ...(project === undefined
          ? []
          : [
              service === undefined
                ? ([unit.id, 'project', project] as const)
                : ([unit.id, 'service', project, service] as const),
            ]),
      ];
      return Promise.resolve(set(named));
    },
    runInteractive: (_context, nodes) =>
      Promise.resolve(set(nodes.filter(canBePinned).map(({ pin }) => pin))),
  };
}

function canBePinned(node: unknown): node is ContainerNode | ProjectNode | ServiceNode {
  return (
    node instanceof ContainerNode || node instanceof ProjectNode || node instanceof ServiceNode
  );
}
