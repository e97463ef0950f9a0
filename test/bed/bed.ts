// The whole bed for one engine: the engine, its image and its registries.
import { startEngineOf, type BedEngine, type EngineKind, type EngineOptions } from './engines.ts';
import { type BedFacts } from './env.ts';
import { askWell } from './http.ts';
import { BED_IMAGE, importBusybox } from './images.ts';
import { ALICE, startRegistries } from './registry.ts';

/** A bed that is up. */
export interface Bed {
  readonly engine: BedEngine;
  readonly facts: BedFacts;
}

interface Version {
  readonly Version: string;
  readonly ApiVersion: string;
}

interface Info {
  readonly Driver: string;
}

/** Brings up an engine with image and registries; on failure nothing of it is left. */
export async function makeBed(kind: EngineKind, options: EngineOptions = {}): Promise<Bed> {
  const engine = await startEngineOf(kind, options);
  try {
    await importBusybox(engine);
    const registries = await startRegistries(engine);
    return { engine, facts: factsOf(engine, registries) };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** Which engine it is, in a line to print. */
export async function versionOf({ kind, socket }: BedEngine): Promise<string> {
  const version = JSON.parse(await askWell(socket, 'GET', '/version')) as Version;
  const info = JSON.parse(await askWell(socket, 'GET', '/info')) as Info;
  return `${kind} ${version.Version}, API ${version.ApiVersion}, images in ${info.Driver}`;
}

function factsOf(
  { kind, socket, build }: BedEngine,
  { open, locked, slow }: { open: string; locked: string; slow: string },
): BedFacts {
  return {
    kind,
    socket,
    registry: open,
    lockedRegistry: locked,
    slowRegistry: slow,
    username: ALICE.username,
    password: ALICE.password,
    image: BED_IMAGE,
    build,
  };
}
