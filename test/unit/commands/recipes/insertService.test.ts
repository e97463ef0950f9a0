import assert from 'node:assert/strict';
import { insertService, withEdits } from '../../../../src/commands/recipes/insertService.ts';
import { serviceSpec } from '../../../../src/recipes/serviceSpec.ts';

const ARGS = { image: 'nginx', name: 'web', ports: ['80:80'] };

/** Returns a text after a service was inserted, and what is shown of it. */
async function inserted(text: string, args: object = {}): Promise<readonly [string, string]> {
  const spec = { args: { ...ARGS, ...args }, unsupported: [], essential: [] };
  const { edits, shown } = await insertService(text, 'shop', (existing) =>
    serviceSpec(spec, {}, [], existing),
  );
  const after = withEdits(text, edits);
  return [after, after.slice(shown?.start, shown?.end)];
}

const WEB = `  web:
    image: nginx
    container_name: web
    ports:
      - "80:80"
`;
describe('inserting a service into a compose file', () => {
  for (const [what, text, expected] of [
    ['an empty file', '', `services:\n${WEB}`],
    ['a blank file', '\n \n', `services:\n${WEB}`],
    ['comments alone', '# mine\n\n', `# mine\n\nservices:\n${WEB}\n`],
    ['a file without services', 'name: x\n', `name: x\n\nservices:\n${WEB}`],
    ['a section without services', 'services:\nname: x\n', `services:\n${WEB}name: x\n`],
    [
      'a section with only a comment',
      'services: # mine\n  # none\n',
      `services: # mine\n  # none\n${WEB}`,
    ],
    [
      'the last section, without an end of the last line',
      'services:\n  db:\n    image: db',
      `services:\n  db:\n    image: db\n${WEB}`,
    ],
    [
      'a section before others, with comments and blank lines',
      '# a\nservices:\n  # b\n  db: # c\n    image: db # d\n\n    # e\n  # f: {}\n\n# g\nvolumes:\n  x:\n',
      `# a\nservices:\n  # b\n  db: # c\n    image: db # d\n\n    # e\n  # f: {}\n${WEB}\n# g\nvolumes:\n  x:\n`,
    ],
    [
      'services with blank lines between them',
      'services:\n  a: {image: x}\n\n  # b\n  b:\n    image: x\n\nname: x\n',
      `services:\n  a: {image: x}\n\n  # b\n  b:\n    image: x\n\n${WEB}\nname: x\n`,
    ],
    [
      'services of four blanks',
      'services:\n    db:\n        image: db\n',
      `services:\n    db:\n        image: db\n${WEB.replace(/^ +/gm, '$&$&')}`,
    ],
    [
      'a block of text at the end',
      'services:\n  db:\n    command: |\n      a\n\n      # not a comment\n',
      `services:\n  db:\n    command: |\n      a\n\n      # not a comment\n${WEB}`,
    ],
    [
      'anchors, merges and quoted keys',
      'x-a: &a {image: x}\n"services": &s\n  db:\n    <<: *a\n',
      `x-a: &a {image: x}\n"services": &s\n  db:\n    <<: *a\n${WEB}`,
    ],
  ] as const) {
    it(`keeps all of ${what}`, async () => {
      const [after, shown] = await inserted(text);
      assert.equal(after, expected);
      assert.match(shown, /^(?:services:| *web:)[^]*80"\n?$/);
    });
  }

  it('keeps how lines end', async () => {
    const [after] = await inserted('services:\r\n  db:\r\n    image: db\r\nname: x');
    assert.equal(after, `services:\n  db:\n    image: db\n${WEB}name: x`.replaceAll('\n', '\r\n'));
    assert.equal(
      (await inserted('name: x\r\nservices:\r\n  db: {image: x}'))[0],
      `name: x\nservices:\n  db: {image: x}\n${WEB}`.replaceAll('\n', '\r\n'),
    );
  });

  it('adds volumes and networks to their sections, or new sections', async () => {
    const args = { mounts: ['data:/d', 'shop_logs:/l'], network: 'front', ports: undefined };
    const [after, shown] = await inserted(
      'volumes:\n  logs:\n\n# end\nservices:\n  db: {image: x}\n',
      args,
    );
    assert.equal(
      after,
      `volumes:
  logs:
  data:
    external: true

# end
services:
  db: {image: x}
  web:
    image: nginx
    container_name: web
    volumes:
      - data:/d
      - logs:/l
    networks:
      - front

networks:
  front:
    external: true
`,
    );
    assert.match(shown, /^ {2}web:[^]*- front/);
  });

  it('uses the keys that stand for the same volume, and no others', async () => {
    const volumes = 'volumes:\n  a: {name: data}\n  data:\n  b: {external: true}\n';
    const [after] = await inserted(`name: own\nservices:\n  db: {image: x}\n${volumes}`, {
      mounts: ['data:/1', 'own_data:/2', 'b:/3', 'shop_data:/4'],
    });
    assert.match(after, /- a:\/1\n +- data:\/2\n +- b:\/3\n +- shop_data:\/4\n/);
    assert.ok(after.endsWith(`${volumes}  shop_data:\n    external: true\n`), after);
  });

  it('gives a number to a service whose name is there, and no container name', async () => {
    const [after] = await inserted('services:\n  web: {image: x}\n  web-2: {image: x}\n');
    assert.match(after, /\n {2}web-3:\n {4}image: nginx\n {4}ports/);
  });

  for (const text of [
    'services: {}\n',
    'services: {db: {image: x}}\n',
    '{services: {db: {image: x}}}\n',
    'services: *x\n',
    'services: !override\n  db: {image: x}\n',
    'services:\n  db: {image: x}\nvolumes: {}\n',
    'services:\n- db\n',
    '- a\n',
    'text\n',
    'services:\n  db: [\n',
    'services:\n  db: {image: x}\n---\na: 1\n',
    'services:\n  db: {image: x}\n...\n',
    'services:\n  db:\n    command: "a\n# b\nc: d"\n',
    '  services:\n    db: {image: x}\n',
    'a: 1\n'.repeat(300_000),
  ]) {
    it(`refuses what it cannot keep: ${JSON.stringify(text.slice(0, 60))}`, async () => {
      const work = inserted(text, { mounts: ['data:/d'] });
      await assert.rejects(work, /Gantry cannot insert into this compose file/);
    });
  }
});
