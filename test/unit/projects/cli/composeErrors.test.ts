import assert from 'node:assert/strict';
import { placeOfMistake, readComposeMistake } from '../../../../src/projects/cli/composeErrors.ts';

const FILE = '/shop/compose.yaml';

/** Returns the line and column, from 1, of what Compose says of a file, and its words. */
async function placed(output: string, text: string, others: Readonly<Record<string, string>> = {}) {
  const error = readComposeMistake(output.split('\n'));
  assert.ok(error, output);
  const texts = new Map(Object.entries({ [FILE]: text, ...others }));
  const place = await placeOfMistake(error, texts);
  assert.ok(place);
  const where = `${place.line + 1}:${place.column + 1}`;
  return [place.file === FILE ? where : `${place.file}:${where}`, error.message];
}

/** Service `a` begins at line 3. */
const service = (...lines: readonly string[]): string =>
  ['name: shop', 'services:', '  a:', ...lines.map((line) => `    ${line}`), ''].join('\n');

// The words are those of Docker Compose 2.40.
const CASES: readonly (readonly [output: string, text: string, place: string, message?: string])[] =
  [
    [
      `validating ${FILE}: services.a additional properties 'comand' not allowed`,
      service('image: b', 'comand: x'),
      '5:5',
      "services.a additional properties 'comand' not allowed",
    ],
    [
      `validating ${FILE}: services.a.b additional properties 'comand', 'foo' not allowed`,
      'services:\n  a:\n    image: x\n  a.b:\n    comand: x\n',
      '5:5',
    ],
    [
      `validating ${FILE}:  additional properties 'servics' not allowed`,
      'x-a: 1\nservics: {}',
      '2:1',
    ],
    [`validating ${FILE}: services.a.ports must be a array`, service('ports: 3'), '4:5'],
    [
      `validating ${FILE}: services.a.ports.1 must be a string`,
      service('ports:', '  - 1', '  - {}'),
      '6:9',
    ],
    [
      'yaml: line 4: mapping values are not allowed in this context',
      service('image: b: c'),
      '4:1',
      'yaml: line 4: mapping values are not allowed in this context',
    ],
    [
      `failed to parse ${FILE}: line 5: mapping key "image" already defined at line 4`,
      service('image: b', 'image: c'),
      '5:1',
      'line 5: mapping key "image" already defined at line 4',
    ],
    [
      'service "a" refers to undefined network b: invalid compose project',
      service('image: b', 'networks: [c, b]'),
      '5:19',
      'service "a" refers to undefined network b',
    ],
    [
      'service "a" refers to undefined network b: invalid compose project',
      service('networks:', '  b: {}'),
      '5:7',
    ],
    [
      'service "a" refers to undefined volume zz: invalid compose project',
      service('volumes:', '  - zz:/x'),
      '5:9',
    ],
    [
      'service "a" depends on undefined service "zz": invalid compose project',
      service('depends_on: [zz]'),
      '4:18',
    ],
    [
      'service "a" has neither an image nor a build context specified: invalid compose project',
      service('restart: always'),
      '3:3',
    ],
    [
      'invalid interpolation format for services.a.image.\nYou may need to escape any $ with another $.\n${X',
      service('image: ${X'),
      '4:5',
      'invalid interpolation format for services.a.image. You may need to escape any $ with another $. ${X',
    ],
    [
      'error while interpolating services.a.image: required variable X is missing a value: need',
      service('image: ${X:?need}'),
      '4:5',
    ],
    [
      'decoding failed due to the following error(s):\n\n\'services[a].healthcheck.interval\' time: invalid duration "x"',
      service('healthcheck: {interval: x}'),
      '4:19',
    ],
    ['dependency cycle detected: a -> c -> a', service('depends_on: [c]'), '4:5'],
    [
      `cannot extend service "a" in ${FILE}: service "q" not found`,
      service('extends: {service: q}'),
      '4:5',
    ],
    [
      'env file /shop/none.env not found: stat /shop/none.env: no',
      service('env_file: none.env'),
      '1:1',
    ],
    ['empty compose file', '', '1:1'],
    [`validating ${FILE}: services.gone.image must be a string`, 'a: 1\nservices: {}', '2:1'],
  ];

describe('projects/cli/composeErrors', () => {
  for (const [output, text, place, message] of CASES)
    it(`finds ${output.split('\n', 1)[0]}`, async () => {
      const [where, words] = await placed(output, text);
      assert.equal(where, place);
      if (message !== undefined) assert.equal(words, message);
    });

  it('takes no failure of the engine, the network or a container for a mistake in the files', () => {
    for (const line of [
      'Cannot connect to the Docker daemon at unix:///none.sock. Is the docker daemon running?',
      'Error response from daemon: driver failed programming external connectivity on endpoint: port is already allocated',
      'dependency failed to start: container shop-db-1 is unhealthy',
      'pull access denied for nothing, repository does not exist',
      'failed to solve: process "/bin/sh -c false" did not complete successfully: exit code: 1',
      'no such service: nothing',
      'service "a" is not running',
    ])
      assert.equal(readComposeMistake(['Network shop_default Creating', line]), undefined, line);
    assert.equal(readComposeMistake([]), undefined);
  });

  it('looks in the file that Compose names, or else where most of the path is', async () => {
    const other = '/shop/compose.override.yaml';
    const output = `validating ${other}: services.a.image must be a string`;
    const others = { [other]: 'services:\n  a:\n    image: 3\n' };
    assert.equal((await placed(output, service('image: b'), others))[0], `${other}:3:5`);
    const undefinedNetwork = 'service "a" refers to undefined network b: invalid compose project';
    const last = { [other]: 'services:\n  a:\n    networks: [b]\n' };
    const found = await placed(undefinedNetwork, service('image: b'), last);
    assert.equal(found[0], `${other}:3:16`);
    const broken = { [other]: 'services:\n  a: b: c\n' };
    const yaml = await placed('yaml: line 2: mapping values', service('image: b'), broken);
    assert.equal(yaml[0], `${other}:2:1`);
    const elsewhere = 'validating /etc/other.yaml: services.a.image must be a string';
    assert.equal((await placed(elsewhere, service('image: 3')))[0], '4:5');
  });

  it('bounds what hostile text can say', async () => {
    const long = `yaml: line 99999999999: ${'x'.repeat(100_000)}\u202e\n$(x)`;
    const [where, message] = await placed(long, 'a: b: c');
    assert.equal(where, '1:1');
    assert.ok((message?.length ?? 0) <= 1001 && !message?.includes('\u202e'), message);
    assert.deepEqual((await placed('yaml: line 900: x', 'a: b: c'))[0], '1:1');
    const path = `validating ${FILE}: services.${'[.'.repeat(50_000)} must be`;
    assert.equal((await placed(path, service('image: b')))[0], '2:1');
    const properties = `validating ${FILE}: services.a additional properties '__proto__' not allowed`;
    assert.equal((await placed(properties, service('image: b')))[0], '3:3');
  });
});
