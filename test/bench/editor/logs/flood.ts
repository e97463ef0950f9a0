import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askWell } from '../../../bed/http.ts';
import type { Measurement } from '../../benchmark.ts';
import { makeBigLog } from '../../bigLog.ts';
import { removeOne } from '../../crowd.ts';
import { withFolder } from '../../stage.ts';
import { containerRow } from '../eye.ts';
import { clickOnLogs, type LogStage } from './stage.ts';

const LINES = 100_000;

/**
 * Measures from a click to the last of many lines in an output channel, compared with a channel that gets the
 * same text in one call.
 */
export function benchFlood({ socket, window, probe }: LogStage): Promise<Measurement> {
  return withFolder(async (folder) => {
    const id = await makeBigLog(socket, 'flood', LINES);
    const file = join(folder, 'text');
    writeFileSync(file, await textOf(socket, id));
    const last = `line ${String(LINES - 1).padStart(8, '0')}`;
    await window.eye.sees(containerRow('flood', '^Exited'));
    const ours = await window.eye.watch({ kind: 'output', text: last });
    const pressedAt = await clickOnLogs(window, 'flood');
    const subject = (await ours()) - pressedAt;
    await window.workbench.output.view.waitFor();
    const away = await window.eye.watch({ kind: 'noOutput', text: last });
    const fedAt = Date.now();
    await probe.feed('fed', file);
    await away();
    const theirs = await window.eye.watch({ kind: 'output', text: last });
    const peer = (await theirs()) - fedAt;
    await removeOne(socket, id);
    return { subject, peer };
  });
}

/** Returns the log as curl would, without frame headers. */
async function textOf(socket: string, id: string): Promise<string> {
  const path = `/v1.41/containers/${id}/logs?stdout=1&stderr=1`;
  const text = await askWell(socket, 'GET', path);
  return text.replaceAll(/^.*?(?=line \d{8})/gm, '');
}
