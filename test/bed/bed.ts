// The complete test bed of one engine: the engine, its image and its registries.
import { startEngineOf, type BedEngine, type EngineKind, type EngineOptions } from './engines.ts';
import type { BedFacts } from './env.ts';
import { askWell } from './http.ts';
import { BED_IMAGE, importBusybox } from './images.ts';
import { ALICE, startRegistries } from './registry.ts';

/** A running test bed. */
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

/** Starts an engine with its image and registries; stops the engine if anything fails. */
export async function makeBed(kind: EngineKind, options: EngineOptions = {}): Promise<Bed> {
  const engine = await startEngineOf(kind, { hasFirewall: true, ...options });
  try {
    await importBusybox(engine);
    const registries = await startRegistries(engine);
    return { engine, facts: factsOf(engine, registries) };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** Resolves to one line that describes the engine: kind, version, API version and storage driver. */
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
