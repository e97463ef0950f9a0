import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection, type Connection } from '../../src/engine/http/connection.ts';
import { parseEndpoint } from '../../src/engine/http/endpoint.ts';
import { startDocker, type BedEngine, type EngineOptions } from '../bed/engines.ts';
import { importBusybox } from '../bed/images.ts';
import { newestSystem, PLUGINS } from '../bed/newestSystem.ts';

/** An engine, a connection to it, and a folder for files. */
export interface Stage {
  readonly engine: BedEngine;
  readonly socket: string;
  readonly connection: Connection;
  readonly folder: string;
}

/** Runs work with an engine that has the image of the tests, and stops the engine afterwards. */
export function withEngine<T>(
  use: (stage: Stage) => Promise<T>,
  options: EngineOptions = {},
): Promise<T> {
  return withFolder(async (folder) => {
    const engine = await startDocker(options);
    const { socket } = engine;
    const connection = openConnection(parseEndpoint(socket, 'setting'));
    try {
      await importBusybox(engine);
      return await use({ engine, socket, connection, folder });
    } finally {
      connection.dispose();
      await engine.stop();
    }
  });
}

/** Runs work with the newest engine, and the folder of its plug-ins of the Docker CLI. */
export async function withNewest<T>(
  use: (stage: Stage & { readonly plugins: string }) => Promise<T>,
): Promise<T> {
  const { root } = await newestSystem((text) => process.stderr.write(text));
  const build = { system: root, hasContainerdStore: false, oldestApi: '' };
  return withEngine((stage) => use({ ...stage, plugins: join(root, PLUGINS) }), { build });
}

/** Runs work with a temporary folder, and removes it afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
