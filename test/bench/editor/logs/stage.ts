import { createOne, verb } from '../../crowd.ts';
import { FLOOR_LINE } from '../floor.ts';
import { row } from '../live.ts';
import type { BenchWindow } from '../windows.ts';
import type { Probe } from './probe.ts';
import type { ViewerEye } from './viewerEye.ts';

/** An engine, a window that shows it, and what looks into its extension host and into its log viewers. */
export interface LogStage {
  readonly socket: string;
  readonly window: BenchWindow;
  readonly probe: Probe;
  readonly viewers: ViewerEye;
}

/** What a container of {@link talker} says. */
export const GREETING = `${FLOOR_LINE}, from a container`;

/** Starts a container that says one line and lives on; its id, once its row is there. */
export async function talker({ socket, window }: LogStage, name: string): Promise<string> {
  const id = await createOne(socket, name, {
    Cmd: ['sh', '-c', `echo '${GREETING}'; sleep 100000`],
  });
  await verb(socket, id, 'start');
  await window.eye.sees(row(name, '^Up'));
  return id;
}

/** Clicks on a container's Show Logs; when the button was pressed, in milliseconds since 1970. */
export async function clickOnLogs({ workbench, eye }: BenchWindow, label: string): Promise<number> {
  await workbench.inlineAction(workbench.row(label, 'Containers'), 'Show Logs');
  return eye.pressedAt();
}
