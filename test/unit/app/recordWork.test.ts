import assert from 'node:assert/strict';
import { Builds } from '../../../src/builds/builds.ts';
import { recordBuilds, recordTransfers } from '../../../src/app/recordWork.ts';
import type { BuildResult } from '../../../src/engine/builds/model.ts';
import type { PullResult } from '../../../src/engine/images/pullImage.ts';
import { UnfinishedWork } from '../../../src/files/unfinishedWork.ts';
import { Transfers } from '../../../src/registries/transfers/transfers.ts';
import { fakeMemento } from '../support/commandLab.ts';
import { FakeClock } from '../support/fakeClock.ts';

const nameOf = (id: string): string => `name of ${id}`;

describe('app/recordWork', () => {
  it('remembers a pull while it runs, without its credentials', async () => {
    const memory = fakeMemento();
    const transfers = new Transfers(new FakeClock());
    recordTransfers(transfers, new UnfinishedWork(memory), nameOf);
    const pulled = Promise.withResolvers<PullResult>();
    const pull = transfers.pull({
      ...{ kind: 'pull', engine: 'e', reference: 'busybox', title: 'busybox (e)' },
      ...{ fullName: 'docker.io/library/busybox:latest', keepsFailure: false },
      work: () => pulled.promise,
    });
    const joined = pull.join();
    const [left] = new UnfinishedWork(memory).left;
    assert.equal(left?.name, 'busybox (e)');
    assert.deepEqual(left.again, {
      command: 'gantry.images.pull',
      argument: { reference: 'busybox', engine: 'name of e' },
      asks: false,
    });
    pulled.resolve({ imageId: 'sha256:1' });
    await joined;
    assert.deepEqual(new UnfinishedWork(memory).left, []);
    transfers.dispose();
  });

  it('remembers a build that a closing window cancels, and not one that the user cancels', () => {
    const memory = fakeMemento();
    const builds = new Builds(new FakeClock());
    const work = new UnfinishedWork(memory);
    recordBuilds(builds, work, nameOf);
    const request = { dockerfile: '/w/Dockerfile', context: '/w', tags: [] };
    const start = (ref: string) =>
      builds.start({
        ...{ ref, engine: 'e', title: ref, request },
        work: () => Promise.withResolvers<BuildResult>().promise,
      });
    start('byUser').cancel();
    start('byWindow');
    work.close();
    builds.dispose();
    const { left } = new UnfinishedWork(memory);
    assert.deepEqual(
      left.map(({ kind, ref }) => [kind, ref]),
      [['build', 'byWindow']],
    );
  });
});
