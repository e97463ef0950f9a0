import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage } from '../../../../src/engine/builds/buildImage.ts';
import { SESSION_PATH, SOLVE, STATUS } from '../../../../src/engine/builds/controlMessages.ts';
import type { BuildEvent } from '../../../../src/engine/builds/model.ts';
import type { CallHandler } from '../../../../src/engine/builds/grpc/callStream.ts';
import type { GrpcClient } from '../../../../src/engine/builds/grpc/grpcClient.ts';
import { GrpcError } from '../../../../src/engine/builds/grpc/grpcError.ts';
import { integer, message, nested, textMap } from '../../../../src/engine/builds/grpc/protobuf.ts';
import { sessionClient, startFakeBuilder, type FakeBuilder } from '../../support/fakeBuilder.ts';
import { openLab, type Lab } from '../../support/lab.ts';
import { ID, TarBuildLab } from './tar/support/tarBuildLab.ts';

describe('a context that cannot be sent', () => {
  let lab: TarBuildLab;
  beforeEach(async () => {
    lab = await TarBuildLab.open();
    lab.isPodman();
    lab.answers({ aux: { ID } });
  });
  afterEach(() => lab.close());

  const build = (): Promise<unknown> => {
    const { folder: context } = lab;
    const request = { context, dockerfile: join(context, 'Dockerfile'), tags: [] };
    const providers = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
    };
    const { signal } = new AbortController();
    const controls = { ref: 'a', onEvent: () => undefined, signal, installation: 'here' };
    return buildImage(lab.connection, request, providers, controls);
  };

  it('explains what of the context cannot be sent, also in a tar', async () => {
    assert.deepEqual(await build(), { imageId: ID });
    writeFileSync(join(lab.folder, '.dockerignore'), '# a\n\n[a\n');
    await assert.rejects(build(), {
      message: 'The pattern [a is not valid. Correct line 3 of .dockerignore.',
    });
    rmSync(join(lab.folder, '.dockerignore'));
    mkdirSync(join(lab.folder, '.dockerignore'));
    await assert.rejects(build(), {
      message: '.dockerignore is a folder. Rename it, or replace it with an ignore file.',
    });
    rmSync(join(lab.folder, '.dockerignore'), { recursive: true });
    const ignored = join(lab.folder, '.containerignore');
    writeFileSync(ignored, Buffer.from('\uFEFFsecret.env\n', 'utf16le'));
    await assert.rejects(build(), {
      message: '.containerignore is encoded in UTF-16. Save it as UTF-8.',
    });
    rmSync(ignored);
    // Other systems have no such target.
    if (process.platform !== 'linux') return;
    symlinkSync(Buffer.from('caf\xe9', 'latin1'), join(lab.folder, 'latin'));
    await assert.rejects(build(), {
      message: 'The target of the link latin is not valid UTF-8.',
    });
  });
});

describe('a file of a context that changes while it is sent', () => {
  const PACKET = message<{ type: number; stat: object | undefined; id: number }>({
    type: integer(1),
    stat: nested(2, message<object>({})),
    id: integer(3),
  });
  const RESULT = message<{ attributes: ReadonlyMap<string, string> }>({ attributes: textMap(1) });
  const STAT = 0;
  const REQUEST = 1;
  const DATA = 2;
  const END = 3;

  let lab: Lab;
  let folder: string;
  let builder: FakeBuilder;
  let tries: number;
  let shrinking: number;
  let isMoving: boolean;
  let warnings: string[];
  let session: PromiseWithResolvers<GrpcClient>;
  beforeEach(async () => {
    lab = openLab();
    folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
    tries = 0;
    isMoving = false;
    warnings = [];
    session = Promise.withResolvers();
    const services = new Map<string, CallHandler>([
      [
        SESSION_PATH,
        async (call) => {
          session.resolve(sessionClient(call));
          await once(call.signal, 'abort');
        },
      ],
      [STATUS.path, () => Promise.reject(new GrpcError(5, 'no such job x'))],
      [
        SOLVE.path,
        async (call) => {
          for await (const _ of call.messages);
          const client = await session.promise;
          session = Promise.withResolvers();
          await takeFile(client);
          const attributes = new Map([['containerimage.digest', ID]]);
          await call.write(RESULT.encode({ attributes }));
        },
      ],
    ]);
    builder = await startFakeBuilder({ services });
    writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch\n');
  });
  afterEach(async () => {
    await lab.close();
    await builder.stop();
    rmSync(folder, { recursive: true });
  });

  /** Asks for the only file but the Dockerfile, which may have become shorter since it was listed. */
  async function takeFile(client: GrpcClient): Promise<void> {
    writeFileSync(join(folder, 'z.log'), 'lines');
    const call = client.open('/moby.filesync.v1.FileSync/DiffCopy', {
      'dir-name': 'context',
      'exclude-patterns': 'Dockerfile',
    });
    for await (const bytes of call.messages) {
      const { type, stat } = PACKET.decode(bytes);
      if (type === STAT && stat === undefined) {
        if (++tries <= shrinking) truncateSync(join(folder, 'z.log'));
        if (isMoving) moveContext();
        await call.write(PACKET.encode({ type: REQUEST, id: 0 }));
      }
      if (type === DATA) await call.write(PACKET.encode({ type: END }));
    }
  }

  function build(): Promise<unknown> {
    const dockerfile = join(folder, 'Dockerfile');
    const request = { context: folder, dockerfile, tags: [], args: { OTHER: '1' } };
    const providers = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
    };
    const { signal } = new AbortController();
    const onEvent = (event: BuildEvent): void => {
      if (event.kind === 'warning') warnings.push(event.warning.message);
    };
    const controls = { ref: 'a', onEvent, signal, installation: 'here' };
    const connection = lab.connect(builder.url);
    return buildImage(connection, request, providers, controls);
  }

  /** Replaces the context by a link to another folder, as a checkout of another branch may do. */
  function moveContext(): void {
    mkdirSync(`${folder}.other`, { recursive: true });
    renameSync(folder, `${folder}.old`);
    symlinkSync(`${folder}.other`, folder);
  }

  it('is not tried again in another folder that the context leads to now', async () => {
    shrinking = 1;
    isMoving = true;
    await assert.rejects(build(), /changed while it was sent/);
    assert.equal(tries, 1);
    for (const name of ['old', 'other']) rmSync(`${folder}.${name}`, { recursive: true });
  });

  it('is tried once more, and is warned of once', async () => {
    shrinking = 1;
    assert.partialDeepStrictEqual(await build(), { imageId: ID });
    assert.equal(tries, 2);
    assert.deepEqual(warnings, ['Not used by the Dockerfile: OTHER.']);
  });

  it('fails the build the second time, and is named with what to do', async () => {
    shrinking = 2;
    await assert.rejects(build(), {
      message:
        'z.log changed while it was sent. Add it to .dockerignore if the build does not need it.',
    });
    assert.equal(tries, 2);
  });
});
