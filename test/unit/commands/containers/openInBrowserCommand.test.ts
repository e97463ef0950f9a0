import assert from 'node:assert/strict';
import { openInBrowserCommand } from '../../../../src/commands/containers/openInBrowserCommand.ts';
import type { Port } from '../../../../src/engine/model.ts';
import { container } from '../../inventory/support/nouns.ts';
import { ContainerNode, ProjectNode } from '../../../../src/views/containers/containerNode.ts';
import { inProject } from '../../views/support/stage.ts';
import { containerRow, ENGINE, openCommandLab, type CommandLab } from '../../support/commandLab.ts';
import { json } from '../../support/fakeEngine.ts';
import { pick } from '../../support/scriptedUi.ts';

describe('commands/openInBrowserCommand', () => {
  let lab: CommandLab;
  let wire: readonly object[];
  beforeEach(async () => {
    wire = [];
    lab = await openCommandLab((_, response) => {
      json(response, 200, [{ Id: web().id, Names: ['/web'], State: 'running', Ports: wire }]);
    });
  });
  afterEach(() => lab.close());

  const web = (...published: readonly number[]) => {
    const ports = published.map((publicPort): Port => ({
      ...{ protocol: 'tcp', privatePort: 80, publicPort },
    }));
    return container('a', { name: 'web', ports });
  };
  const call = (more: object = {}) =>
    lab.call(openInBrowserCommand(lab.ui), { id: web().id, ...more });
  const opened = () => lab.ui.of('openExternal').map(({ text }) => text);

  it('opens the port that the user picks', async () => {
    const now = web(8080, 8081, 8080);
    lab.list([now]);
    lab.ui.act(pick('8081'));
    // The row may be older than the inventory.
    const done = await lab.run(openInBrowserCommand(lab.ui), containerRow(web(1)));
    assert.deepEqual(done, { outcome: 'opened' });
    const labels = lab.ui.of('pick')[0]?.items?.map(({ label }) => label);
    assert.deepEqual(labels, ['8080', '8081']);
    assert.deepEqual(opened(), ['http://localhost:8081']);
    assert.equal(await lab.run(openInBrowserCommand(lab.ui), containerRow(now)), undefined);
    assert.equal(opened().length, 1);
  });

  it('opens a port of any container of a project or service', async () => {
    const project = new ProjectNode(ENGINE, 'shop');
    const add = (letter: string, service: string, ports: readonly Port[]): void => {
      const one = container(letter, { name: letter, ports, labels: inProject('shop', service) });
      project.add(new ContainerNode(ENGINE, one, true, project));
    };
    const udp = { protocol: 'udp', privatePort: 53, publicPort: 53 };
    const run = (): Promise<unknown> => lab.run(openInBrowserCommand(lab.ui), project);
    add('b', 'db', [udp]);
    assert.equal(await run(), undefined);
    assert.deepEqual(
      lab.ui.of('info').map(({ text }) => text),
      ['shop publishes no TCP port.'],
    );
    add('a', 'web', web(20_123, 20_123).ports);
    wire = [{ PrivatePort: 80, PublicPort: 20_123, Type: 'tcp' }];
    await run();
    assert.deepEqual(opened(), ['http://localhost:20123']);
    add('c', '$(trash) api', web(20_124).ports);
    lab.ui.act(pick('web 80 → 20123'));
    assert.deepEqual(await run(), { outcome: 'opened' });
    const [asked] = lab.ui.of('pick');
    const labels = asked?.items?.map(({ label }) => label);
    assert.deepEqual(labels, ['\\$(trash) api 80 → 20124', 'web 80 → 20123']);
    assert.equal(await run(), undefined);
    assert.deepEqual(opened(), ['http://localhost:20123', 'http://localhost:20123']);
  });

  it('opens the only port without asking', async () => {
    wire = [{ PrivatePort: 80, PublicPort: 8080, Type: 'tcp' }];
    await lab.run(openInBrowserCommand(lab.ui), containerRow(web(8080)));
    await call();
    await call({ port: 9000 });
    assert.deepEqual(opened(), [
      'http://localhost:8080',
      'http://localhost:8080',
      'http://localhost:9000',
    ]);
    assert.deepEqual(lab.ui.of('pick'), []);
  });

  for (const [addresses, host] of [
    [['192.168.1.5'], '192.168.1.5'],
    [['fd00::5'], '[fd00::5]'],
    [['127.0.0.2'], '127.0.0.2'],
    [['0.0.0.0', '::'], 'localhost'],
    [['127.0.0.1', '::1'], 'localhost'],
    [['127.0.0.1', '192.168.1.5'], 'localhost'],
  ] as const) {
    it(`opens a port that is bound to ${addresses.join(' and ')} at ${host}`, async () => {
      const bound = addresses.map((IP) => ({ IP, PrivatePort: 80, PublicPort: 8080, Type: 'tcp' }));
      wire = [...bound, { IP: '10.0.0.9', PrivatePort: 90, PublicPort: 8081, Type: 'tcp' }];
      await call({ port: 8080 });
      wire = bound;
      await lab.run(openInBrowserCommand(lab.ui), containerRow(web(8080)));
      assert.deepEqual(opened(), [`http://${host}:8080`, `http://${host}:8080`]);
    });
  }

  it('rejects a call if there is no port, or several and none is given', async () => {
    await assert.rejects(call(), /publishes no TCP port/);
    wire = [8080, 8081].map((PublicPort) => ({ PrivatePort: 80, PublicPort, Type: 'tcp' }));
    await assert.rejects(call(), /publishes several ports: 8080, 8081\. Set "port"\./);
    assert.deepEqual(opened(), []);
  });
});
