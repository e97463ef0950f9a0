import { createOne, verb } from '../../crowd.ts';
import { FLOOR_LINE } from '../floor.ts';
import { containerRow } from '../eye.ts';
import type { BenchWindow } from '../windows.ts';
import type { Probe } from './probe.ts';
import type { ViewerEye } from './viewerEye.ts';

/** An engine, a window that shows it, and the probes of its extension host and log viewers. */
export interface LogStage {
  readonly socket: string;
  readonly window: BenchWindow;
  readonly probe: Probe;
  readonly viewers: ViewerEye;
}

/** The output of a container of {@link talker}. */
export const GREETING = `${FLOOR_LINE}, from a container`;

/** Starts a container that writes one line and keeps running. Resolves to its ID when its row is shown. */
export async function talker({ socket, window }: LogStage, name: string): Promise<string> {
  const id = await createOne(socket, name, {
    Cmd: ['sh', '-c', `echo '${GREETING}'; sleep 100000`],
  });
  await verb(socket, id, 'start');
  await window.eye.sees(containerRow(name, '^Up'));
  return id;
}

/** Clicks on Show Logs of a container. Resolves to the time of the click in milliseconds since 1970. */
export async function clickOnLogs({ workbench, eye }: BenchWindow, label: string): Promise<number> {
  await workbench.inlineAction(workbench.row(label, 'Containers'), 'Show Logs');
  return eye.pressedAt();
}
