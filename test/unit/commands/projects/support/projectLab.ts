import assert from 'node:assert/strict';
import { downCommand } from '../../../../../src/commands/projects/downCommand.ts';
import {
  listProjectsCommand,
  projectCommands,
} from '../../../../../src/commands/projects/projectCommands.ts';
import type { Container } from '../../../../../src/engine/model.ts';
import { ContainerRows } from '../../../../../src/views/containers/containerRows.ts';
import type { TreeNode } from '../../../../../src/views/treeNode.ts';
import { container } from '../../../inventory/support/nouns.ts';
import { ENGINE, openCommandLab, type CommandLab } from '../../../support/commandLab.ts';
import type { Answer } from '../../../support/fakeEngine.ts';
import { ProjectEngine } from '../../../support/projectEngine.ts';
import { inProject } from '../../../views/support/stage.ts';

/** Opens the commands on projects, with an engine that has these containers. */
export async function openProjectLab(
  containers: readonly Container[],
  answer?: (engine: ProjectEngine) => Answer,
): Promise<ProjectLab> {
  const engine = new ProjectEngine(containers);
  const lab = await openCommandLab(answer?.(engine) ?? engine.answer);
  const { ui } = lab;
  lab.register([...projectCommands(), listProjectsCommand(), downCommand()]);
  lab.list(containers);
  const row = (project: string, title?: string): TreeNode => {
    const context = { ...lab.context, now: Date.now };
    const rows = new ContainerRows(ENGINE, context);
    const found = rows.roots.find((one) => one.present(context).label === project);
    const child = found?.children?.find((one) => one.present(context).label === title);
    return (title === undefined ? found : child) ?? assert.fail('no row');
  };
  const messages = () =>
    ui.shown.flatMap(({ kind, text }) =>
      kind === 'info' || kind === 'error' ? [[kind, text] as const] : [],
    );
  return { lab, engine, row, messages };
}

/** The commands on projects, and the engine that they work on. */
export interface ProjectLab {
  readonly lab: CommandLab;
  readonly engine: ProjectEngine;
  /** Returns the row of a project, or of one of its services. */
  readonly row: (project: string, title?: string) => TreeNode;
  /** Returns what was shown to the user. */
  readonly messages: () => readonly (readonly ['info' | 'error', string])[];
}

/** Returns a container of a service of the project `shop`, which is not running. */
export function service(letter: string, name: string, depends = '', fields = {}): Container {
  const labels = { ...inProject('shop', name, 1), 'com.docker.compose.depends_on': depends };
  return container(letter, { name, labels, state: 'exited', ...fields });
}
