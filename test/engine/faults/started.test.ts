import assert from 'node:assert/strict';
import type { Connection } from '../../../src/engine/http/connection.ts';
import { commitContainer, inspectContainer } from '../../../src/engine/containers/containers.ts';
import { killContainer } from '../../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../../src/engine/containers/waitForContainer.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { findImage } from '../../../src/engine/images/images.ts';
import { LogReader } from '../../../src/engine/logs/logReader.ts';
import { pullImage, type PullResult } from '../../../src/engine/images/pullImage.ts';
import { FaultProxy } from '../../bed/faultProxy.ts';
import { itOnDocker, Site } from '../support.ts';
import { until } from '../../bed/until.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

const LOGS = /\/logs$/;
const WAIT = /\/wait$/;
const PULL = /^\/images\/create$/;
const COMMIT = /^\/commit$/;
const TALK = ['sh', '-c', 'echo one; echo two; echo three'];

describe('an operation started by the user', function () {
  this.timeout(60_000);

  let site: Site;
  /** A container with the log of {@link TALK}. */
  let talker: string;
  let proxy: FaultProxy;
  let rig: Rig;
  let connection: Connection;
  let openBefore: ReturnType<typeof openThings>;

  before(async () => {
    site = new Site();
    ({ id: talker } = await site.runToEnd(TALK));
  });

  after(() => site.leave());

  beforeEach(async () => {
    openBefore = openThings();
    proxy = await FaultProxy.start(site.facts.socket);
    rig = new Rig(proxy.url);
    await rig.live();
    connection = await rig.engine.connect();
  });

  afterEach(async () => {
    rig.dispose();
    await until(() => proxy.open === 0, 'all connections are closed');
    await proxy.stop();
    await nothingMoreThan(openBefore);
  });

  const pull = (host: string, onStep: () => void = () => undefined): Promise<PullResult> => {
    const reference = site.owns(`${host}/gantry/layers:1`);
    return pullImage(connection, { reference }, onStep);
  };

  /** Resolves to the lines of the log, and to the error that ended the reading. */
  const readLog = async (reader: LogReader): Promise<{ lines: string[]; error: unknown }> => {
    const lines: string[] = [];
    const { signal } = new AbortController();
    try {
      for await (const batch of await reader.open(connection, { follow: false }, signal))
        lines.push(...batch.map(({ text }) => text));
    } catch (error) {
      return { lines, error };
    }
    return { lines, error: undefined };
  };

  describe('when the connection is lost', () => {
    for (const [where, after] of [
      ['before the first frame', 0],
      ['in the header of a frame', 4],
      ['in a frame', 20],
      ['in the header of a later frame', 46],
    ] as const) {
      it(`reports a log cut ${where}, and continues without duplicate lines`, async () => {
        const reader = new LogReader(talker, { tail: 'all', hasTty: false });
        proxy.fault(LOGS, { kind: 'cut', after });
        const first = await readLog(reader);
        assert(first.error instanceof EngineError && first.error.reason === 'cut');
        const second = await readLog(reader);
        assert.equal(second.error, undefined);
        assert.deepEqual([...first.lines, ...second.lines], ['one', 'two', 'three']);
      });
    }

    it('reports a pull cut inside a record', async () => {
      proxy.fault(PULL, { kind: 'cut', after: 30 });
      await assert.rejects(pull(site.facts.registry), { reason: 'cut' });
    });

    it('reports a lost wait', async () => {
      const id = await site.sleeper();
      proxy.fault(WAIT, { kind: 'cut', after: 5 });
      const { exit } = await waitForContainer(connection, id, 'not-running');
      await killContainer(site.connection, id);
      await assert.rejects(exit, { reason: 'cut' });
    });

    it('reports a lost commit, and does not send the request twice', async () => {
      const repository = site.repository();
      site.owns(repository);
      proxy.fault(COMMIT, { kind: 'cut', after: 5 });
      await assert.rejects(commitContainer(connection, { id: talker, repository, pause: true }), {
        reason: 'cut',
      });
      assert.equal(proxy.count(COMMIT), 1);
      // The view shows whether the image was created. The image may be listed before it has its tag.
      const found = await findImage(site.connection, `${repository}:latest`);
      const wasMade = found !== undefined;
      const isShown = (): boolean =>
        [...rig.inventory.images.values()].some(({ tags }) =>
          tags.some((tag) => tag.includes(repository)),
        );
      await rig.until(
        () => isShown() === wasMade,
        `the image is ${wasMade ? 'shown' : 'not shown'}`,
      );
      await rig.isRight();
    });
  });

  itOnDocker('succeeds if every byte arrives separately', async () => {
    for (const match of [LOGS, PULL, WAIT]) proxy.fault(match, { kind: 'bytewise' });
    const reader = new LogReader(talker, { tail: 'all', hasTty: false });
    assert.deepEqual(await readLog(reader), { lines: ['one', 'two', 'three'], error: undefined });
    const { exit } = await waitForContainer(connection, talker, 'not-running');
    assert.equal((await exit).exitCode, 0);
    const reference = site.owns(`${site.facts.registry}/gantry/tiny:1`);
    const { imageId } = await pullImage(connection, { reference }, () => undefined);
    assert.match(imageId, /^sha256:/);
  });

  describe('ends when the window is closed', () => {
    it('during a pull, which leaves no image', async () => {
      const moving = Promise.withResolvers<undefined>();
      const pulling = pull(site.facts.slowRegistry, () => moving.resolve(undefined));
      const ended = assert.rejects(pulling, EngineError);
      await moving.promise;
      rig.dispose();
      await ended;
      const reference = `${site.facts.slowRegistry}/gantry/layers:1`;
      assert.equal(await findImage(site.connection, reference), undefined);
    });

    it('during a wait, and the container keeps running', async () => {
      const id = await site.sleeper();
      const { exit } = await waitForContainer(connection, id, 'not-running');
      rig.dispose();
      await assert.rejects(exit, EngineError);
      assert((await inspectContainer(site.connection, id)).isRunning);
    });

    it('during a commit, and the container does not stay paused', async () => {
      const id = await site.sleeper();
      const repository = site.repository();
      site.owns(repository);
      const asked = proxy.next(COMMIT);
      const committing = commitContainer(connection, { id, repository, pause: true });
      const ended = assert.rejects(committing, EngineError);
      await asked;
      rig.dispose();
      await ended;
      await until(async () => {
        const { raw } = await inspectContainer(site.connection, id);
        return (raw as { State: { Status: string } }).State.Status === 'running';
      }, 'the container is running again');
    });
  });
});
