import assert from 'node:assert/strict';
import { checkArguments, type ArgumentSchema } from '../../../src/commands/ui/checkArguments.ts';
import type { CreateArguments } from '../../../src/engine/options/options.ts';
import {
  holdsRecipes,
  readRecipe,
  RecipeError,
  withAbsoluteMounts,
} from '../../../src/recipes/readRecipe.ts';
import { expandVariables } from '../../../src/recipes/expandVariables.ts';
import { formatRecipe, secretVariables } from '../../../src/recipes/formatRecipe.ts';

const SHAPE: ArgumentSchema = {
  image: { kind: 'text', required: true },
  cmd: { kind: 'texts' },
  env: { kind: 'texts' },
  ports: { kind: 'texts' },
  mounts: { kind: 'texts' },
  labels: { kind: 'textMap' },
  restart: { kind: 'text' },
  autoRemove: { kind: 'boolean' },
};
const context = {
  folder: '/work/shop',
  workspaceFolder: '/work',
  env: { TOKEN: 's3cr3t', EMPTY: '' },
};

function read(text: string): CreateArguments {
  const reading = {
    file: 'web.container.json',
    context,
    checkFields: (args: object) => checkArguments(args, SHAPE, 'recipe'),
    checkField: (field: object) => {
      const optional = Object.entries(SHAPE).map(([name, { kind }]) => [name, { kind }]);
      checkArguments(field, Object.fromEntries(optional) as ArgumentSchema, 'recipe');
    },
  };
  return readRecipe(text, reading);
}

/** Returns the one-based position and the message of the first error. */
function fault(text: string): string {
  try {
    read(text);
  } catch (error) {
    assert(error instanceof RecipeError, String(error));
    return error.message.replace('web.container.json:', '');
  }
  return assert.fail('the recipe was accepted');
}

describe('recipes/readRecipe', () => {
  it('reads JSON with comments, a trailing comma and a schema', () => {
    const text = '// web\n{ "$schema": "x", "image": "busybox", /* two */ "cmd": ["a", "b",], }';
    assert.deepEqual(read(text), { image: 'busybox', cmd: ['a', 'b'] });
  });

  it('replaces variables, but not in commands that run in the container', () => {
    const recipe = {
      image: 'busybox',
      cmd: ['echo', '${env:TOKEN}', '${workspaceFolder}'],
      env: ['A=${env:TOKEN}', 'B=${env:EMPTY}', 'C=$${env:TOKEN}', 'D=${HOME}'],
      labels: { from: '${workspaceFolder}' },
    };
    assert.deepEqual(read(JSON.stringify(recipe)), {
      ...{ image: 'busybox', cmd: recipe.cmd },
      env: ['A=s3cr3t', 'B=', 'C=${env:TOKEN}', 'D=${HOME}'],
      labels: { from: '/work' },
    });
  });

  it("resolves a relative mount against the recipe's folder", () => {
    const mounts = ['./data:/data:ro', '..:/up', '.:/here', 'volume:/v', '/full:/f', '.hidden:/h'];
    assert.match(fault(JSON.stringify({ image: 'a', mounts })), /\.hidden/);
    const good = mounts.slice(0, -1);
    assert.deepEqual(read(JSON.stringify({ image: 'a', mounts: good })).mounts, [
      ...['/work/shop/data:/data:ro', '/work:/up', '/work/shop:/here', 'volume:/v', '/full:/f'],
    ]);
  });

  it('resolves a relative mount of a task against the workspace folder', () => {
    const own = { image: 'a', env: ['A=${env:TOKEN}'] };
    assert.deepEqual(withAbsoluteMounts(own, context), own);
    const mounts = ['./data:/data', 'volume:/v'];
    assert.deepEqual(withAbsoluteMounts({ ...own, mounts }, context), {
      ...own,
      mounts: ['/work/shop/data:/data', 'volume:/v'],
    });
  });

  it('reports the position of a syntax error', () => {
    assert.match(fault(''), /^1:1: /);
    assert.match(fault('{\n  "image": \n}'), /^3:1: Value expected\.$/);
    assert.match(fault('{\n  "image": "x"\n  "cmd": []\n}'), /^3:3: Comma expected\.$/);
    assert.match(fault('{ "image": "x'), /^1:12: Unexpected end of string\.$/);
    assert.match(fault('[]'), /^1:1: A recipe is a JSON object/);
  });

  it('does not read files of more than 1 MiB', () => {
    const recipe = '{ "image": "a" }';
    assert.deepEqual(read(recipe.padEnd(2 ** 20)), { image: 'a' });
    assert.match(fault(recipe.padEnd(2 ** 20 + 1)), /^1:1: A recipe is a JSON object/);
  });

  it('checks a recipe with very many values as a whole', () => {
    const ports = (count: number, last: string): string =>
      JSON.stringify({ image: 'x', ports: [...Array<string>(count).fill('80:80'), last] });
    assert.equal(read(ports(5_000, '81:81')).ports?.length, 5_001);
    assert.match(fault(ports(100, 'odd')), /^1:(?!1: )/);
    // Only the first values are checked one by one for the position.
    assert.match(fault(ports(5_000, 'odd')), /^1:1: /);
  });

  it('reports the position of a field that is unknown, of another kind, missing or invalid', () => {
    assert.match(fault('{ "image": "a",\n  "imgae": "b" }'), /^2:3: .*unknown property "imgae"/);
    assert.match(
      fault('{ "image": "a",\n  "env": "b" }'),
      /^2:3: .*"env" must be an array of strings/,
    );
    assert.match(fault('\n{ "env": [] }'), /^2:1: .*property "image" is required/);
    const ports = '{ "image": "a", "ports": [\n  "80",\n  "8080:x"\n] }';
    assert.match(fault(ports), /^3:3: "8080:x" is not a port/);
    assert.match(fault('{ "image": "A B" }'), /^1:12: /);
    const both = '{ "image": "a", "autoRemove": true,\n"restart": "always" }';
    assert.match(
      fault(both),
      /^2:12: .*Automatic removal conflicts with the restart policy "always"/,
    );
  });

  it('reports the position of an unset variable, and never the value of another', () => {
    const text = '{ "image": "a", "env": ["A=${env:TOKEN}",\n "B=${env:MISSING}"] }';
    assert.match(fault(text), /^2:2: \$\{env:MISSING\}: environment variable not set/);
    const wrong = fault('{ "image": "a", "env": ["${env:TOKEN}"] }');
    assert.ok(!wrong.includes('=s3cr3t'));
  });

  it('does not replace environment variables without permission', () => {
    assert.throws(
      () => expandVariables('${env:TOKEN}', { ...context, env: undefined }),
      /environment variables are not available in Restricted Mode/,
    );
  });

  it('treats an inherited property name as an unset variable', () => {
    for (const name of ['constructor', 'toString', '__proto__'])
      assert.match(
        fault(`{ "image": "a", "env": ["A=\${env:${name}}"] }`),
        /environment variable not set/,
      );
  });

  it('rejects __proto__ as an unknown field', () => {
    assert.match(fault('{ "image": "a", "__proto__": {} }'), /unknown property "__proto__"/);
  });
});

