import assert from 'node:assert/strict';
import { openConnection, type Connection } from '../../../src/engine/http/connection.ts';
import { commitContainer, createContainer } from '../../../src/engine/containers/containers.ts';
import {
  removeContainer,
  startContainer,
} from '../../../src/engine/containers/containerLifecycle.ts';
import { waitForContainer } from '../../../src/engine/containers/waitForContainer.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { findImage } from '../../../src/engine/images/images.ts';
import { pullImage } from '../../../src/engine/images/pullImage.ts';
import { REGISTRY_PORTS, startEngineOf, type BedEngine } from '../../bed/engines.ts';
import { bed } from '../../bed/env.ts';
import { importBusybox } from '../../bed/images.ts';
import { startRegistry } from '../../bed/registry.ts';
import { buildLines } from '../buildLines.ts';
import { cheap, refusal } from '../support.ts';
import { nothingMoreThan, openThings, Rig } from './rig.ts';

describe('a full disk', function () {
  this.timeout(60_000);

  let engine: BedEngine;
  let connection: Connection;
  let registry: string;
  let rig: Rig;
  let full: string;
  let openBefore: ReturnType<typeof openThings>;

  before(async () => {
    engine = await startEngineOf(bed().kind, { dataSize: '40m' });
    await importBusybox(engine);
    registry = await startRegistry(engine, { port: REGISTRY_PORTS.open });
    connection = openConnection(parseEndpoint(engine.url, 'setting'));
    full = await fill();
    openBefore = openThings();
    rig = new Rig(engine.url);
    await rig.live();
  });

  after(async () => {
    rig.dispose();
    await nothingMoreThan(openBefore);
    connection.dispose();
    await engine.stop();
  });

  /**
   * Creates a container that has written more data than there is space left, so that a copy does not fit. The
   * engine itself has some space left.
   */
  const fill = async (): Promise<string> => {
    const Cmd = ['dd', 'if=/dev/zero', 'of=/big', 'bs=1M', 'count=27'];
    const { id } = await createContainer(connection, { body: cheap({ Image: bed().image, Cmd }) });
    const { exit } = await waitForContainer(connection, id, 'next-exit');
    await startContainer(connection, id);
    assert.equal((await exit).exitCode, 0);
    return id;
  };

  it("fails a commit with the engine's message, and leaves no partial image", async () => {
    const repository = 'localhost/too-big';
    const error = await refusal(commitContainer(connection, { id: full, repository, pause: true }));
    assert.match(error.engineMessage ?? '', /no space left/);
    assert.equal(await findImage(connection, `${repository}:latest`), undefined);
    await rig.isRight();
  });

  it("fails a pull with the engine's message, and leaves no partial image", async () => {
    const reference = `${registry}/gantry/layers:1`;
    const error = await refusal(pullImage(connection, { reference }, () => undefined));
    assert.match(error.engineMessage ?? '', /no space left/);
    assert.equal(await findImage(connection, reference), undefined);
    await rig.isRight();
  });

  it('allows a pull after a container is removed', async () => {
    await removeContainer(connection, full, { force: true });
    await rig.until(() => !rig.inventory.containers.has(full), 'the change is shown');
    const reference = `${registry}/gantry/tiny:1`;
    const { imageId } = await pullImage(connection, { reference }, () => undefined);
    await rig.until(() => rig.inventory.images.has(imageId), 'the change is shown');
    await rig.isRight();
  });

  it("fails a build with the step and the engine's message, and leaves no image", async () => {
    const tag = 'localhost/gantry/too-big:1';
    const lines = [`FROM ${bed().image}`, 'RUN dd if=/dev/zero of=/big bs=1M count=40'];
    const error = await refusal(buildLines(connection, lines, { tags: [tag] }));
    assert.match(error.engineMessage ?? '', /exit (?:code:|status) 1|no space left/i);
    assert.equal(await findImage(connection, tag), undefined);
    await rig.isRight();
  });
});
