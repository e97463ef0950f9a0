import assert from 'node:assert/strict';
import { readContainerFacts } from '../../../../src/engine/facts/readContainerFacts.ts';
import type { ContainerFacts } from '../../../../src/engine/facts/containerFacts.ts';
import { MASK } from '../../../../src/engine/options/secretDetection.ts';
import { inspected, RECORDED_ENGINES } from './recordedContainers.ts';

const factsOf = (raw: unknown, image?: unknown): ContainerFacts =>
  readContainerFacts(raw, image).facts;

describe('readContainerFacts', () => {
  for (const engine of RECORDED_ENGINES) {
    const { container, killed, image } = inspected(engine);
    const isPodman = engine.startsWith('podman');

    it(`reads a running container of ${engine}`, () => {
      const facts = factsOf(container, image);
      assert.deepEqual(
        [facts.name, facts.state, facts.health, facts.exitCode],
        ['recweb', 'running', 'unhealthy', undefined],
      );
      assert.equal(facts.command, 'sh -c "echo hi; sleep 1000"');
      assert.equal(facts.healthcheck, 'echo not ready; exit 3');
      assert.equal(facts.restartPolicy, 'on-failure:3');
      assert.deepEqual([facts.workingDir, facts.user], ['/tmp', '0']);
      assert.ok((facts.hostPid ?? 0) > 0);
      const [port] = facts.ports;
      assert.deepEqual([port?.port, port?.protocol, port?.published.length], [80, 'tcp', 1]);
    });

    it(`reads the last probes of ${engine}, with output and duration`, () => {
      const { probes, failingStreak } = factsOf(container, image);
      assert.ok(probes.length >= 1 && probes.length <= 5);
      assert.ok(failingStreak >= 1);
      for (const probe of probes) {
        // Podman reports 1 for every failure.
        assert.equal(probe.exitCode, isPodman ? 1 : 3);
        assert.equal(probe.output, 'not ready');
        assert.ok((probe.durationMs ?? -1) >= 0);
        assert.match(probe.startedAt, /^20\d\d-.*Z$/);
      }
    });

    it(`reads mounts, networks and limits of ${engine}`, () => {
      const { mounts, networks, limits } = factsOf(container, image);
      assert.deepEqual(
        mounts.map(({ type, target, source, isReadOnly }) => [type, target, source, isReadOnly]),
        [
          ['volume', '/data', 'recvol', false],
          ['bind', '/host', '/tmp', true],
          ['tmpfs', '/mem', '', false],
        ],
      );
      const [network = assert.fail()] = networks;
      assert.equal(network.name, 'recnet');
      assert.match(network.ip ?? '', /^\d+\.\d+\.\d+\.2$/);
      assert.match(network.gateway ?? '', /\.1$/);
      assert.ok(network.aliases.includes('web') && network.aliases.includes('www'));
      assert.ok(!network.aliases.some((name) => container['Id']?.toString().startsWith(name)));
      const values = new Map(limits.map(({ what, value }) => [what, value]));
      assert.deepEqual(
        [values.get('memory'), values.get('cpus'), values.get('pids')],
        [67_108_864, 0.5, 50],
      );
    });

    it(`says what differs from the image of ${engine}, with the names of variables only`, () => {
      const { differences } = factsOf(container, image);
      const found = new Map(differences?.map((one) => [one.what, one]));
      assert.deepEqual(found.get('cmd')?.before, 'sh');
      assert.equal(found.get('env')?.after, 'A, DB_PASSWORD');
      assert.equal(found.get('labels')?.after, 'token, x');
      assert.equal(found.get('workingDir')?.after, '/tmp');
      assert.equal(found.get('ports')?.after, '80/tcp');
      assert.equal(found.has('entrypoint'), false);
      assert.equal(factsOf(container).differences, undefined);
    });

    it(`masks the secrets of ${engine}, and reveals one by its key`, () => {
      const { facts, hidden } = readContainerFacts(container, image);
      const secret = facts.environment.find(({ name }) => name === 'DB_PASSWORD');
      assert.deepEqual([secret?.value, secret?.isSecret], [MASK, true]);
      assert.equal(facts.environment.find(({ name }) => name === 'A')?.value, '1');
      assert.doesNotMatch(JSON.stringify(facts), /hunter2|"abc"/);
      assert.equal(hidden.reveal('variable DB_PASSWORD'), 'hunter2');
      assert.equal(hidden.reveal('label token'), 'abc');
      assert.equal(hidden.reveal('variable A'), undefined);
    });

    it(`reads the exit of ${engine}`, () => {
      const { state, exitCode, signal, hostPid, finishedAt } = factsOf(killed, image);
      assert.deepEqual([state, exitCode, signal, hostPid], ['exited', 137, 'SIGKILL', undefined]);
      assert.match(finishedAt, /^20\d\d-/);
    });
  }

  it('masks a command with a secret as a whole, also that of the health check', () => {
    const { facts, hidden } = readContainerFacts(
      {
        Config: {
          Cmd: ['serve', '--password=hunter2'],
          Healthcheck: { Test: ['CMD-SHELL', 'curl http://me:hunter2@localhost'] },
        },
      },
      { Config: { Cmd: ['serve', '--password=old-secret'] } },
    );
    assert.deepEqual([facts.command, facts.healthcheck], [MASK, MASK]);
    assert.deepEqual(facts.differences, [{ what: 'cmd', before: MASK, after: MASK }]);
    assert.equal(hidden.reveal('command'), 'serve --password=hunter2');
    assert.doesNotMatch(JSON.stringify(facts), /hunter2|old-secret/);
  });

  it('reads no exit of a container that never ran', () => {
    const State = { Status: 'created', ExitCode: 0, StartedAt: '0001-01-01T00:00:00Z' };
    const facts = factsOf({ State });
    assert.deepEqual([facts.state, facts.exitCode, facts.startedAt], ['created', undefined, '']);
  });

  it('survives every odd field, and bounds all texts and lists', () => {
    const odd = [null, 7, 'x', [], {}, [null, 7, {}], { a: null }, true];
    for (const value of odd) {
      factsOf(value, value);
      for (const part of ['State', 'Config', 'HostConfig', 'NetworkSettings', 'Mounts'])
        factsOf({ [part]: value }, { Config: value });
      factsOf({ State: { Health: value } });
      factsOf({ State: { Health: { Log: value } }, Config: { Env: value, Labels: value } });
    }
    const long = 'x'.repeat(100_000);
    const facts = factsOf({
      State: {
        Health: {
          Status: 'unhealthy',
          FailingStreak: 1e308,
          Log: Array.from({ length: 1000 }, () => ({
            ExitCode: 1e308,
            Output: `\u001b[31m${long}`,
          })),
        },
      },
      // Just over the limit of what is shown of one.
      Config: { Env: Array.from({ length: 5000 }, (_, at) => `A${at}=${'x'.repeat(4500)}`) },
      RestartCount: -5,
      NetworkSettings: {
        Networks: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, at) => [`n${at}`, { Aliases: [long] }]),
        ),
      },
    });
    assert.equal(facts.probes.length, 5);
    assert.ok(facts.probes.every(({ output }) => /^x{4096}…$/.test(output)));
    assert.equal(facts.failingStreak, 0);
    assert.equal(facts.restartCount, 0);
    assert.equal(facts.environment.length, 1000);
    assert.equal(facts.networks.length, 200);
    assert.ok(JSON.stringify(facts).length < 6_000_000);
  });
});