describe('a recipe file', () => {
  it('is on this machine, or in the file system of a workspace folder', () => {
    const file = { scheme: 'file', authority: '' };
    const remote = { scheme: 'vscode-vfs', authority: 'github' };
    assert.ok(holdsRecipes(file, []));
    assert.ok(holdsRecipes(remote, [remote]));
    assert.ok(!holdsRecipes(remote, [file]));
    assert.ok(!holdsRecipes({ ...remote, authority: 'gitlab' }, [remote]));
  });
});

describe('recipes/formatRecipe', () => {
  it('can be read again as the same options', () => {
    const args: CreateArguments = {
      image: 'busybox',
      cmd: ['sh', '-c', 'echo ${env:X} $${workspaceFolder}'],
      env: ['A=${env:TOKEN}', 'B=$${env:TOKEN}', 'C=$$${workspaceFolder}', 'D=ü\n"', 'E=$'],
      labels: { a: '${workspaceFolder}', b: '${other}' },
    };
    assert.deepEqual(read(formatRecipe(args, [])), args);
  });

  it('omits the values of hidden variables', () => {
    const text = formatRecipe({ image: 'a', env: ['TOKEN=abc=d', 'B=1'] }, ['TOKEN']);
    assert.ok(!text.includes('abc'));
    assert.deepEqual(read(text).env, ['TOKEN=s3cr3t', 'B=1']);
  });

  it('recognizes secrets by name or value', () => {
    const secret = [
      ...['DB_PASSWORD=x', 'PGPASS=x', 'MYSQL_PWD=x', 'API_KEY=x', 'GITHUB_TOKEN=x', 'apikey=x'],
      ...['AWS_SECRET_ACCESS_KEY=x', 'AUTH=x', 'URL=https://me:pw@example.com/', 'X=ghp_abc'],
      ...['K=-----BEGIN RSA PRIVATE KEY-----', 'J=eyJhbGciOi.eyJ.x'],
    ];
    const open = [
      'PATH=/bin',
      'A=1',
      'KEYBOARD=us',
      'TOKEN=',
      'URL=https://example.com/a:b@c',
      'COMPASS=n',
    ];
    const names = (env: readonly string[]): readonly string[] =>
      env.map((entry) => entry.split('=', 1)[0] ?? '');
    assert.deepEqual(secretVariables({ image: 'a', env: secret }), names(secret));
    assert.deepEqual(secretVariables({ image: 'a', env: open }), []);
  });
});
