import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError, UploadError } from '../../../../../src/engine/errors.ts';
import type { BuildControls } from '../../../../../src/engine/builds/model.ts';
import { ID, TarBuildLab } from './support/tarBuildLab.ts';

describe('engine/buildByTar', () => {
  let lab: TarBuildLab;
  beforeEach(async () => {
    lab = await TarBuildLab.open();
  });
  afterEach(() => lab.close());

  it('asks Docker for BuildKit, with everything that was asked for', async () => {
    lab.answers({ id: 'moby.image.id', aux: { ID } });
    const { imageId } = await lab.build({
      tags: ['a:1', 'b:2'],
      target: 'one',
      args: { A: 'b' },
      labels: { c: 'd' },
      platforms: ['linux/arm64'],
      noCache: true,
      pull: true,
      network: 'host',
      addHosts: ['e:1.2.3.4', 'f:::1'],
    });
    assert.equal(imageId, ID);
    const [seen] = lab.engine.seen;
    assert.deepEqual(
      [...(seen?.query ?? [])],
      [
        ['version', '2'],
        ['dockerfile', 'Dockerfile'],
        ['t', 'a:1'],
        ['t', 'b:2'],
        ['target', 'one'],
        ['buildargs', '{"A":"b"}'],
        ['labels', '{"c":"d"}'],
        ['platform', 'linux/arm64'],
        ['nocache', '1'],
        ['pull', '1'],
        ['networkmode', 'host'],
        ['extrahosts', 'e:1.2.3.4'],
        ['extrahosts', 'f:::1'],
      ],
    );
    assert.match(seen?.body ?? '', /FROM me\.io\/base[^]*ignored[^]*contents/);
    assert.doesNotMatch(seen?.body ?? '', /another/);
  });

  it('sends no Dockerfile that a link leads to out of its folder', async () => {
    const other = mkdtempSync(join(tmpdir(), 'gantry-private-'));
    writeFileSync(join(other, 'id_rsa'), 'FROM private');
    rmSync(join(lab.folder, 'Dockerfile'));
    symlinkSync(join(other, 'id_rsa'), join(lab.folder, 'Dockerfile'));
    lab.answers({ id: 'moby.image.id', aux: { ID } });
    await assert.rejects(lab.build(), UploadError);
    assert.equal(lab.engine.seen.length, 0);
    rmSync(join(lab.folder, 'Dockerfile'));
    writeFileSync(join(lab.folder, 'Dockerfile.prod'), 'FROM within');
    symlinkSync('Dockerfile.prod', join(lab.folder, 'Dockerfile'));
    await lab.build();
    assert.match(lab.engine.seen[0]?.body ?? '', /FROM within/);
    rmSync(other, { recursive: true });
  });

  it('asks for the classic builder only if it is to', async () => {
    lab.answers({ stream: 'Step 1/1 : FROM a\n' }, { aux: { ID } });
    await lab.build({}, {}, { isClassic: true });
    assert.equal(lab.engine.seen[0]?.query.get('version'), '1');
  });

  it('sends Podman the secrets as files, and leaves out an ignore file that does not count', async () => {
    lab.isPodman();
    writeFileSync(join(lab.folder, 'Dockerfile.dockerignore'), 'other');
    lab.answers({ aux: { ID } });
    const secret = (id: string): Promise<Uint8Array> => Promise.resolve(Buffer.from(`open ${id}`));
    await lab.build({ secrets: ['word'], addHosts: ['e:1.2.3.4'] }, { secret });
    const [seen] = lab.engine.seen;
    assert.ok(seen);
    assert.equal(seen.query.get('version'), null);
    assert.equal(seen.query.get('extrahosts'), '["e:1.2.3.4"]');
    // Otherwise the container of a step that fails or is canceled stays.
    assert.deepEqual([seen.query.get('rm'), seen.query.get('forcerm')], ['1', '1']);
    const [, name = '-'] =
      /^\["id=word,src=([\w.-]+)"\]$/.exec(seen.query.get('secrets') ?? '') ?? [];
    assert.ok(seen.body.includes(name) && seen.body.includes('open word'));
    assert.ok(!seen.body.includes('ignored'));
  });

  describe('with a Dockerfile outside the context', () => {
    let context: string;
    beforeEach(() => {
      context = mkdtempSync(join(tmpdir(), 'gantry-context-'));
      lab.answers({ aux: { ID } });
    });
    afterEach(() => rmSync(context, { recursive: true }));

    /** Returns the texts of the tar that was sent. */
    async function sent(controls: Partial<BuildControls> = {}): Promise<readonly string[]> {
      await lab.build({ context }, {}, controls);
      const { body = '', query } = lab.engine.seen.at(-1) ?? {};
      assert.equal(query?.get('dockerfile'), '.dockerfile.gantry');
      return body.split(/\0+/);
    }

    const warnings = (): readonly string[] =>
      lab.events.flatMap((event) => (event.kind === 'warning' ? [event.warning.message] : []));

    it('keeps it out of what is copied, beside what the ignore file has', async () => {
      lab.isPodman();
      writeFileSync(join(lab.folder, 'Dockerfile'), 'FROM a\nCOPY . /all\n');
      assert.ok((await sent()).includes('.dockerignore\n.dockerfile.gantry\n'));
      assert.deepEqual(warnings(), []);
      writeFileSync(join(context, '.dockerignore'), 'mine');
      const both = await sent();
      assert.ok(both.includes('mine\n.dockerfile.gantry\n'));
      assert.ok(!both.includes('ignored'));
    });

    for (const copied of [
      'COPY . /all',
      'ADD --chown=1 ./ /all',
      'copy ["/", "/all"]',
      'COPY --link \\\n  # everything\n  . \\\n  /all',
      'COPY ./* /all',
      'COPY "." /all',
      'COPY a . /b',
    ])
      it(`warns that BuildKit copies it: ${JSON.stringify(copied)}`, async () => {
        writeFileSync(join(lab.folder, 'Dockerfile'), `FROM a\n${copied}\n`);
        await sent();
        assert.deepEqual(warnings(), [
          'The Dockerfile is outside the context. This build copies it into the image as .dockerfile.gantry.',
        ]);
      });

    it('does not warn if nothing copies it', async () => {
      writeFileSync(join(lab.folder, 'Dockerfile'), 'FROM a\nCOPY a ./b c/ .\nRUN cp . /x\n');
      await sent();
      writeFileSync(join(lab.folder, 'Dockerfile'), 'FROM a AS b\nFROM a\nCOPY --from=b / /\n');
      await sent();
      writeFileSync(join(lab.folder, 'Dockerfile'), 'FROM a\nRUN <<EOF\nCOPY . /all\nEOF\n');
      await sent();
      writeFileSync(join(lab.folder, 'Dockerfile'), 'FROM a\nCOPY . /all\n');
      await sent({ isClassic: true });
      assert.deepEqual(warnings(), []);
    });

    it('does not add the ignore file that its own one replaces', async () => {
      lab.isPodman();
      writeFileSync(join(context, '.dockerignore'), 'mine');
      writeFileSync(join(lab.folder, 'Dockerfile.dockerignore'), 'other');
      assert.ok((await sent()).includes('.dockerignore\n.dockerfile.gantry\n'));
    });

    it('never sends the text of a link', async () => {
      lab.isPodman();
      writeFileSync(join(lab.folder, 'secret'), 'private key');
      symlinkSync(join(lab.folder, 'secret'), join(context, '.dockerignore'));
      for (const isClassic of [false, true]) {
        const texts = await sent({ isClassic });
        assert.ok(texts.includes('.dockerignore\n.dockerfile.gantry\n'));
        assert.ok(!texts.some((text) => text.includes('private key')));
      }
    });

    it('uses the name that Podman looks for first, if it is there', async () => {
      lab.isPodman();
      writeFileSync(join(context, '.dockerignore'), 'docker');
      writeFileSync(join(context, '.containerignore'), 'podman');
      const texts = await sent();
      assert.ok(texts.includes('podman\n.dockerfile.gantry\n'));
      assert.ok(texts.some((text) => text.startsWith('.containerignore')));
    });

    it('leaves the files as they are for BuildKit, which reads no ignore file', async () => {
      assert.ok((await sent()).includes('ignored'));
    });
  });

  for (const [rules, added] of [
    ['**\n', '.dockerignore\nDockerfile\n'],
    ['.docker*\nDockerfile*\n', '.dockerignore\nDockerfile\n'],
    ['.dockerignore\n', '.dockerignore\n'],
    // The files of the context have it.
    ['Dockerfile*\n', undefined],
    ['b\n', undefined],
  ] as const)
    it(`leaves an ignored Dockerfile out of what Podman copies: ${JSON.stringify(rules)}`, async () => {
      lab.isPodman();
      lab.answers({ aux: { ID } });
      writeFileSync(join(lab.folder, '.dockerignore'), rules);
      await lab.build();
      const texts = lab.engine.seen.at(-1)?.body.split(/\0+/) ?? [];
      assert.equal(texts.includes('ignored'), added === undefined);
      if (added !== undefined) assert.ok(texts.includes(added));
    });

  it('sends the credentials of base images only, with their padding', async () => {
    lab.isPodman();
    lab.answers({ aux: { ID } });
    const asked: string[] = [];
    const credentials = (registry: string) => {
      asked.push(registry);
      return Promise.resolve({ username: 'me', password: 'sesame??~' });
    };
    await lab.build({}, { credentials });
    assert.deepEqual(asked, ['me.io']);
    const header = String(lab.engine.seen[0]?.headers['x-registry-config']);
    assert.match(header, /^[\w-]+=*$/);
    assert.equal(header.length % 4, 0);
    const config: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    assert.deepEqual(config, { 'me.io': { username: 'me', password: 'sesame??~' } });
  });

  it('refuses what the way cannot do before anything is sent', async () => {
    for (const wishes of [{ platforms: ['a/b', 'c/d'] }, { ssh: true }, { secrets: ['a'] }])
      await assert.rejects(lab.build(wishes), InputError);
    lab.isPodman();
    await lab.connection.renew();
    await assert.rejects(lab.build({ secrets: ['a,src=/etc/passwd'] }), InputError);
    await assert.rejects(lab.build({ dockerfile: join(lab.folder, 'none') }), UploadError);
    await assert.rejects(lab.build({ dockerfile: '/dev/zero' }), UploadError);
    if (process.platform === 'linux')
      // Its size is 0, and it is longer than any memory.
      await assert.rejects(lab.build({ dockerfile: '/proc/self/pagemap' }), UploadError);
    await assert.rejects(lab.build({ secrets: ['a'] }), /no secret/);
    assert.equal(lab.engine.seen.length, 0);
  });
});
