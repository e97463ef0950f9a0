import assert from 'node:assert/strict';
import { readContainerDetails } from '../../../src/engine/containers/containerDetails.ts';
import { readContainer } from '../../../src/engine/containers/readContainer.ts';
import { readInTurns } from '../../../src/engine/http/fetchList.ts';
import { StepYielder } from '../../../src/base/stepYielder.ts';
import { readImage } from '../../../src/engine/images/images.ts';
import { projectOf } from '../../../src/projects/projectLabels.ts';
import { HIDDEN, HOSTILE } from '../support/hostile.ts';

const ID = 'a'.repeat(64);

describe('reading untrusted data', () => {
  for (const { name, text } of HOSTILE) {
    it(`sanitizes texts with ${name}`, () => {
      const container = readContainer({ Id: ID, Names: [`/${text}`], Image: text, Status: text });
      const image = readImage({ Id: ID, RepoTags: [text], RepoDigests: [text] });
      const details = readContainerDetails({ Id: ID, Name: `/${text}`, State: { Error: text } });
      const shown = [
        ...[container?.name, container?.image, container?.status, ...(container?.names ?? [])],
        ...[...(image?.tags ?? []), ...(image?.digests ?? []), details.name, details.error],
      ];
      for (const one of shown) assert.doesNotMatch(one ?? '', HIDDEN);
      assert.notEqual(container?.name, '');
    });
  }

  it('keeps labels unchanged, because they are compared', () => {
    const Labels = { 'com.example': 'a\u202eb\n' };
    assert.deepEqual(readContainer({ Id: ID, Labels })?.labels, Labels);
  });

  it('drops elements with an invalid ID', () => {
    for (const Id of ['../x', 'a/b', 'a b', '\x1b[31m', '', 'a'.repeat(257), 'a\u202e']) {
      assert.equal(readContainer({ Id }), undefined);
      assert.equal(readImage({ Id }), undefined);
      assert.equal(readContainerDetails({ Id }).id, '');
    }
  });

  it('drops an invalid address, protocol or number of a port', () => {
    const wrong = { IP: '1.2.3.4@evil', Type: 'tcp\n[x](command:y)' };
    const [port] = readContainer({ Id: ID, Ports: [{ PrivatePort: 80, ...wrong }] })?.ports ?? [];
    assert.deepEqual(port, { privatePort: 80, protocol: 'tcp' });
    for (const PublicPort of [1.5, -1, 65_536, '80', Number.NaN]) {
      const Ports = [{ PrivatePort: 80, PublicPort, Type: 'tcp' }];
      assert.deepEqual(readContainer({ Id: ID, Ports })?.ports, [
        { privatePort: 80, protocol: 'tcp' },
      ]);
    }
  });

  it('truncates a very long name', () => {
    const name = readContainer({ Id: ID, Names: [`/${'x'.repeat(100_000)}`] })?.name ?? '';
    assert.match(name, /^x{511}…$/);
  });

  it('creates no group without a visible name', () => {
    for (const project of ['\u200b', ' \n', '\x1b[0m\u202e']) {
      const Labels = {
        'com.docker.compose.project': project,
        'com.docker.compose.config-hash': 'hash',
      };
      const container = readContainer({ Id: ID, Labels });
      assert(container);
      assert.equal(projectOf(container), undefined);
    }
  });

  it('bounds the entries of a container', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => at);
    const container = readContainer({
      Id: ID,
      Names: many.map((at) => `/n${at}`),
      Command: 'x'.repeat(1_000_000),
      Ports: many.map((at) => ({ PrivatePort: at + 1, Type: 'tcp' })),
      Mounts: many.map((at) => ({ Type: 'bind', Destination: `/m${at}` })),
      Labels: {
        ...Object.fromEntries(many.map((at) => [`l${at}`, 'x'])),
        long: 'x'.repeat(1_000_000),
      },
      NetworkSettings: { Networks: Object.fromEntries(many.map((at) => [`n${at}`, {}])) },
    });
    assert(container);
    const { names, ports, mounts, networks, labels, command } = container;
    const counts = [names, ports, mounts, networks, Object.keys(labels)].map((one) => one.length);
    assert.deepEqual(counts, [100, 4_000, 1_000, 1_000, 1_000]);
    assert.equal(command.length, 4_096);
    const long = { a: 'b', c: 'x'.repeat(1_000_000) };
    assert.deepEqual(readContainer({ Id: ID, Labels: long })?.labels, { a: 'b' });
    assert.deepEqual(readContainerDetails({ Id: ID, Config: { Labels: long } }).labels, { a: 'b' });
  });

  describe('a list', () => {
    const element = { Id: ID, NetworkSettings: { Networks: { a: {}, b: {} } }, Names: ['/x'] };

    /** Returns how many elements were read between two yields at most, and after the abort. */
    function counted(list: readonly unknown[], abortAfter = Infinity) {
      const controller = new AbortController();
      const seen = { all: 0, longest: 0, afterAbort: 0 };
      let since = 0;
      const pace = new StepYielder(controller.signal);
      const rest = pace.rest.bind(pace);
      pace.rest = async () => {
        since = 0;
        await rest();
      };
      const read = (one: unknown) => {
        seen.all++;
        seen.longest = Math.max(seen.longest, ++since);
        if (controller.signal.aborted) seen.afterAbort++;
        if (seen.all === abortAfter) controller.abort(new Error('enough'));
        return readContainer(one);
      };
      const end = readInTurns(list, read, controller.signal, pace);
      return { seen, end };
    }

    it('is read in turns', async () => {
      const { seen, end } = counted(Array<unknown>(5_000).fill(element));
      assert.equal((await end).length, 5_000);
      assert.ok(seen.longest <= 400, String(seen.longest));
    });

    it('is read in turns also if each element has many entries', async () => {
      const Networks = Object.fromEntries(
        Array.from({ length: 10_000 }, (_, at) => [`n${at}`, {}]),
      );
      const large = { Id: ID, NetworkSettings: { Networks } };
      const { seen, end } = counted(Array<unknown>(20).fill(large));
      await end;
      assert.equal(seen.longest, 1);
    });

    it('is no longer read after the abort', async () => {
      const { seen, end } = counted(Array<unknown>(5_000).fill(element), 1_000);
      await assert.rejects(end, /enough/);
      assert.ok(seen.afterAbort <= 400, String(seen.afterAbort));
    });
  });
});
