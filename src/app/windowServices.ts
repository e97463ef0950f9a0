import { foundOnce } from '../base/lifetime.ts';
import type { WindowServices } from '../commands/frame/commandContext.ts';
import { findBuildx } from '../builds/buildx/findBuildx.ts';
import { findComposeCli } from '../projects/cli/composeCli.ts';
import { Exclusions } from '../engines/exclusions.ts';
import { CreateHistory } from '../recipes/createHistory.ts';
import { readProxyVariables } from '../registries/proxyVariables.ts';
import { RecentReferences } from '../registries/recentReferences.ts';
import type { Core } from './core.ts';

/** Returns what the commands on all engines of this window share. */
export function windowServices(core: Core, opened: OpenedServices): WindowServices {
  const { context, maker, transfers, newer, worktrees } = core;
  const { workspaceState, globalState } = context;
  return {
    ...opened,
    exclusions: new Exclusions(globalState),
    transfers,
    newer,
    proxies: (host: string) => readProxyVariables(maker.machine, host),
    memory: workspaceState,
    worktrees,
    findCompose: foundOnce(() => findComposeCli(process.env)),
    findBuildx: foundOnce(() => findBuildx(process.env)),
    allowedFiles: new Set(),
    creates: new CreateHistory(workspaceState, globalState),
    recent: new RecentReferences(globalState),
  };
}

/** The services that have to be disposed or ended with the window. */
type OpenedServices = Required<
  Pick<WindowServices, 'builds' | 'files' | 'registries' | 'work' | 'consent' | 'pulls'>
>;
