// Builds whose engine or registry dies, or that are canceled: each ends with one error, and nothing is left running.
import assert from 'node:assert/strict';
import { BuildFailedError } from '../../../src/engine/builds/buildFailedError.ts';
import type { BuildEvent, BuildResult } from '../../../src/engine/builds/model.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { EngineError } from '../../../src/engine/errors.ts';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { findImage, removeImage } from '../../../src/engine/images/images.ts';
import {
  ONE_DOWNLOAD_ATTEMPT,
  REGISTRY_PORTS,
  startEngineOf,
  type BedEngine,
} from '../../bed/engines.ts';
import { bed } from '../../bed/env.ts';
import { askWell } from '../../bed/http.ts';
import { importBusybox } from '../../bed/images.ts';
import { startBreakingRelay, startRegistry } from '../../bed/registry.ts';
import { until } from '../../bed/until.ts';
import { buildLines } from '../buildLines.ts';
import { isCommandRunning } from '../isCommandRunning.ts';

describe('a build', function () {
  this.timeout(60_000);

  let engine: BedEngine;
  let connection: Connection;
  let events: BuildEvent[];

  before(async () => {
    engine = await startEngineOf(bed().kind, ONE_DOWNLOAD_ATTEMPT);
    await importBusybox(engine);
  });
  after(() => engine.stop());
  beforeEach(() => {
    connection = openConnection(parseEndpoint(engine.url, 'setting'));
    events = [];
  });
  afterEach(() => connection.dispose());

  const isPodman = bed().kind === 'podman';
  const TAG = 'localhost/gantry/unfinished:1';

  function build(lines: readonly string[], signal?: AbortSignal): Promise<BuildResult> {
    const onEvent = (event: BuildEvent): void => void events.push(event);
    const work = buildLines(connection, lines, {
      ...{ tags: [TAG], onEvent },
      ...(signal && { signal }),
    });
    work.catch(() => undefined);
    return work;
  }

  /** Returns a Dockerfile whose step sleeps so many seconds as no other process does. */
  const sleeping = (seconds: number | string): readonly string[] => [
    `FROM ${bed().image}`,
    `RUN sleep ${seconds}`,
  ];
  const isSleeping = (seconds: number | string): boolean => isCommandRunning(`sleep ${seconds}`);
  /** Returns how many containers the engine has now, including those of Podman's builds. */
  const containers = async (): Promise<number> => {
    const path = isPodman
      ? '/v4.0.0/libpod/containers/json?all=1&external=1'
      : '/containers/json?all=1';
    return (JSON.parse(await askWell(engine.socket, 'GET', path)) as readonly unknown[]).length;
  };
  const images = async (): Promise<number> =>
    (JSON.parse(await askWell(engine.socket, 'GET', '/images/json?all=1')) as readonly unknown[])
      .length;
  const isTagged = async (): Promise<boolean> => {
    const again = openConnection(parseEndpoint(engine.url, 'setting'));
    try {
      return (await findImage(again, TAG)) !== undefined;
    } finally {
      again.dispose();
    }
  };

  /** Returns the name of a step, as the engine reported it. */
  const nameOf = (id: string | undefined): string => {
    const steps = events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    return steps.findLast((step) => step.id === id)?.name ?? '';
  };

  it('ends its step on the engine when it is canceled, and leaves no tag', async () => {
    const controller = new AbortController();
    // Podman ends a canceled build only after its running step.
    const seconds = isPodman ? `3.${process.pid}` : 1_000_000 + process.pid;
    const next = 3_000_000 + process.pid;
    const before = await images();
    const work = build([...sleeping(seconds), `RUN sleep ${next}`], controller.signal);
    await until(() => isSleeping(seconds), 'the step runs');
    controller.abort();
    await assert.rejects(work, { name: 'AbortError' });
    await until(() => !isSleeping(seconds), 'the process of the step is gone');
    await until(async () => (await containers()) === 0, 'the build is over');
    // Between two steps, Podman would have the image of the first.
    assert.equal(await images(), before);
    assert.equal(isSleeping(next), false);
    assert.equal(await isTagged(), false);
  });

  it('leaves no container of a step that fails', async () => {
    const error = await failed(build([`FROM ${bed().image}`, 'ENV a=b', 'RUN exit 3']));
    assert.ok(error instanceof BuildFailedError, error.message);
    assert.equal(await containers(), 0);
  });

  it('names its base image when the registry does not run', async () => {
    const image = `127.0.0.1:${REGISTRY_PORTS.breaking}/gantry/layers:1`;
    const error = await failed(build([`FROM ${image}`, 'RUN true']));
    assert.ok(error instanceof BuildFailedError, error.message);
    assert.match(error.message, /gantry\/layers|127\.0\.0\.1:5058/);
    assert.equal(await isTagged(), false);
  });

  it('names the step that needs its base image when the registry dies while it is sent', async () => {
    await startRegistry(engine, { port: REGISTRY_PORTS.open });
    const relay = await startBreakingRelay(engine, REGISTRY_PORTS.open);
    const lines = [`FROM ${relay.host}/gantry/layers:1`, 'RUN true'];
    const work = build(lines);
    await until(relay.isInLayers, 'a layer is being sent');
    await relay.end();
    const error = await failed(work);
    assert.ok(error instanceof BuildFailedError, error.message);
    // With containerd's image store, the first step that needs a layer gets it.
    const line = engine.build.hasContainerdStore ? 2 : 1;
    assert.deepEqual(error.failure.source?.lines, { start: line, end: line });
    assert.ok(nameOf(error.failure.step).includes(lines[line - 1]!), nameOf(error.failure.step));
    assert.equal(await isTagged(), false);
  });

  it('has nothing to copy from an empty context', async () => {
    await build([`FROM ${bed().image}`, 'COPY . /all', 'RUN test -z "$(ls -A /all)"']);
    assert.equal(await isTagged(), true);
    await removeImage(connection, TAG);
  });

  it('fails with the connection when the engine is killed, and leaves no tag', async () => {
    const seconds = 2_000_000 + process.pid;
    const work = build(sleeping(seconds));
    await until(() => isSleeping(seconds), 'the step runs');
    await engine.kill();
    const { reason } = await failed(work);
    await engine.restart();
    assert.equal(reason, 'cut');
    assert.equal(await isTagged(), false);
  });
});

async function failed(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => assert.fail('was built'),
    (thrown: unknown) => thrown,
  );
  assert(error instanceof EngineError, String(error));
  return error;
}
