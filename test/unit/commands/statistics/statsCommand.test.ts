import assert from 'node:assert/strict';
import '../../support/fakeEditor.ts';
import { statsCommand } from '../../../../src/commands/statistics/statsCommand.ts';
import { idOf } from '../../inventory/support/nouns.ts';
import { openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';

const A = idOf('a');

describe('gantry.containers.stats', () => {
  let lab: CommandLab;

  beforeEach(async () => {
    let nanos = 0;
    lab = await openCommandLab(({ path }, response) => {
      const isKnown = path.includes(A) || path.includes('/web/');
      if (!isKnown) json(response, 404, { message: 'no' });
      else if (path.endsWith('/stats')) {
        nanos += 1_000_000;
        response.end(
          JSON.stringify({
            read: new Date().toISOString(),
            cpu_stats: { cpu_usage: { total_usage: nanos } },
            memory_stats: { usage: 100, limit: 1000 },
            networks: { eth0: { rx_bytes: 1, tx_bytes: 2 } },
          }),
        );
      } else json(response, 200, { Id: A, Name: '/web', State: { Status: 'running' } });
    });
    lab.engine.ping((_, response) => {
      response.writeHead(200, { 'api-version': '1.51', server: 'Docker/28.5.2 (linux)' });
      response.end('OK');
    });
    const connection = await lab.context.engine.connect();
    await connection.renew();
  });
  afterEach(() => lab.close());

  const stats = (...ids: readonly string[]) => lab.call(statsCommand(), { ids });

  it('reads each container once, without what the engine does not report', async () => {
    const [only, ...more] = (await stats(A, 'web')) as Record<string, number>[];
    const { cpuPercent = 0, ...rest } = only ?? assert.fail();
    assert.ok(cpuPercent > 0);
    assert.deepEqual(rest, {
      ...{ id: A, memoryBytes: 100, memoryLimitBytes: 1000 },
      ...{ networkReceived: 1, networkSent: 2 },
    });
    assert.deepEqual(more, []);
  });

  it('fails for a container that does not exist, and for too many', async () => {
    await assert.rejects(stats('other'), /Could not read the statistics: no$/);
    const many = Array.from({ length: 101 }, (_, at) => `c${at}`);
    await assert.rejects(stats(...many), /up to 100 containers/);
  });
});
