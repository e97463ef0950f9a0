import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { formatYaml, type YamlMap } from '../../../src/recipes/formatYaml.ts';

/** What either version of YAML reads in the lines of a map. */
function readings(map: YamlMap, unit?: string): readonly unknown[] {
  const text = formatYaml(map, unit).join('\n');
  return ['1.1', '1.2'].map(
    (version) => parse(text, { version: version as '1.1', merge: true }) as unknown,
  );
}

/** Characters and words that mean something in YAML. */
const PARTS = [
  ...['a', 'B', ' ', '  ', ':', ': ', '#', ' #', '-', '- ', '?', '? ', '!', '&', '*', '|', '>'],
  ...['"', "'", '\\', '`', '@', '%', '{', '}', '[', ']', ',', '\n', '\r', '\t', '~', '<<', '='],
  ...['0', '1', '7', '.', '_', 'e', 'x', 'o', 'yes', 'No', 'null', '.inf', '---', '...', '$', '/'],
  ...['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u00a0', '\u2028', '\ufeff', '\ufffe', '😀'],
];

/** Texts of up to four of these, always the same ones. */
function* samples(count: number): Generator<string> {
  let state = 1;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let left = count; left > 0; left--)
    yield Array.from({ length: next(5) }, () => PARTS[next(PARTS.length)]).join('');
}

describe('recipes/formatYaml', () => {
  it('writes texts, keys and items that every version of YAML reads as they are', () => {
    for (const text of [...PARTS, ...samples(800)]) {
      const map = { a: { [text]: text }, list: [text, { [text]: text, b: text }], test: [text] };
      for (const read of readings(map)) assert.deepEqual(read, map, JSON.stringify(text));
    }
  });

  it('writes long texts and keys', () => {
    const map = { a: { ['k'.repeat(2000)]: 'x y'.repeat(400_000), b: '\n'.repeat(100_000) } };
    for (const read of readings(map)) assert.deepEqual(read, map);
  });

  it('writes what cannot be seen as its number, and no half of a character', () => {
    const map = { a: '\u202e\u200b\u{e0041}\ud800' };
    assert.deepEqual(formatYaml(map), ['a: "\\u202e\\u200b\\U000e0041\ufffd"']);
    assert.deepEqual(parse(formatYaml(map).join('\n')), { a: map.a.toWellFormed() });
  });

  it('writes like a person', () => {
    const map = {
      image: 'registry.example.org:5000/a/b:1.2@sha256:abc',
      command: ['sh', '-c', 'echo'],
      ports: ['8080:80', '127.0.0.1::53/udp'],
      restart: 'no',
      mem_limit: '512m',
      interval: '1m30s',
      cpus: 0.5,
      tty: true,
      dns: ['192.0.2.1'],
      test: 'curl -f http://localhost/ || exit 1',
      environment: { A: '1', URL: 'http://a.b/c?d=e', KEY: '${KEY}', EMPTY: '' },
      networks: { front: null, back: { aliases: ['db'] } },
      volumes: ['data:/data', { type: 'bind', source: '/a:b', bind: { propagation: 'slave' } }],
      nothing: {},
    };
    const lines = [
      'image: registry.example.org:5000/a/b:1.2@sha256:abc',
      'command: ["sh", "-c", "echo"]',
      'ports:',
      '    - "8080:80"',
      '    - "127.0.0.1::53/udp"',
      'restart: "no"',
      'mem_limit: 512m',
      'interval: 1m30s',
      'cpus: 0.5',
      'tty: true',
      'dns:',
      '    - 192.0.2.1',
      'test: curl -f http://localhost/ || exit 1',
      'environment:',
      '    A: "1"',
      '    URL: "http://a.b/c?d=e"',
      '    KEY: ${KEY}',
      '    EMPTY: ""',
      'networks:',
      '    front:',
      '    back:',
      '        aliases:',
      '            - db',
      'volumes:',
      '    - data:/data',
      '    - type: bind',
      '      source: /a:b',
      '      bind:',
      '          propagation: slave',
      'nothing: {}',
    ];
    assert.deepEqual(formatYaml(map, '    '), lines);
    for (const read of readings(map, '    ')) assert.deepEqual(read, map);
  });
});
