import * as l10n from '@vscode/l10n';
import {
  publicPortsOf,
  publishedTcpPorts,
  urlOfPort,
} from '../../engine/facts/publishedTcpPorts.ts';
import type { Endpoint } from '../../engine/http/endpoint.ts';
import type { Container } from '../../engine/model.ts';
import { serviceOf } from '../../projects/projectLabels.ts';
import type { NamedWorktree } from '../../projects/worktrees/followedWorktrees.ts';
import type { WorktreeState } from '../../projects/worktrees/findWorktreeState.ts';
import { formatLine, joinParts } from '../format.ts';
import { tooltipRows, type ShownWorktree, type TooltipRow } from '../rowPresentation.ts';

/** Returns what the row of a project shows of its worktree. */
export function presentWorktree(
  state: NamedWorktree,
  { file, endpointOf }: WorktreeSurroundings,
): ShownWorktree {
  return {
    title: joinParts(formatLine(state.base), formatLine(state.branch ?? nameOf(state))),
    parts: [formatGone(state)],
    icon: state.isGone ? { id: 'warning', color: 'problemsWarningIcon.foreground' } : undefined,
    tooltip: (engine, containers) => {
      const endpoint = endpointOf(engine);
      return [
        ...tooltipRows(
          [l10n.t('Worktree'), joinParts(state.folder, formatGone(state))],
          [l10n.t('Branch'), state.branch],
          [l10n.t('Override file'), file],
        ),
        ...(endpoint ? urlRows(containers, endpoint) : []),
      ];
    },
  };
}

interface WorktreeSurroundings {
  /** The path of the file that overrides those of the project. */
  readonly file: string;
  readonly endpointOf: (engine: string) => Endpoint | undefined;
}

/** Names a worktree: the branch and the folder, and that it is gone. */
export function formatWorktree(state: WorktreeState): string {
  const folder = formatLine(nameOf(state));
  return joinParts(state.branch && formatLine(state.branch), folder, formatGone(state));
}

function nameOf({ folder }: WorktreeState): string {
  return folder.replace(/^.*[\\/]/, '');
}

function formatGone({ isGone }: WorktreeState): string {
  return isGone ? l10n.t('worktree gone') : '';
}

/** Maximum number of URLs in a tooltip. */
const MOST_URLS = 12;

function urlRows(containers: readonly Container[], endpoint: Endpoint): readonly TooltipRow[] {
  const running = containers.filter(({ state }) => state === 'running');
  const rows = running.flatMap((one) => {
    const ports = publishedTcpPorts(one);
    const value = serviceOf(one) ?? one.name;
    return publicPortsOf(ports).map((port) => {
      return { name: l10n.t('URL'), value, url: urlOfPort(ports, port, endpoint) };
    });
  });
  // Characters that are invalid in a URL would end the link.
  return rows.filter(({ url }) => URL.canParse(url) && !/[<>\s]/.test(url)).slice(0, MOST_URLS);
}
