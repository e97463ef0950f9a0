import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEntry } from '../../../../../../src/engine/archive/writeTar.ts';
import type {
  BuildControls,
  BuildEvent,
  BuildProviders,
  BuildRequest,
  BuildResult,
} from '../../../../../../src/engine/builds/model.ts';
import { BuildFailedError } from '../../../../../../src/engine/builds/buildFailedError.ts';
import type { Connection } from '../../../../../../src/engine/http/connection.ts';
import { buildByTar } from '../../../../../../src/engine/builds/tar/buildByTar.ts';
import { startRequest } from '../../../../../../src/engine/builds/dockerfile/readDockerfile.ts';
import type { FakeEngine } from '../../../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../../../support/lab.ts';

/** The ID of every image that is built. */
export const ID = `sha256:${'ab'.repeat(32)}`;
export const DOCKERFILE = 'FROM me.io/base AS one\nRUN a\nFROM one\nCOPY b /c\nRUN d\n';

/** An engine that builds from a tar, and the folder with the Dockerfile. Close it in `afterEach`. */
export class TarBuildLab {
  readonly engine: FakeEngine;
  readonly connection: Connection;
  readonly folder = mkdtempSync(join(tmpdir(), 'gantry-build-'));
  readonly events: BuildEvent[] = [];
  readonly #lab: Lab;

  static async open(): Promise<TarBuildLab> {
    const lab = openLab();
    return new TarBuildLab(lab, await lab.fake());
  }

  private constructor(lab: Lab, { engine, connection }: Awaited<ReturnType<Lab['fake']>>) {
    this.#lab = lab;
    this.engine = engine;
    this.connection = connection;
    writeFileSync(join(this.folder, 'Dockerfile'), DOCKERFILE);
  }

  async close(): Promise<void> {
    await this.#lab.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Makes the engine Podman. */
  isPodman(): void {
    this.engine.ping((_request, response) => {
      const headers = {
        'api-version': '1.41',
        'libpod-api-version': '5.8.6',
        server: 'Libpod/5.8.6 (linux)',
      };
      response.writeHead(200, headers).end('OK');
    });
  }

  /** Sets what the engine answers: records, or texts of the builder. */
  answers(...records: readonly (object | string)[]): void {
    const all = records.map((one) => (typeof one === 'string' ? { stream: one } : one));
    this.engine.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(all.map((record) => `${JSON.stringify(record)}\n`).join(''));
    });
  }

  async build(
    wishes: Partial<BuildRequest> = {},
    providers: Partial<BuildProviders> = {},
    controls: Partial<BuildControls> = {},
  ): Promise<BuildResult> {
    const dockerfile = join(this.folder, 'Dockerfile');
    const request = { context: this.folder, dockerfile, tags: [], ...wishes };
    const all: BuildProviders = {
      credentials: () => Promise.resolve(undefined),
      secret: () => Promise.reject(new Error('no secret')),
      ...providers,
    };
    const onEvent = (event: BuildEvent): void => void this.events.push(event);
    const { signal } = new AbortController();
    const how = { onEvent, signal, ...controls };
    return buildByTar(this.connection, await startRequest(request), all, files, how);
  }

  async failure(work: Promise<unknown> = this.build()): Promise<BuildFailedError> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BuildFailedError, String(error));
    return error;
  }

  /** Returns the last state of each step by its name. */
  states(): unknown {
    const steps = this.events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    return Object.fromEntries(steps.map(({ name, state }) => [name, state]));
  }
}

async function* files(): AsyncGenerator<NewEntry> {
  yield await Promise.resolve(entry('.dockerignore', 'ignored'));
  yield entry('Dockerfile', 'another');
  yield entry('b', 'contents');
}

function entry(name: string, text: string): NewEntry {
  const data = Buffer.from(text);
  const open = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(data);
  };
  return { name, kind: 'file', permissions: 0o644, modifiedAt: 0, size: data.length, open };
}
