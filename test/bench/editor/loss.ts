import { delay } from '../../../src/base/time.ts';
import type { BedEngine } from '../../bed/engines.ts';
import { ask } from '../../bed/http.ts';
import type { BenchRow } from '../row.ts';
import { figure } from './figure.ts';
import type { BenchWindow } from './windows.ts';

const ROUNDS = 3;

/** Measures how soon the window shows that an engine was killed, and that it is back. */
export async function benchLoss(engine: BedEngine, { eye }: BenchWindow): Promise<BenchRow[]> {
  const [said, back]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const lost = await eye.watch({ kind: 'message', pane: 'Containers', isThere: true });
    const killedAt = Date.now();
    await engine.kill();
    said.push((await lost()) - killedAt);
    const found = await eye.watch({ kind: 'message', pane: 'Containers', isThere: false });
    const [answeredAt] = await Promise.all([firstAnswer(engine.socket), engine.restart()]);
    back.push((await found()) - answeredAt);
    await delay(2000);
  }
  return [
    figure({ name: 'engine killed to said', times: said, target: 2000 }),
    figure({ name: 'engine’s first answer to rows', times: back, target: 2000 }),
  ];
}

async function firstAnswer(socket: string): Promise<number> {
  for (;;) {
    const answer = await ask(socket, 'GET', '/_ping', { timeout: 1000 }).catch(() => undefined);
    if (answer?.status === 200) return Date.now();
    await delay(10);
  }
}
