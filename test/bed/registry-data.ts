// Fills a registry by writing its storage, so that neither an engine nor a push is needed.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { busyboxTar } from './images.ts';
import { tar, type Entry } from './tar.ts';

const MEDIA = 'application/vnd.docker';
const LAYERS = 8;
/** Enough for several progress messages; every test engine stores them several times. */
const LAYER_BYTES = 1_500_000;

const TINY: Entry = { name: 'etc/tiny', kind: 'file', data: Buffer.from('tiny\n') };

/** The repositories in every registry of the bed. */
export const REGISTRY_IMAGES = {
  layers: 'gantry/layers:1',
  tiny: 'gantry/tiny:1',
  /** Pulled by a single test of each engine only. */
  slow: 'gantry/slow:1',
  /** Can be run, and has a layer that is not in the engine before the pull. */
  app: 'gantry/app:1',
  /** Can be run. Builds keep its layers in their cache. */
  base: 'gantry/base:1',
} as const;

/** Writes {@link REGISTRY_IMAGES} into a registry's storage, `gantry/tiny:1` also as `latest`. */
export function fillRegistry(storage: string, layerBytes = LAYER_BYTES): void {
  const store = new Storage(storage);
  const layer = (index: number): Buffer => randomLayer(index, layerBytes);
  const layers = Array.from({ length: LAYERS }, (_, index) => layer(index));
  store.image('gantry/layers', ['1'], layers, 0);
  // Must differ from the layer of the bed's image: the containerd image store does not fetch a layer that is
  // already extracted.
  store.image('gantry/tiny', ['1', 'latest'], [busyboxTar(TINY)], 1);
  store.image('gantry/slow', ['1'], [layer(LAYERS + 1), layer(LAYERS + 2)], 0);
  const busybox = busyboxTar();
  store.image('gantry/app', ['1'], [busybox, layer(LAYERS)], 1);
  store.image('gantry/base', ['1'], [busybox], 0);
}

/** Random data, so that the layer neither compresses nor exists from an earlier run. */
function randomLayer(index: number, bytes: number): Buffer {
  return tar([{ name: `layer-${index + 1}`, kind: 'file', data: randomBytes(bytes) }]);
}

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

class Storage {
  readonly #root: string;

  constructor(root: string) {
    this.#root = join(root, 'docker/registry/v2');
  }

  image(name: string, tags: readonly string[], tars: readonly Buffer[], level: number): void {
    const layers = tars.map((layer) =>
      this.#blob(name, `${MEDIA}.image.rootfs.diff.tar.gzip`, gzipSync(layer, { level })),
    );
    const config = this.#blob(name, `${MEDIA}.container.image.v1+json`, configOf(tars));
    const mediaType = `${MEDIA}.distribution.manifest.v2+json`;
    const manifest = { schemaVersion: 2, mediaType, config, layers };
    this.#manifest(name, tags, Buffer.from(JSON.stringify(manifest)));
  }

  #blob(name: string, mediaType: string, data: Buffer): object {
    const hash = this.#data(data);
    this.#link(`repositories/${name}/_layers/sha256/${hash}`, hash);
    return { mediaType, size: data.length, digest: `sha256:${hash}` };
  }

  #manifest(name: string, tags: readonly string[], data: Buffer): void {
    const hash = this.#data(data);
    const manifests = `repositories/${name}/_manifests`;
    this.#link(`${manifests}/revisions/sha256/${hash}`, hash);
    for (const tag of tags) {
      this.#link(`${manifests}/tags/${tag}/current`, hash);
      this.#link(`${manifests}/tags/${tag}/index/sha256/${hash}`, hash);
    }
  }

  #data(data: Buffer): string {
    const hash = sha256(data);
    this.#write(`blobs/sha256/${hash.slice(0, 2)}/${hash}/data`, data);
    return hash;
  }

  #link(folder: string, hash: string): void {
    this.#write(`${folder}/link`, `sha256:${hash}`);
  }

  #write(path: string, data: Buffer | string): void {
    const file = join(this.#root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data);
  }
}

function configOf(tars: readonly Buffer[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      created: '2024-01-01T00:00:00Z',
      config: { Cmd: ['sh'], Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin'] },
      rootfs: { type: 'layers', diff_ids: tars.map((layer) => `sha256:${sha256(layer)}`) },
      history: tars.map(() => ({ created: '2024-01-01T00:00:00Z', created_by: 'gantry' })),
    }),
  );
}
