import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSpec } from '../../../src/engine/containers/createSpec.ts';
import type { OptionKind } from '../../../src/engine/options/containerOption.ts';
import { HEALTHCHECK_FIELDS } from '../../../src/engine/options/healthcheck.ts';
import { OPTIONS, type CreateArguments } from '../../../src/engine/options/options.ts';
import { InputError } from '../../../src/engine/errors.ts';

interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly items?: Property;
  readonly oneOf?: readonly { readonly properties?: Readonly<Record<string, Property>> }[];
}
type Properties = Readonly<Record<string, Property>>;

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const schema = JSON.parse(read('schemas/container.schema.json')) as {
  readonly required: readonly string[];
  readonly properties: Properties;
};
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
/** The manifest with its texts instead of their keys. */
const manifest = JSON.parse(read('package.json'), (_, value: unknown) => {
  const key = typeof value === 'string' ? /^%(.+)%$/.exec(value)?.[1] : undefined;
  return key === undefined ? value : texts[key];
}) as {
  readonly contributes: {
    readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[];
    readonly taskDefinitions: readonly { readonly properties: Properties }[];
  };
};
const properties = Object.fromEntries(
  Object.entries(schema.properties).filter(([name]) => name !== '$schema'),
);

/** The JSON schema type of each kind of option. A health check has none. */
const TYPES: Readonly<Record<OptionKind, string | undefined>> = {
  text: 'string',
  texts: 'array',
  words: 'array',
  textMap: 'object',
  boolean: 'boolean',
  wholeNumber: 'integer',
  number: 'number',
  healthcheck: undefined,
};

/** Valid and invalid values for each field. */
const SAMPLES: {
  readonly [Field in keyof CreateArguments]-?: {
    readonly good: readonly CreateArguments[Field][];
    readonly bad: readonly unknown[];
  };
} = {
  image: { good: ['nginx', 'localhost:5000/a/b:1', `a@sha256:${'0'.repeat(64)}`], bad: [''] },
  cmd: { good: [['a', '']], bad: [] },
  entrypoint: { good: [['']], bad: [] },
  name: { good: ['web-1', 'a_', 'a'], bad: ['-a', 'a b'] },
  env: { good: [['A=', 'B=c=d\n', 'a b=c']], bad: [['A'], ['=b']] },
  unsetEnv: { good: [['A']], bad: [['A=1'], ['']] },
  ports: {
    good: [
      [
        '80',
        '8080:80',
        '0:80',
        '127.0.0.1:80',
        '127.0.0.1::80',
        '[::1]:1:2/udp',
        '1-2:3-4/SCTP',
        '1-2:3',
      ],
    ],
    bad: [['x'], ['80/icmp'], ['1:2:3:4'], ['a:80']],
  },
  mounts: {
    good: [['/a:/b', 'vol:/c:ro', 'C:\\a:/b', '/a', 'type=bind,source=/a:b,target=/c']],
    bad: [['a'], ['']],
  },
  labels: { good: [{ a: '' }], bad: [] },
  restart: {
    good: ['no', 'always', 'unless-stopped', 'on-failure', 'on-failure:3'],
    bad: ['', 'never', 'always:3', 'on-failure:'],
  },
  autoRemove: { good: [true], bad: [] },
  tty: { good: [true], bad: [] },
  openStdin: { good: [true], bad: [] },
  network: { good: ['host', 'container:abc', 'a b'], bad: [''] },
  hostname: { good: ['a', 'a-b.c', '-a', 'a_b'], bad: ['', 'x'.repeat(65)] },
  dns: { good: [['192.0.2.1', '::1']], bad: [] },
  extraHosts: {
    good: [['a:192.0.2.1', 'b:host-gateway', 'c:[::1]', 'd=::1']],
    bad: [['a'], [':1']],
  },
  publishAll: { good: [true], bad: [] },
  workingDir: { good: ['/', '/a b', 'C:\\a'], bad: ['', 'a', './a'] },
  user: { good: ['me', '0:0', ':', 'a:', ':0', 'a b'], bad: [''] },
  healthcheck: {
    good: [false, { test: 'true', interval: '1m30s' }, { test: ['a'], retries: 1 }],
    bad: [],
  },
  stopSignal: { good: ['SIGTERM', '15', 'SIGRTMIN+3'], bad: ['', '123', 'a b'] },
  stopTimeout: { good: [-5, -1, 0, 10], bad: [] },
  memory: { good: ['512m', '1.5g', '10000000', '64MiB', '1m', '1t'], bad: ['', 'm', '1x'] },
  shmSize: { good: ['64m'], bad: ['', '-1m'] },
  cpus: { good: [0.001, 0.5, 2], bad: [] },
  pidsLimit: { good: [-1, 0, 10], bad: [] },
  init: { good: [true], bad: [] },
  readOnly: { good: [true], bad: [] },
  privileged: { good: [true], bad: [] },
  capAdd: { good: [['NET_ADMIN', 'ALL']], bad: [['NET-ADMIN'], ['']] },
  capDrop: { good: [['CHOWN']], bad: [['1']] },
  securityOpt: { good: [['no-new-privileges', 'label=disable']], bad: [] },
  devices: {
    good: [['/dev/a', '/dev/a:/dev/b:rw', '/dev/a b', 'example.com/gpu=0', 'class/5B45201D']],
    bad: [['fuse']],
  },
  tmpfs: { good: [['/a', '/a:size=1m']], bad: [['a'], ['/']] },
  platform: { good: ['linux', 'linux/arm/v7', 'windows(10.0.17763)/amd64'], bad: ['', 'a b'] },
  start: { good: [true], bad: [] },
};

