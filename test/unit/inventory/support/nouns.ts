import type { Container, Image, Network, Volume } from '../../../../src/engine/model.ts';

/** Returns a full ID that repeats the letter. */
export function idOf(letter: string): string {
  return letter.repeat(64).slice(0, 64);
}

export function container(letter: string, fields: Partial<Container> = {}): Container {
  return {
    id: idOf(letter),
    name: letter,
    names: [letter],
    image: 'web:1',
    imageId: `sha256:${idOf('f')}`,
    state: 'running',
    status: 'Up 5 minutes',
    createdAt: '2026-01-01T00:00:00.000Z',
    ports: [],
    labels: {},
    mounts: [],
    networks: [],
    command: 'sleep 9',
    ...fields,
  };
}

export function image(letter: string, fields: Partial<Image> = {}): Image {
  return {
    id: `sha256:${idOf(letter)}`,
    tags: [`${letter}:latest`],
    digests: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    size: 1,
    ...fields,
  };
}

/** Returns a volume. */
export function volume(name: string, fields: Partial<Volume> = {}): Volume {
  return { name, driver: 'local', labels: {}, options: {}, createdAt: '', ...fields };
}

/** Returns a network of the ID that `letter` represents. */
export function network(letter: string, fields: Partial<Network> = {}): Network {
  return {
    ...{ id: idOf(letter), name: letter, driver: 'bridge', subnets: [{ subnet: '10.0.0.0/24' }] },
    ...{ isInternal: false, isIpv6: false, labels: {}, createdAt: '', ...fields },
  };
}
