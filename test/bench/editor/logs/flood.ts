import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askWell } from '../../../bed/http.ts';
import { makeBigLog } from '../../bigLog.ts';
import { removeOne } from '../../crowd.ts';
import { rounded } from '../../figures.ts';
import type { BenchRow } from '../../row.ts';
import { row } from '../live.ts';
import { clickOnLogs, type LogStage } from './stage.ts';

const LINES = 100_000;

/**
 * Measures from a click to the last of many lines in an output channel, compared with a channel that gets the
 * same text in one call.
 */
export async function benchFlood(stage: LogStage): Promise<BenchRow> {
  const { socket, window, probe } = stage;
  const folder = mkdtempSync(join(tmpdir(), 'gantry-flood-'));
  try {
    const id = await makeBigLog(socket, 'flood', LINES);
    const file = join(folder, 'text');
    writeFileSync(file, await textOf(socket, id));
    const last = `line ${String(LINES - 1).padStart(8, '0')}`;
    await window.eye.sees(row('flood', '^Exited'));
    const ours = await window.eye.watch({ kind: 'output', text: last });
    const pressedAt = await clickOnLogs(window, 'flood');
    const taken = (await ours()) - pressedAt;
    await window.workbench.output.view.waitFor();
    const away = await window.eye.watch({ kind: 'noOutput', text: last });
    const fedAt = Date.now();
    await probe.feed('fed', file);
    await away();
    const theirs = await window.eye.watch({ kind: 'output', text: last });
    const fed = (await theirs()) - fedAt;
    await removeOne(socket, id);
    return {
      name: `click on Show Logs to the last of ${LINES.toLocaleString('en-US')} lines`,
      value: rounded(taken, 0),
      unit: 'ms',
      peer: `VS Code’s own channel fed the same text at once, ${rounded(fed, 0)} ms`,
      ratio: rounded(taken / fed, 2),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the log as curl would, without frame headers. */
async function textOf(socket: string, id: string): Promise<string> {
  const path = `/v1.41/containers/${id}/logs?stdout=1&stderr=1`;
  const text = await askWell(socket, 'GET', path);
  return text.replaceAll(/^.*?(?=line \d{8})/gm, '');
}
