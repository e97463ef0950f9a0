import assert from 'node:assert/strict';
import { inspectContainer } from '../../src/engine/containers/containers.ts';
import { removeContainer, startContainer } from '../../src/engine/containers/containerLifecycle.ts';
import { runExec } from '../../src/engine/exec/runExec.ts';
import type { Container } from '../../src/engine/model.ts';
import { Emitter } from '../../src/base/lifetime.ts';
import type { ContainersChange } from '../../src/logs/follow/changeLatch.ts';
import { LogSet } from '../../src/logs/follow/logSet.ts';
import { until } from '../bed/until.ts';
import { Site } from './support.ts';

const PROJECT = 'com.docker.compose.project';
const SERVICE = 'com.docker.compose.service';

describe('project logs of a real engine', function () {
  this.timeout(60_000);

  let site: Site;
  let changes: Emitter<ContainersChange>;
  let listed: Map<string, Container>;
  let said: string[];
  let set: LogSet;

  beforeEach(() => {
    site = new Site();
    changes = new Emitter();
    listed = new Map();
    said = [];
    const sink = {
      lines: (member: number, lines: readonly { readonly text: string }[]) => {
        said.push(...lines.map(({ text }) => `${member} ${text}`));
        return Promise.resolve();
      },
      marker: (member: number, { kind }: { readonly kind: string }) => {
        said.push(`${member} [${kind}]`);
        return Promise.resolve();
      },
    };
    const parts = {
      connect: () => Promise.resolve(site.connection),
      onDidChangeContainers: changes.event,
      watch: () => undefined,
      containers: () => listed,
      areAllKnown: () => true,
    };
    set = new LogSet({ ids: [], project: 'shop' }, { tail: 20 }, sink, parts);
  });

  afterEach(async () => {
    set.dispose();
    await site.leave();
  });

  async function create(service: string, script: string): Promise<string> {
    const labels = {
      [PROJECT]: 'shop',
      'com.docker.compose.config-hash': 'hash',
      [SERVICE]: service,
    };
    const id = await site.create(['sh', '-c', script], { body: { Labels: labels } });
    const { name } = await inspectContainer(site.connection, id);
    listed.set(id, { id, name, labels } as unknown as Container);
    return id;
  }

  function of(member: number): readonly string[] {
    return said.filter((one) => one.startsWith(`${member} `)).map((one) => one.slice(2));
  }

  it('contain every line of all containers in order, also when paged backwards', async () => {
    // The second part only comes when it is asked for: however long the start of the containers takes, all follow it.
    const script = 'seq 200; until [ -e /go ]; do sleep 0.1; done; seq 201 600; sleep 1000';
    const ids: string[] = [];
    for (const service of ['a', 'b', 'c']) {
      const id = await create(service, script);
      await startContainer(site.connection, id);
      ids.push(id);
    }
    await set.open();
    for (const id of ids) await runExec(site.connection, id, ['touch', '/go']);
    await until(
      () => [0, 1, 2].every((member) => of(member).at(-1) === '600'),
      'all lines are there',
    );
    const older: string[][] = [[], [], []];
    for (let isStart = false; !isStart;) {
      const page = await set.older(150, new AbortController().signal);
      for (const { member, line } of page.lines.toReversed()) older[member]?.unshift(line.text);
      ({ isStart } = page);
    }
    const all = Array.from({ length: 600 }, (_, index) => String(index + 1));
    for (const member of [0, 1, 2]) assert.deepEqual([...older[member]!, ...of(member)], all);
  });

  it('show that a service was recreated, and contain the lines of both containers', async () => {
    const old = await create('web', 'echo old; sleep 1000');
    await startContainer(site.connection, old);
    await set.open();
    await until(() => of(0).includes('old'), 'the line of the old container is there');
    const young = await create('web', 'echo new; sleep 1000');
    changes.fire({ containers: new Set([young]) });
    await removeContainer(site.connection, old, { force: true });
    listed.delete(old);
    changes.fire({ containers: new Set([old]) });
    await startContainer(site.connection, young);
    changes.fire({ containers: new Set([young]) });
    await until(
      () => of(1).includes('new') && of(0).includes('[removed]'),
      'the line of the new container and the removal are there',
    );
    assert.deepEqual(
      of(1).filter((one) => !one.startsWith('[')),
      ['new'],
    );
    assert.deepEqual(
      set.members.map(({ isOver, service }) => [isOver, service]),
      [
        [true, 'web'],
        [false, 'web'],
      ],
    );
  });
});