/** Whether a value matches the schema's pattern, if there is one. */
function passes(property: Property | undefined, value: unknown): boolean {
  const pattern = property?.pattern ?? property?.items?.pattern;
  if (pattern === undefined) return true;
  return [value].flat().every((one) => new RegExp(pattern, 'u').test(String(one)));
}

function isTaken(field: string, value: unknown): boolean {
  try {
    createSpec({ image: 'a', [field]: value });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

describe('the recipe schema', () => {
  it('has exactly the fields of the create argument, of the same kinds', () => {
    assert.deepEqual(Object.keys(properties).sort(), Object.keys(OPTIONS).sort());
    for (const [name, { kind }] of Object.entries(OPTIONS)) {
      assert.equal(properties[name]?.type, TYPES[kind], name);
      if (TYPES[kind] === 'array') assert.equal(properties[name]?.items?.type, 'string', name);
    }
    assert.deepEqual(schema.required, ['image']);
    for (const [name, { description }] of Object.entries(properties)) {
      assert.match(description ?? '', /^[A-Z].*\.$/, name);
    }
  });

  it('has the fields of a health check', () => {
    const check = properties['healthcheck']?.oneOf?.[1]?.properties ?? {};
    assert.deepEqual(Object.keys(check), HEALTHCHECK_FIELDS);
  });

  for (const [field, { good, bad }] of Object.entries(SAMPLES)) {
    it(`accepts valid values of ${field}, and rejects invalid ones if a pattern can`, () => {
      for (const value of good) {
        assert.ok(isTaken(field, value), `taken: ${JSON.stringify(value)}`);
        assert.ok(passes(properties[field], value), `passes: ${JSON.stringify(value)}`);
      }
      for (const value of bad) {
        assert.ok(!isTaken(field, value), `refused: ${JSON.stringify(value)}`);
        assert.ok(!passes(properties[field], value), `stopped: ${JSON.stringify(value)}`);
      }
    });
  }

  it('accepts variables in fields where they are replaced', () => {
    const own = ['cmd', 'entrypoint', 'healthcheck', 'unsetEnv'];
    for (const [field, property] of Object.entries(properties)) {
      if (own.includes(field) || (property.pattern ?? property.items?.pattern) === undefined)
        continue;
      const text = { env: 'A=${env:X}', mounts: '${env:X}:/a' }[field] ?? '${env:X}';
      assert.ok(passes(property, text), field);
    }
  });

  it('is registered for the suffix of recipe files', () => {
    const [one] = manifest.contributes.jsonValidation;
    assert.deepEqual(one, {
      fileMatch: '*.container.json',
      url: './schemas/container.schema.json',
    });
    assert.match(read('.vscodeignore'), /^!schemas\/container\.schema\.json$/m);
  });

  it('matches that of tasks, except for start and end', () => {
    const [task] = manifest.contributes.taskDefinitions;
    const own = ['recipe', 'build', 'command', 'engine', 'remove', 'pull'];
    const inTask = Object.entries(task?.properties ?? {}).filter(([name]) => !own.includes(name));
    const here = Object.entries(properties)
      .filter(([name]) => name !== 'start' && name !== 'autoRemove')
      .map(([name, property]) => {
        const said = Object.entries(property).filter(([key]) => key !== 'examples');
        return [name, Object.fromEntries(said)];
      });
    assert.deepEqual(Object.fromEntries(inTask), Object.fromEntries(here));
  });
});
